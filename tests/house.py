"""The shape of the house: its layers, what imports what, and what its names say. `python -m tests.house` prints the table."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.data_folders import CLIENT, ROOT, folder_of

LAYERS = (
    ("environments", "stats"),
    ("agents",),
    ("infrastructure", "infrastructure.limiter", "econevals"),
    ("accounts",),
    ("runs",),
    ("runs.episodes", "runs.findings", "runs.stages"),
    ("games",),
    ("workspace.discussion", "workspace.spending", "workspace.transfer", "workspace.webhooks"),
    ("workspace.drift", "workspace.questions"),
    ("pages.guides", "econevals_site.backups"),
    ("analysis", "pages.dashboard"),
    ("analysis.notes", "pages.instances", "pages.navigation", "pages.reports", "pages.play"),
    ("pages.registrations",),
    ("sharing", "api"),
    ("sharing.gallery",),
    ("econevals_site",),
)
"""From the ground up. A package imports those of lower layers only, never one beside it. A dotted one is a room's part."""

PACKAGES = [package for layer in LAYERS for package in layer]
ROOMS = sorted(
    path.parent.name
    for path in [*ROOT.glob("*/__init__.py"), *CLIENT.glob("*/__init__.py")]
    if path.parent.name not in ("tests", "benchmarks")
)

VAGUE = frozenset(
    ("found", "told", "one", "place", "known", "wanted", "asked", "shown", "words", "played", "chosen", "said", "named")
    + ("given",)
)
"""Names that say nothing of what they hold, when they are the whole name."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the project but migrations, by its dotted name."""
    files = {}
    for path in (path for room in ROOMS for path in folder_of(room).rglob("*.py")):
        parts = path.relative_to(CLIENT if path.is_relative_to(CLIENT) else ROOT).with_suffix("").parts
        if "migrations" not in parts:
            files[".".join(parts).removesuffix(".__init__")] = path
    return files


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@cache
def imported(name: str) -> frozenset[str]:
    """Modules that a module imports, anywhere in it: in functions and for types too."""
    names = set()
    for node in ast.walk(tree(modules()[name])):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{name} imports relatively"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                names.add(full if full in modules() else node.module)
    return frozenset(names - {name})


def package_of(module: str) -> str:
    """The package of the layers that a module belongs to: a part of a room, else the room."""
    part = ".".join(module.split(".")[:2])
    return part if part in PACKAGES else room_of(module)


def room_of(module: str) -> str:
    return module.partition(".")[0]


def arrows() -> dict[str, set[str]]:
    """The rooms that a room imports from."""
    rooms: dict[str, set[str]] = {room: set() for room in ROOMS}
    for name in modules():
        rooms[room_of(name)] |= {room_of(module) for module in imported(name)} & {*ROOMS} - {room_of(name)}
    return rooms


def sizes() -> Counter[str]:
    """Lines of code by room."""
    lines: Counter[str] = Counter()
    for name, path in modules().items():
        lines[room_of(name)] += lines_of(path)
    return lines


def bound_names() -> Iterator[tuple[str, int, str]]:
    """(module, line, name) of every function, class, parameter, variable and attribute that the code binds."""
    for module, path in modules().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield module, node.lineno, node.name
            elif isinstance(node, ast.arg):
                yield module, node.lineno, node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield module, node.lineno, node.id
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield module, node.lineno, node.attr
            elif isinstance(node, ast.alias) and node.asname:
                yield module, 0, node.asname


def vague_names() -> list[tuple[str, int, str]]:
    return [binding for binding in bound_names() if binding[2].strip("_") in VAGUE]


def import_share() -> float:
    """The share of lines of code that belong to import statements."""
    imports = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in modules().values()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    return imports / sizes().total()


def _table() -> dict[str, str]:
    names, vague = sum(1 for _ in bound_names()), len(vague_names())
    largest, lines = sizes().most_common(1)[0]
    files = [path for path in ROOT.glob("*/**/migrations/0*.py") if ".venv" not in path.parts]
    return {
        "rooms": f"{len(ROOMS)}, {sum(map(len, arrows().values()))} arrows",
        "largest room": f"{largest}, {lines / sizes().total():.1%} of {sizes().total():,} lines",
        "vague names": f"{vague} of {names:,}, {vague / names:.2%}",
        "import lines": f"{import_share():.1%}",
        "lines of templates": f"{sum(map(lines_of, (ROOT / 'templates').rglob('*.html'))):,}",
        "migrations": f"{len(files)} files",
        "pictures in docs": str(sum(1 for _ in (ROOT / "docs").rglob("*.png"))),
        "benchmarks": f"{sum(map(lines_of, (ROOT / 'benchmarks').glob('*.py'))):,} lines",
    }


if __name__ == "__main__":
    for title, value in _table().items():
        print(f"{title:20}{value}")
