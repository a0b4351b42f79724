"""The scripted player as a model of the pure loop: through Messages or Chat Completions, without a server."""

import json

from agents.episode import play
from agents.llm import Usage
from agents.providers.client import Client
from agents.providers.formats.wire_format import Plan
from environments.registry import ENVIRONMENTS
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import content_of


class ScriptedModel:
    """Answers as the stub provider does with the same script, and counts calls and tokens as it does."""

    def __init__(self, options, script=None):
        self.wire = "anthropic" if options.provider == "anthropic" else "openai"
        self.client = Client(options, "", wire={"anthropic": "messages", "openai": "chat"}[self.wire])
        self.script = script or ScriptedPlayer()
        self.calls = 0
        self.usage = Usage()

    def query(self, request):
        wire = self.client.format_of(self.client.learned)
        body, _ = wire.body(Plan(request, self.client.options))
        answer = self.script(self.wire, body, {})
        reply = wire.read(json.loads(content_of(self.wire, body, answer)), request)
        self.calls += 1
        self.usage = Usage(
            input_tokens=self.usage.input_tokens + reply.usage.input_tokens,
            output_tokens=self.usage.output_tokens + reply.usage.output_tokens,
        )
        return reply


def play_run(instance, model, **options):
    """Play a run in which every seat is the model's; options as of `Environment`."""
    return play(ENVIRONMENTS[instance.environment](instance, **options), lambda seat, period: model)
