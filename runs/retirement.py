"""When makers retire models. A retired model is not launched any more; its runs and results stay."""

from dataclasses import dataclass
from datetime import date, timedelta

from runs.catalog import address_of, catalog, is_at_maker, maker_url, today
from runs.models import Agent

WARNED_BEFORE = timedelta(days=60)


@dataclass(frozen=True)
class Retirement:
    """The retirement of an agent's model, seen on a day.

    replaced_by: id of its successor
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
        date_words, successor = f"{self.retires_on:%-d %B %Y}", f"its successor is {self.replaced_by}"
        if self.is_retired:
            return f"Retired on {date_words}; {successor}."
        if not self.warns:
            return ""
        verb = "Was" if self.retires_on <= self.day else "Will be"
        return f"{verb} retired by its maker on {date_words}; {successor}. {self.doubt}".strip()


def retirement_of(agent: Agent, day: date | None = None) -> Retirement | None:
    """When the model of an agent is retired; None if no date is known. day: by default today, in UTC

    The date is the catalog's. A date that the maker's server reports for this agent would be read here too.
    """
    if agent.endpoint is None:
        return None
    address = address_of(agent.provider, agent.endpoint.base_url)
    asked = agent.model.strip().rpartition("/")[2]
    for row in catalog()["llms"]:
        is_model = asked in (row["model"], *row.get("aliases", ()))
        # Without its date the id may stand for this snapshot or for another.
        if row["retires_on"] and asked and (is_model or row["model"].startswith(f"{asked}-20")):
            doubt = ""
            if not is_at_maker(address, maker_url(row["provider"])):
                doubt = "Another server may keep it longer, so this agent can still be launched."
            elif not is_model:
                doubt = f"{asked} may stand for another snapshot, so this agent can still be launched."
            retires_on = date.fromisoformat(row["retires_on"])
            return Retirement(retires_on, row["replaced_by"], doubt, day or today())
    return None


def launch_error(agent: Agent) -> str:
    """Why an agent cannot be launched, in one sentence; empty if it can."""
    retirement = retirement_of(agent)
    if retirement is None or not retirement.is_retired:
        return ""
    return (
        f"{agent.name} cannot be launched, because its model was retired on {retirement.retires_on:%-d %B %Y}; "
        f"the successor is {retirement.replaced_by}."
    )
