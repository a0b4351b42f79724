"""Command-line arguments that choose the runs of a table."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from accounts.models import Organization
from analysis.agent_page.history import AgentFilter
from analysis.base.filters import DIFFICULTIES, SCOPES, LeaderboardFilter, LitmusFilter, TableFilter, variant_choices
from analysis.base.table import Kind
from analysis.comparing.comparison import MOST_AGENTS
from analysis.hidden import Hidden
from environments.generation import DESIGN, GENERATOR_LABELS, is_design
from environments.prompts.variants import base_variant, texts_slug
from environments.registry import BENCHMARKS, ENVIRONMENTS, variant_names
from runs.management.launches import fail

OPTIONS = {
    "environments": "--environment",
    "difficulties": "--difficulty",
    "agents": "--agent",
    **{name: f"--{name}" for name in ("variant", "generator", "rows", "periods", "scope", "mixed")},
}
"""Command-line options by the filter field that they set."""


def add_table_arguments(parser: ArgumentParser, environments: Iterable[str] = BENCHMARKS) -> None:
    """Add the arguments of benchmark tables, except the choice of agents.

    environments: the names that --environment accepts
    """
    defaults = TableFilter()
    _add_leaderboard_arguments(parser)
    add = parser.add_argument
    add("--environment", nargs="+", choices=list(environments), metavar="ENV", default=BENCHMARKS)
    add("--difficulty", nargs="+", type=_design_or(DIFFICULTIES), metavar="DIFFICULTY", default=DIFFICULTIES)
    add("--periods", type=int, default=defaults.periods, help="only runs of this length")


def add_litmus_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of litmus tables, except the choice of agents."""
    _add_leaderboard_arguments(parser)
    add = parser.add_argument
    add_scope_argument(parser)
    add("--seed", type=int, help="only runs with this seed; for the table litmus-standings")


def add_scope_argument(parser: ArgumentParser) -> None:
    text = "of litmus tests: whole, all or an own design"
    parser.add_argument("--scope", type=_design_or(SCOPES), default=LitmusFilter.scope, help=text)


def _add_leaderboard_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that both kinds of tables have."""
    add = parser.add_argument
    add("--organization", metavar="SLUG", help="default: the first of the site")
    add(
        "--variant",
        type=variant_argument,
        default=TableFilter.variant,
        help="prompt variant, such as main or your own main+concise",
    )
    add("--generator", choices=list(GENERATOR_LABELS), default=LeaderboardFilter.generator)
    add(
        "--mixed",
        action="store_const",
        const=1,
        default=0,
        help="pool runs of one agent that were played under different conditions",
    )
    add("--rows", nargs="+", choices=[kind.value for kind in Kind], metavar="KIND",
        help=f"some of {', '.join(Kind)}; default: as on the page")  # fmt: skip


def _design_or(names: Iterable[str]) -> Callable[[str], str]:
    """An argument type that accepts one of the names, or an own design."""

    def read(name: str) -> str:
        if name not in names and not is_design(name):
            raise ArgumentTypeError(f"{name!r} is not {', '.join(names)} or {DESIGN}SLUG of a design")
        return name

    return read


def variant_argument(name: str) -> str:
    """An argument type: a built-in variant of the benchmarks, or an own one. Raises ArgumentTypeError."""
    variants = [variant for variant, _ in variant_choices()]
    if name in variants or (texts_slug(name) and base_variant(name) in variant_names()):
        return name
    raise ArgumentTypeError(f"{name!r} is neither one of {', '.join(variants)} nor an own prompt such as main+concise")


def add_agent_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of tables of agents."""
    add = parser.add_argument
    add("--organization", metavar="SLUG", help="default: the first of the site")
    add("--environment", choices=list(ENVIRONMENTS), metavar="ENV", default="", help="default: all")


def check_agents(organization: Organization, slugs: Iterable[str]) -> None:
    """Exit with an error message if an agent is unknown."""
    existing_slugs = set(organization.agents.values_list("slug", flat=True))
    if unknown := [slug for slug in slugs if slug not in existing_slugs]:
        fail(f"There is no agent {unknown[0]}.")


def check_compared(organization: Organization, slugs: Sequence[str]) -> None:
    """Exit with an error message unless these are two to four known agents."""
    if not 2 <= len(slugs) <= MOST_AGENTS:
        fail(f"Name two to {MOST_AGENTS} agents.")
    if len(set(slugs)) < len(slugs):
        fail("Name each agent once.")
    check_agents(organization, slugs)


def agent_filter_from(options: dict[str, Any], kind: type[AgentFilter] = AgentFilter) -> AgentFilter:
    return kind(options["environment"], tuple(options["agent"]))


def table_filter_from(options: dict[str, Any], kind: type[TableFilter] = TableFilter) -> TableFilter:
    return kind(
        environments=tuple(options["environment"]),
        difficulties=tuple(options["difficulty"]),
        variant=options["variant"],
        periods=options["periods"],
        generator=options["generator"],
        rows=tuple(options["rows"] or kind.rows),
        agents=tuple(options["agent"]),
        mixed=options["mixed"],
    )


def hidden_words(hidden: Hidden) -> str:
    """A sentence about hidden runs, with the options that show most of them; empty if none are hidden."""
    group = hidden.largest
    if group is None:
        return ""
    if group.changes is None or not set(group.changes) <= set(OPTIONS):
        return hidden.sentence
    options = (
        f"{OPTIONS[name]} {_typed(value)}" if name != "mixed" else "--mixed" for name, value in group.changes.items()
    )
    return f"{hidden.sentence} Show the {group.runs:,} by {' '.join(options)}."


def _typed(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def litmus_filter_from(options: dict[str, Any], kind: type[LitmusFilter] = LitmusFilter) -> LitmusFilter:
    rows, agents = tuple(options["rows"] or kind.rows), tuple(options["agent"])
    variant = options["variant"] if texts_slug(options["variant"]) else LitmusFilter.variant
    own = {name: options[name] for name in ("scope", "seed") if name in options}
    return kind(
        rows=rows, agents=agents, generator=options["generator"], variant=variant, mixed=options["mixed"], **own
    )
