"""The report of a registration: the registered answers first, everything else under the heading Exploratory."""

from django.utils.html import format_html

from infrastructure.text.tables import Table
from pages.registrations.evidence.answering import answers_of
from pages.registrations.evidence.deviations import deviations_of
from pages.registrations.evidence.tables import answers_table, costs_table, deviations_table, scores_table
from pages.registrations.models import Registration
from pages.registrations.selectors import evidence_of, runs_of
from pages.reports.contents import strips
from pages.reports.parts import COMPARING, Report, ReportSection, facts, scores_of, statistics, versions
from pages.reports.runs import about_runs, cost, states
from runs.models import Experiment
from runs.selectors.cells import environment_order


def numbers_of(answers: Table) -> Table:
    """The table of answers without its last column, the sentences, which the report shows above it."""
    return Table(answers.title, answers.columns[:-1], [row[:-1] for row in answers.rows])


def registration_report(registration: Registration, made_by: str) -> Report:
    """The report of a complete registration. Figures take most of the time."""
    evidence = evidence_of(registration)
    answers = answers_of(evidence)
    deviations = deviations_of(evidence, answers)
    runs = runs_of(registration)
    environments = sorted({run.environment for run in evidence.runs}, key=environment_order)
    experiments = Experiment.objects.filter(registered__registration=registration).order_by("pk")
    return Report(
        title=registration.title,
        facts=[
            ("Registered", f"{registration.registered_at:%-d %B %Y, %H:%M} UTC by {evidence.registered_by}"),
            ("SHA-256 of the file", registration.sha256),
            ("Runs", states(runs)),
            ("Cost", cost(runs)),
            *facts(made_by),
        ],
        answers=[f"{answer.heading}: {answer.sentence}" for answer in answers],
        sections=[
            ReportSection(
                "Registered questions", evidence.study.hypotheses, tables=[numbers_of(answers_table(answers))]
            ),
            ReportSection(
                "Deviations from the registration",
                [] if deviations else ["None: every run was played and analysed as registered."],
                tables=[deviations_table(deviations)],
            ),
            ReportSection("Registered file", methods=[format_html("<pre>{}</pre>", registration.text)]),
            ReportSection(
                "Exploratory",
                ["Nothing below was registered as a question. It can suggest hypotheses and tests none."],
                figures=[figure for experiment in experiments for figure in strips(experiment)],
                tables=[scores_table(evidence), costs_table(evidence)],
            ),
            ReportSection("Methods", methods=[statistics(COMPARING), scores_of(environments)]),
            *about_runs(runs),
            ReportSection("Versions", tables=[versions()]),
        ],
    )
