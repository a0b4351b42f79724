"""The members of an archive."""

import zipfile

FORMAT = 1
STUDY, README, RUNS, MANIFEST = "study.yaml", "README.txt", "runs.jsonl", "manifest.json"
PERIODS = "periods/"
EPOCH, UNIX = (1980, 1, 1, 0, 0, 0), 3


def periods_name(number: int) -> str:
    return f"{PERIODS}{number + 1:05}.jsonl"


def entry(name: str) -> zipfile.ZipInfo:
    """A member without the time of its making, so that the same content gives the same archive."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, UNIX, 0o644 << 16
    return info
