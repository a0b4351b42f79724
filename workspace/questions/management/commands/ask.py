import time
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError

from infrastructure.claims import JobState
from infrastructure.commands import QuickCommand
from infrastructure.money import nano
from infrastructure.text.formats import money
from runs.launching.plan import LaunchError, parse_seeds
from runs.management.launches import add_json_argument, default_organization, fail, organization_named, print_json
from runs.selectors.answering import answering_agents
from runs.watching import worker_is_up
from workspace.questions.estimating import QuestionEstimate, question_estimate
from workspace.questions.models import Question, Source
from workspace.questions.selectors import findings_of, limits_of, question_json, runs_by_number
from workspace.questions.services import question_ask
from workspace.questions.work import ANSWERS

LOOK_SECONDS = 1.0


class Command(QuickCommand):
    help = "Ask a question over transcripts. Prints the estimate; --yes asks. Exit code 1 if the question fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("question", metavar="QUESTION")
        add("--runs", required=True, help="numbers of runs, such as 12,15-18")
        add("--sources", nargs="+", choices=Source.values, default=[Source.NOTES.value, Source.ACTIONS.value])
        add("--agent", metavar="SLUG", help="whose model answers; default: search the notes by likeness")
        add("--budget", type=float, metavar="USD", help="the most that all calls may cost")
        add("--yes", action="store_true", help="ask, and do not only print the estimate")
        add("--organization", metavar="SLUG", help="default: the first of the site")
        add_json_argument(parser)

    def handle(self, *, organization: str | None, json: bool, **options: Any) -> None:
        owner = organization_named(organization) if organization else default_organization()
        agent = answering_agents(organization=owner).filter(slug=options["agent"]).first() if options["agent"] else None
        if options["agent"] and agent is None:
            fail(f"There is no agent {options['agent']} with a model.")
        try:
            runs = runs_by_number(organization=owner, numbers=parse_seeds(options["runs"]))
            if agent and not options["yes"]:
                self._estimate(question_estimate(runs, options["sources"], agent))
                return
            question = question_ask(
                organization=owner,
                user=None,
                text=options["question"],
                runs=runs,
                sources=options["sources"],
                agent=agent,
                budget_nano=nano(options["budget"]),
            )
        except LaunchError:
            fail("Write numbers of runs, such as 12,15-18.")
        except ValidationError as error:
            fail(error.messages[0])
        self._wait(question)
        if json:
            print_json(question_json(question))
        else:
            self._print(question)
        if question.state != JobState.DONE:
            raise SystemExit(1)

    def _estimate(self, estimate: QuestionEstimate) -> None:
        cost = " to ".join(money(amount) for amount in estimate.cost_nano[::2]) if estimate.cost_nano else "unknown"
        self.stdout.write(f"{estimate.sentence} Cost: {cost}. {estimate.basis}\nAdd --yes to ask.")

    def _wait(self, question: Question) -> None:
        while question.is_working:
            # If there is no worker, this process answers the question.
            if worker_is_up() or not ANSWERS.work_next():
                time.sleep(LOOK_SECONDS)
            question.refresh_from_db()

    def _print(self, question: Question) -> None:
        result = question.result_left
        if result is None:
            self.stdout.write(question.problem or "The question was cancelled.")
            return
        by = f"Answered by {question.agent_name}, not part of any score." if question.is_by_model else "By likeness."
        self.stdout.write("\n".join(filter(None, (by, result["answer"], *limits_of(question, result)))))
        for finding in findings_of(question):
            quotes = [f"  run {quote.run}, period {quote.period}: {quote.text}" for quote in finding.quotes]
            self.stdout.write("\n".join(filter(None, (finding.claim, *quotes))))
