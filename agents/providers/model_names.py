"""Comparison of model ids. Providers often answer with a longer or shorter id than the requested one."""

import re

VENDORS = "anthropic|openai|google|xai|meta|mistral|deepseek|qwen|moonshotai|moonshot|zai|amazon|nvidia"
PREFIX = re.compile(rf"^(.*/)?((us|eu|apac|global)\.)?(({VENDORS})\.)?")
"""Prefix of a server or vendor, as in openai/gpt-5, models/gemini-2.5-pro or us.anthropic.claude-opus-4-5."""

SUFFIX = re.compile(
    r"""(
    :(latest|free|nitro|floor)               # tags of Ollama and OpenRouter
    | -v?\d+:\d+                             # versions of Bedrock: -v1:0
    | -20\d\d-?[01]\d-?[0-3]\d               # 2026-01-31, 20260131
    | -preview-[01]\d-(20\d\d|[0-3]\d)       # preview-05-20, preview-09-2025
    | -(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])  # 0613, a day
    | -2[3-9](0[1-9]|1[0-2])                 # 2512, a month
    | -(latest|preview|beta)
    | -0\d\d                                 # 001
    | -0                                     # claude-opus-4-0
    )$""",
    re.VERBOSE,
)
LATEST = re.compile(r"[-:]latest$")
NUMBER = re.compile(r"v?\d+")


def family(model: str) -> str:
    """The id without vendor, date and snapshot version: 'openai/gpt-4.1-2025-04-14' becomes 'gpt-4-1'."""
    name = re.sub(r"[._@]", "-", PREFIX.sub("", model.strip().lower()))
    while (shorter := SUFFIX.sub("", name)) != name and shorter:
        name = shorter
    return name


def same_family(requested_id: str, answered_id: str) -> bool:
    """Whether the model that answered may be the requested one. An empty id is unknown, so the result is True.

    An alias such as gemini-flash-latest matches any version: gemini-3.8-flash, but not gemini-3.5-flash-lite.
    """
    if not requested_id.strip() or not answered_id.strip() or family(requested_id) == family(answered_id):
        return True
    if not LATEST.search(requested_id.strip().lower()):
        return False
    alias, name = family(requested_id).split("-"), family(answered_id).split("-")
    return [word for word in name if not NUMBER.fullmatch(word)] == [
        word for word in alias if not NUMBER.fullmatch(word)
    ]
