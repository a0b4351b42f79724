"""Studies, and people who play by the forms of the pages."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.runs.episodes.conftest import prepare_episodes

CONSENT = "You make decisions. They are recorded."
DIFFICULTY = {
    "procurement": "BASIC",
    "scheduling": "BASIC",
    "pricing": "BASIC",
    "efficiency_vs_equality": "STANDARD",
    "patience_vs_impatience": "STANDARD",
    "collusiveness_vs_competitiveness": "STANDARD",
}
FIELD = re.compile(r'<(?:input|select)[^>]* name="(a\d+)"[^>]*>')
OPTION = re.compile(r'<option value="([^"]+)"')


@pytest.fixture
def study(owner):
    """Create a study; other values are fields of the model."""
    from pages.play.services.studies import study_create

    def create(environment="pricing", **values):
        usual = {
            "name": f"Pilot {environment}"[:50],
            "title": "A study of decisions",
            "difficulty": DIFFICULTY[environment],
        }
        usual |= {"seeds": "0", "periods": 3, "practice": 1, "consent": CONSENT}
        if environment == "collusiveness_vs_competitiveness":
            usual["rival"] = "collusion-best-response"
        return study_create(actor=owner, environment=environment, **usual | values)

    return create


@pytest.fixture
def link(owner):
    """The address of a new participant's link."""
    from pages.play.services.participants import participants_create

    def create(study, label=""):
        ((_, secret),) = participants_create(actor=owner, study=study, count=1, labels=[label] if label else [])
        return f"/p/{secret}/"

    return create


class Person:
    """A person with a browser and a link who fills in the forms of the page."""

    def __init__(self, address, client=None):
        self.address, self.client = address, client or Client()
        self.html = ""

    def open(self, part=""):
        answer = self.client.get(self.address + part, follow=True)
        self.html = answer.content.decode()
        return answer

    def send(self, part="", **data):
        answer = self.client.post(self.address + part, data, follow=True)
        self.html = answer.content.decode()
        return answer

    def agree(self, **more):
        return self.send("consent/", **more)

    def start(self):
        """Agree, play the practice round and begin."""
        self.agree()
        for period in range(10):
            if "Begin the game" in self.html:
                break
            self.send(f"practice/{period}/", **self.filled())
        return self.send("begin/")

    def names(self):
        return list(dict.fromkeys(FIELD.findall(self.html)))

    def filled(self, number="3"):
        """A valid value for each field of the page: a number, or options in turn."""
        table = self.html.partition('class="table fields')[2].partition("</table>")[0]
        values = {}
        for place, name in enumerate(dict.fromkeys(FIELD.findall(table))):
            select = re.search(rf'<select[^>]* name="{name}".*?</select>', table, re.DOTALL)
            if select:
                options = OPTION.findall(select[0])
                values[name] = options[place % len(options)]
            else:
                values[name] = (
                    "A"
                    if re.search(rf'type="radio"[^>]* name="{name}"|name="{name}"[^>]*type="radio"', table)
                    else number
                )
        return values

    def play(self, period, notes="", **values):
        return self.send(f"periods/{period}/", notes=notes, **(values or self.filled()))

    def text(self):
        return words_of(unescape(re.sub(r"<[^>]+>", " ", self.html)))


def words_of(text):
    """A text without its line breaks."""
    return " ".join(text.split())


@pytest.fixture
def prepared():
    """Compute the references that workers compute."""
    return prepare_episodes
