"""The members of an archive."""

FORMAT = 1
STUDY, README, RUNS, MANIFEST = "study.yaml", "README.txt", "runs.jsonl", "manifest.json"
PERIODS = "periods/"


def periods_name(number: int) -> str:
    return f"{PERIODS}{number + 1:05}.jsonl"
