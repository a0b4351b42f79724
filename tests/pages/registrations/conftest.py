"""Small studies of baselines, registered and played."""

import pytest

from tests.api.conftest import program  # noqa: F401

STUDY = """\
title: Does a constant price beat chance?
authors: [Ada]
hypotheses: [A constant price earns more than random prices.]
launches:
  - {environments: [pricing], difficulties: [BASIC], seeds: 0-5, agents: [random, pricing-constant], periods: 3}
questions:
  - name: constant beats random
    kind: compare
    agents: [random, pricing-constant]
    environments: [pricing]
    difficulties: [BASIC]
    direction: second-higher
    instances: 6
  - {name: level, kind: mean, agents: [random], environments: [pricing], difficulties: [BASIC], instances: 6}
"""


@pytest.fixture
def register(organization, alice):
    """Register a study; `launched=False` makes no launch."""

    def register(text=STUDY, *, launched=True):
        from pages.registrations.file import read_study
        from pages.registrations.services import launches_make, study_check, study_register

        where = {"organization": organization, "user": alice}
        checked = study_check(file=read_study(text.encode()), **where)
        registration = study_register(checked=checked, **where)
        if launched:
            launches_make(registration=registration, user=alice)
        return registration

    return register


@pytest.fixture
def complete(register):
    """A registration whose runs were played to their ends."""
    registration = register()
    play(registration)
    return registration


def play(registration):
    from pages.registrations.selectors import runs_of
    from tests.cast import play_to_the_end

    for run_id in runs_of(registration).filter(state="queued").values_list("pk", flat=True):
        play_to_the_end(run_id)


def differing(path):
    """The parts of an archive that a reproduction finds to differ."""
    from pages.registrations.archive.reading import read_archive
    from pages.registrations.archive.reproducing import findings_of
    from workspace.transfer.reading.sources import opened

    with opened(path) as source:
        return [finding.part for finding in findings_of(read_archive(source)) if not finding.is_same]
