"""How the commands backup and restore speak of a backup."""

from __future__ import annotations

from pathlib import Path

from backups.archive import Manifest


def contents(manifest: Manifest) -> str:
    parts = [f"{number:,} {name if number != 1 else name.removesuffix('s')}" for name, number in manifest.rows.items()]
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"


def size(path: Path) -> str:
    kilobytes = path.stat().st_size / 1000
    return f"{kilobytes:,.0f} kB" if kilobytes < 1000 else f"{kilobytes / 1000:,.1f} MB"
