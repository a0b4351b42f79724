"""When makers retire models. A retired model is not launched any more; its runs and results stay."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from runs.catalog import address_of, catalog, is_at_maker, maker_url, today
from runs.models import Agent

WARNED_BEFORE = timedelta(days=60)


@dataclass(frozen=True)
class Retirement:
    """The retirement of an agent's model, seen on a day.

    replaced_by: id of its successor, empty if it is not known
    doubt: why the agent may play on all the same, in a sentence; empty if it calls this very model at its maker
    """

    retires_on: date
    replaced_by: str
    doubt: str
    day: date

    @property
    def is_retired(self) -> bool:
        return not self.doubt and self.retires_on <= self.day

    @property
    def warns(self) -> bool:
        """Whether the agent can still be launched while its model's date is near or past."""
        return not self.is_retired and self.day >= self.retires_on - WARNED_BEFORE

    @property
    def sentence(self) -> str:
        """For pages and the API; empty while the date is far away."""
        date_words, successor = f"{self.retires_on:%-d %B %Y}", self.successor("its")
        if self.is_retired:
            return f"Retired on {date_words}{successor}."
        if not self.warns:
            return ""
        verb = "Was" if self.retires_on <= self.day else "Will be"
        return f"{verb} retired by its maker on {date_words}{successor}. {self.doubt}".strip()

    def successor(self, article: str) -> str:
        """The end of a sentence; empty if the successor is not known."""
        return f"; {article} successor is {self.replaced_by}" if self.replaced_by else ""


def retirement_of(agent: Agent, day: date | None = None) -> Retirement | None:
    """When the model of an agent is retired; None if no date is known. day: by default today, in UTC

    The date is that of the maker's model card, as the last connection test read it, else the catalog's.
    """
    if agent.endpoint is None:
        return None
    model = agent.model.strip().rpartition("/")[2]
    # Without its date the id may stand for this snapshot or for another.
    rows = (row for row in catalog()["llms"] if model and row["retires_on"] and _names(row, model))
    row: dict[str, Any] = next(rows, {"retires_on": None, "replaced_by": ""})
    doubt = ""
    if stated := agent.learned.get("retires_on"):
        row = row | {"retires_on": stated}
    elif row["retires_on"] is None:
        return None
    elif not is_at_maker(address_of(agent.provider, agent.endpoint.base_url), maker_url(row["provider"])):
        doubt = "Another server may keep it longer, so this agent can still be launched."
    elif model not in (row["model"], *row.get("aliases", ())):
        doubt = f"{model} may stand for another snapshot, so this agent can still be launched."
    return Retirement(date.fromisoformat(row["retires_on"]), row["replaced_by"], doubt, day or today())


def _names(row: Mapping[str, Any], model: str) -> bool:
    return model in (row["model"], *row.get("aliases", ())) or str(row["model"]).startswith(f"{model}-20")


def launch_error(agent: Agent) -> str:
    """Why an agent cannot be launched, in one sentence; empty if it can."""
    retirement = retirement_of(agent)
    if retirement is None or not retirement.is_retired:
        return ""
    return (
        f"{agent.name} cannot be launched, because its model was retired on {retirement.retires_on:%-d %B %Y}"
        f"{retirement.successor('the')}."
    )
