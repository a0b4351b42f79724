from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from accounts.models import Organization
from analysis.base.benchmark_filters import CompareFilter, environment_title
from analysis.base.hidden import Hidden
from analysis.base.litmus_filters import CompareLitmusFilter
from analysis.base.matching import Match
from analysis.comparing.comparison import Agents, Comparison, over_environments
from analysis.comparing.selectors import comparisons_of
from analysis.comparing.sentences import sentence
from analysis.hidden import hidden_runs
from api.management import filters
from api.schemas.leaderboards.comparisons import ComparisonsOut
from api.schemas.leaderboards.hidden import HiddenOut
from environments.registry import LITMUS_TESTS
from infrastructure.commands import QuickCommand
from runs.management.launches import add_json_argument, fail, print_json


class Command(QuickCommand):
    help = (
        "Compare two to four agents over the instances that they have in common. The JSON is as in the REST API. "
        "With --a and --b, the command makes one comparison over all environments, and its JSON has scores from 0 to 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("named", nargs="*", metavar="SLUG", help="slugs of the agents, if --agent is left out")
        parser.add_argument("--a", metavar="SLUG", help="slug of the first of two agents")
        parser.add_argument(
            "--b", metavar="SLUG", help="slug of the second agent; differences are its score minus that of --a"
        )
        parser.add_argument("--litmus", action="store_true", help="compare all litmus tests")
        filters.add_filter_options(parser, CompareLitmusFilter, CompareFilter)
        add_json_argument(parser)

    def handle(self, *, organization: str | None, json: bool, **options: Any) -> None:
        owner = filters.owner_from(organization)
        compares_two = options["a"] is not None or options["b"] is not None
        if compares_two:
            if options["agents"] or options["named"] or None in (options["a"], options["b"]):
                fail("Name two agents by --a and --b, or two to four by --agent.")
            options["named"] = [options["a"], options["b"]]
        options["agents"] = [*(options["agents"] or ()), *options["named"]]
        comparisons, hidden = _comparisons(owner, options)
        overall = _overall(owner, options["a"], options["b"], comparisons) if compares_two else None
        if json:
            print_json(
                _overall_json(options, overall, comparisons, hidden)
                if overall
                else ComparisonsOut.values(comparisons, hidden)
            )
            return
        lines = [
            f"{environment_title(comparison.environment)}: {sentence(comparison, hidden.total)}"
            for comparison in comparisons
        ] or ["Fewer than two of these agents have a finished run that matches."]
        if overall and comparisons:
            lines = [sentence(overall, hidden.total)]
        self.stdout.write("\n".join([*lines, *filter(None, [filters.hidden_words(hidden)])]))


def _comparisons(owner: Organization, options: dict[str, Any]) -> tuple[list[Comparison], Hidden]:
    """The comparisons, and the runs of the compared agents that the filters hide."""
    environments = options.pop("environments") or ()
    tests = tuple(test for test in LITMUS_TESTS if test in environments)
    if tests and len(tests) < len(set(environments)):
        fail("Compare benchmarks and litmus tests apart, since their scores mean different things.")
    if not tests and not options["litmus"]:
        table_filter = filters.filter_from(owner, CompareFilter, options | {"environments": environments})
        comparisons = comparisons_of(organization=owner, run_filter=table_filter)
        return comparisons, hidden_runs(organization=owner, run_filter=table_filter)
    litmus_filter, tests = filters.filter_from(owner, CompareLitmusFilter, options), tests or LITMUS_TESTS
    comparisons = comparisons_of(organization=owner, run_filter=litmus_filter, tests=tests)
    return comparisons, hidden_runs(organization=owner, run_filter=litmus_filter, tests=tests)


def _overall(owner: Organization, a: str, b: str, comparisons: Sequence[Comparison]) -> Comparison:
    """One comparison of the two agents over all environments."""
    rows = {agent.slug: agent for agent in owner.agents.filter(slug__in=(a, b))}
    return over_environments(Agents(rows[a].pk, rows[b].pk, rows[a].name, rows[b].name), comparisons)


def _overall_json(
    options: dict[str, Any], overall: Comparison, comparisons: Sequence[Comparison], hidden: Hidden
) -> dict[str, Any]:
    """The comparison over all environments as JSON. Scores and differences are shares of 1."""
    numbers = overall.paired
    matches = [_match(comparison.environment, match) for comparison in comparisons for match in comparison.matches]
    return {
        "a": options["a"],
        "b": options["b"],
        "instances": numbers.n,
        "pairs": [match for match in matches if None not in match.values()],
        "only_a": [match for match in matches if match["b"] is None],
        "only_b": [match for match in matches if match["a"] is None],
        "mean_difference": _share(numbers.difference),
        "interval": numbers.interval and [end / 100 for end in numbers.interval],
        "p_sign_flip": numbers.p,
        "exact": numbers.exact,
        "p_wilcoxon": numbers.wilcoxon_p,
        "p_holm": overall.adjusted_p,
        "minimum_detectable_difference": _share(numbers.detectable),
        "instances_needed": None,
        "sentence": sentence(overall, hidden.total),
        "effect": overall.effect and asdict(overall.effect),
        "missing": overall.extremes.instances if overall.extremes else 0,
        "worst": overall.extremes and _extreme(overall.extremes.worst),
        "best": overall.extremes and _extreme(overall.extremes.best),
        "depends_on_missing": overall.depends_on_missing,
    } | ({"hidden": HiddenOut.values(hidden) | {"sentence": filters.hidden_words(hidden)}} if hidden.total else {})


def _match(environment: str, match: Match) -> dict[str, Any]:
    scores = {name: _share(side.score if side else None) for name, side in (("a", match.first), ("b", match.second))}
    return {"environment": environment, "difficulty": match.difficulty, "seed": match.seed} | scores


def _extreme(numbers: tuple[float, float]) -> dict[str, float | None]:
    return {"mean_difference": _share(numbers[0]), "p_sign_flip": numbers[1]}


def _share(points: float | None) -> float | None:
    return None if points is None else points / 100
