"""Comparisons of an organization's agents. One query."""

from accounts.models import Organization
from analysis.benchmark.filters import TableFilter
from analysis.boards import benchmark_records
from analysis.comparing.comparison import MOST_AGENTS, Comparison, compare


def comparisons_of(*, organization: Organization, chosen: TableFilter) -> list[Comparison]:
    """Comparisons of the first MOST_AGENTS chosen agents, in the chosen order; none for fewer than two."""
    agents = chosen.agents[:MOST_AGENTS]
    if len(agents) < 2:
        return []
    records = benchmark_records(organization=organization, table_filter=chosen)
    by_slug = {record.agent_slug: record for record in records}
    names = {by_slug[slug].agent_id: by_slug[slug].agent_name for slug in agents if slug in by_slug}
    return compare(records, names, chosen.environments, chosen.difficulties)
