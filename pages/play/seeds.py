"""Which instance each participant of a study plays."""

from runs.launching.plan import parse_seeds


def seed_at(seeds: str, index: int) -> int:
    """The seed of the participant who begins as number `index` from 0. Raises LaunchError for the field seeds.

    seeds: such as '0-2', in turn; empty for a new one each
    """
    if not seeds.strip():
        return index
    seed_list = parse_seeds(seeds)
    return seed_list[index % len(seed_list)]
