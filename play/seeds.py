"""Which instance each participant of a study plays."""

from runs.launching.plan import parse_seeds


def seed_at(seeds: str, place: int) -> int:
    """The seed of the participant who begins as number `place` from 0. Raises LaunchError for the field seeds.

    seeds: such as '0-2', in turn; empty for a new one each
    """
    if not seeds.strip():
        return place
    chosen = parse_seeds(seeds)
    return chosen[place % len(chosen)]
