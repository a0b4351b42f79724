"""Payoffs of participants, the completion address, and the table of participants as files."""

import csv
import io
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from pages.play.models import Participant, Study
from pages.play.payoff import payoff_of
from runs.models import Run
from tests.pages.play.conftest import Person


@pytest.mark.parametrize(
    ("fee", "rate", "score", "payoff"),
    [
        ("2.50", "0", None, "2.50"),
        ("2.50", "0", -3.0, "2.50"),
        ("2.50", "0.1", 0.5, "7.50"),
        ("2.50", "0.1", 1.0, "12.50"),
        ("2.50", "0.1", -0.7, "2.50"),
        ("0", "0.0005", 0.1, "0.01"),
        ("0", "0.0005", 0.09, "0.00"),
        ("0", "1", 0.12345, "12.35"),
        ("1.00", "0.1", None, None),
    ],
)
def test_the_payoff_is_the_fee_and_the_rate_for_each_point_rounded_half_up(fee, rate, score, payoff):
    study = Study(fee=Decimal(fee), rate=Decimal(rate))
    assert payoff_of(study, score) == (None if payoff is None else Decimal(payoff))


@pytest.mark.sampled
@pytest.mark.parametrize("shown", [True, False])
def test_the_payoff_appears_only_at_the_end_of_studies_that_show_it(study, link, shown):
    person = Person(
        link(study(periods=2, fee=Decimal("1.00"), rate=Decimal("0.1"), currency="EUR", shows_payoff=shown))
    )
    person.start()
    person.play(0, a0="3")
    assert "payoff" not in person.text().lower() and "EUR" not in person.text()
    person.play(1, a0="3")
    told = f"Your payoff {payoff_of(Study.objects.get(), Run.objects.get().score)} EUR"
    assert (told in " ".join(person.text().replace(" .", ".").split())) is shown
    assert str(Run.objects.get().score)[:5] not in person.text()


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "//example.org/",
        "https:example.org",
        "https:///path",
        "ftp://example.org/",
        "https://{label}.example.org/",
        "https://{label}/",
        "https://example.org/a b",
        "https://example.org/\nSet-Cookie: a=b",
        "data:text/html,x",
    ],
)
def test_the_completion_address_must_be_https_with_its_own_host(study, address):
    with pytest.raises(ValidationError) as error:
        study(completion_url=address)
    assert "must begin with https:// and a site" in error.value.message_dict["completion_url"][0]


@pytest.mark.long
def test_the_label_in_the_completion_address_is_escaped(study, link):
    hostile = '//evil.example/?a=1&b#c"><script>%2f'
    ending = study(periods=1, completion_url="https://app.example.org/done?cc=DONE42&pid={label}")
    person = Person(link(ending, hostile))
    person.start()
    person.play(0, a0="3")
    href = person.html.partition('class="button primary large"')[2].partition('href="')[2].partition('"')[0]
    assert href == (
        "https://app.example.org/done?cc=DONE42&amp;pid=%2F%2Fevil.example%2F%3Fa%3D1%26b%23c%22%3E%3Cscript%3E%252f"
    )
    assert 'rel="noreferrer"' in person.html


@pytest.mark.long
def test_the_table_of_participants_has_labels_payoffs_and_times_but_no_formulas(study, link, page):
    paid = study(periods=1, fee=Decimal("1.00"), rate=Decimal("0.1"))
    labels = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", 'quote",comma', "plain"]
    people = [Person(link(paid, label)) for label in labels]
    for person in people[:2]:
        person.start()
    people[0].play(0, a0="3")
    people[2].agree()
    answer = page.get(f"/studies/{paid.pk}/participants.csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["label"] for row in rows] == [f"'{label}" for label in labels[:4]] + labels[4:]
    assert [row["state"] for row in rows] == ["Finished", "Playing", "Consented", "Invited", "Invited", "Invited"]
    run = Run.objects.get(state="finished")
    assert Decimal(rows[0]["payoff"]) == payoff_of(paid, run.score) and rows[0]["run"] == str(run.pk)
    assert float(rows[0]["score"]) == run.score and rows[0]["currency"] == "USD"
    moments = [rows[0][name] for name in ("consented_at", "begun_at", "ended_at")]
    assert moments == sorted(moments) and all(moments)
    assert [row["payoff"] for row in rows[1:]] == [""] * 5 and rows[3]["consented_at"] == ""
    as_json = page.get(f"/studies/{paid.pk}/participants.json").json()
    assert [row["label"] for row in as_json["rows"]] == labels
    assert Participant.objects.count() == 6


def test_links_are_exported_with_neutralised_labels(study, page):
    made = study()
    answer = page.post(f"/studies/{made.pk}/links/", {"count": 2, "labels": "=1+1\nplain", "file": "1"})
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["label"] for row in rows] == ["'=1+1", "plain"] and "no-store" in answer.headers["Cache-Control"]
    assert all(page.get(row["link"].partition("testserver")[2]).status_code == 200 for row in rows)
