from argparse import ArgumentParser
from collections import Counter
from dataclasses import asdict
from typing import Any

from agents.checks.checking import NOT_HELD, Finding
from agents.llm import ProviderFatal
from agents.providers.learned import WIRE_NAMES
from infrastructure.money import usd
from infrastructure.text.formats import money
from runs.launching.adhoc import agent_from_text
from runs.management import launches
from runs.management.provider_checks import MOST_OUTPUT, Trial
from runs.models import Agent


class Command(launches.PlainCommand):
    help = (
        "Play two periods with a model and a real API key. Then check each of our statements about its provider's "
        "interface. The exit code is 1 if a statement does not hold."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("agent", metavar="AGENT", help="slug of an agent, or PROVIDER:MODEL[@BASE_URL]")
        parser.add_argument("--budget", required=True, metavar="USD", help="maximum cost of all calls in US dollars")
        parser.add_argument(
            "--organization", metavar="SLUG", help="slug of the organization; default: the site's first"
        )
        parser.add_argument(
            "--api-key-env", default="", metavar="NAME", help="environment variable with a new agent's API key"
        )
        launches.add_json_argument(parser)

    def handle(self, **options: Any) -> None:
        budget = launches.nano_from(options["budget"], "--budget") or 0
        try:
            trial = Trial(_agent(options), budget)
        except ProviderFatal as error:
            launches.fail(error.reason)
        findings = []
        for finding in trial.findings():
            findings.append(finding)
            if not options["json"]:
                self.stdout.write(_lines(finding))
                self.stdout.flush()
        self._conclude(trial, findings, as_json=options["json"])
        if any(finding.verdict == NOT_HELD for finding in findings):
            raise SystemExit(1)

    def _conclude(self, trial: Trial, findings: list[Finding], *, as_json: bool) -> None:
        interface, learned = WIRE_NAMES[trial.wire], trial.client.learned.sentences
        verdicts = Counter(finding.verdict for finding in findings)
        counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
        self.report(
            {
                "agent": trial.agent.slug,
                "interface": interface,
                "cost_usd": usd(trial.calls.spent),
                "learned": learned,
                "statements": [asdict(finding) for finding in findings],
            },
            f"\n{interface} interface: {counts}. It cost {money(trial.calls.spent)}.",
            f"Replies had at most {trial.calls.agent.max_tokens or MOST_OUTPUT:,} tokens.",
            "\n".join(learned),
            as_json=as_json,
        )


def _agent(options: dict[str, Any]) -> Agent:
    organization = (
        launches.organization_named(options["organization"])
        if options["organization"]
        else launches.default_organization()
    )
    agent = agent_from_text(options["agent"], organization, options["api_key_env"])
    if agent.endpoint is None:
        launches.fail(f"{agent.name} is a baseline; it has no provider.")
    if not agent.is_priced:
        launches.fail(
            f"No price is known for {agent.name}, so no budget can be kept. Enter its prices, 0 for your own server."
        )
    return agent


def _lines(finding: Finding) -> str:
    explanation = f"\n{'':12}{finding.words}" if finding.words else ""
    return f"{finding.verdict:<12}{finding.statement}{explanation}"
