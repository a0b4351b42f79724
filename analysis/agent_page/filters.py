from dataclasses import dataclass


@dataclass(frozen=True)
class AgentFilter:
    """What tables of agents can be narrowed to. environment: '' for all; agents: slugs, () for all"""

    environment: str = ""
    agents: tuple[str, ...] = ()
