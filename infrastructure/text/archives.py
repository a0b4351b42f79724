"""Zip archives in parts. The same members give the same bytes."""

import zipfile

EPOCH, UNIX = (1980, 1, 1, 0, 0, 0), 3


def entry(name: str) -> zipfile.ZipInfo:
    """A member without the time of its making."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, UNIX, 0o644 << 16
    return info


class Pipe(list[bytes]):
    """A write-only file. `take` removes and returns what was written."""

    def write(self, data: bytes) -> int:
        self.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def take(self) -> bytes:
        taken = b"".join(self)
        self.clear()
        return taken
