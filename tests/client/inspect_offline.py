"""Runs Inspect's own `eval` with its mock model; Inspect's environment runs this file, not that of the tests.

python -m tests.client.inspect_offline FOLDER JSON, where JSON maps tasks to their options, such as
{"econevals/pricing": {"seeds": "0-1"}}. Writes the logs into FOLDER and prints one JSON object for each task.
"""

import json
import sys

from inspect_ai import eval as inspect_eval
from inspect_ai._util.registry import registry_lookup
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageTool,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall

from tests.scripted_player import ScriptedPlayer

player = ScriptedPlayer()


def outputs(messages, tools, tool_choice, config):
    """The scripted player's answer. It reads the wire format of OpenAI."""
    body = {
        "messages": [_message(message) for message in messages],
        "tools": [{"function": {"name": tool.name}} for tool in tools],
    }
    answer = player("openai", body, {})
    count = sum(message.role == "assistant" for message in messages)
    calls = [ToolCall(f"call_{count}_{i}", name, arguments) for i, (name, arguments) in enumerate(answer.calls)]
    message = ChatMessageAssistant(content=answer.text, tool_calls=calls, model="mockllm/model")
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
    assert tool_choice == ("any" if tools else "none"), tool_choice
    return ModelOutput(model="mockllm/model", choices=[choice], usage=ModelUsage(input_tokens=1, output_tokens=1))


def _message(message):
    if isinstance(message, ChatMessageTool):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    made = message.tool_calls or () if isinstance(message, ChatMessageAssistant) else ()
    return {
        "role": message.role,
        "content": message.text,
        "tool_calls": [{"id": call.id, "function": {"name": call.function}} for call in made],
    }


def main(folder, tasks):
    for name, options in tasks.items():
        task = registry_lookup("task", name)(**options)
        (log,) = inspect_eval(
            task,
            model=get_model("mockllm/model", custom_outputs=outputs, memoize=False),
            log_dir=folder,
            display="none",
        )
        if log.status != "success":
            print(log.error, file=sys.stderr)
        print(
            json.dumps(
                {
                    "task": log.eval.task,
                    "status": log.status,
                    "log": log.location,
                    "runs": {
                        sample.id: {
                            "score": sample.scores["score"].value,
                            "periods": sample.metadata["periods"],
                            "error": sample.error and sample.error.message,
                            "model_calls": sum(event.event == "model" for event in sample.events),
                        }
                        for sample in log.samples or ()
                    },
                }
            )
        )


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
