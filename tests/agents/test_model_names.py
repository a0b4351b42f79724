"""Whether the model that answered is the requested model, by its id."""

import pytest

from agents.providers.model_names import same_family

SAME = [
    ("gpt-5", "gpt-5-2025-08-07"),
    ("gpt-5-2025-08-07", "gpt-5"),
    ("gpt-4o-2024-11-20", "gpt-4o-2024-08-06"),
    ("openai/gpt-4.1", "gpt-4.1-2025-04-14"),
    ("gpt-4-turbo-preview", "gpt-4-turbo"),
    ("gpt-4", "gpt-4-0613"),
    ("claude-opus-4-5", "claude-opus-4-5-20251101"),
    ("anthropic/claude-opus-5.5", "claude-opus-5-5"),
    ("anthropic.claude-opus-5-5", "claude-opus-5-5"),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"),
    ("claude-opus-4-5@20251101", "claude-opus-4-5"),
    ("claude-sonnet-4-0", "claude-sonnet-4-20250514"),
    ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
    ("models/gemini-2.5-pro", "gemini-2.5-pro"),
    ("gemini-2.5-flash-preview-05-20", "gemini-2.5-flash"),
    ("gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
    ("gemini-1.5-pro", "gemini-1.5-pro-002"),
    ("gemini-3-pro-preview", "gemini-3-pro"),
    ("gemini-flash-latest", "gemini-3.8-flash"),
    ("grok-3-beta", "grok-3"),
    ("grok-4", "grok-4-0709"),
    ("mistral-large-latest", "mistral-large-2512"),
    ("mistral-large-latest", "mistral-large-4"),
    ("kimi-k2-0905-preview", "kimi-k2"),
    ("deepseek/deepseek-v4-pro:free", "deepseek-v4-pro"),
    ("llama3", "llama3:latest"),
    ("GLM-5.3", "glm-5.3"),
    ("/models/house.gguf", "/models/house.gguf"),
    ("gpt-6-luna", ""),
    ("", "gpt-6-luna"),
    (" gpt-6-luna ", "gpt-6-luna"),
]
OTHERS = [
    ("gemini-2.5-flash", "gemini-3.5-flash-lite"),
    ("gemini-2.5-pro", "gemini-3.8-flash"),
    ("gemini-flash-latest", "gemini-3.5-flash-lite"),
    ("gemini-2.5-flash", "gemini-2.5-flash-lite"),
    ("gpt-4o", "gpt-4o-mini"),
    ("gpt-4", "gpt-4.1"),
    ("gpt-5", "gpt-5.1"),
    ("gpt-6.2-sol", "gpt-6.2-astra"),
    ("gpt-6.2-sol", "gpt-6.1-sol"),
    ("claude-opus-5-5", "claude-opus-5"),
    ("claude-opus-4-5", "claude-opus-4-1-20250805"),
    ("claude-fable-5-2", "claude-fable-5-1"),
    ("claude-sonnet-5-5", "claude-opus-5-5"),
    ("grok-3-beta", "grok-4.3"),
    ("grok-4.7", "grok-4"),
    ("deepseek-v3.2-exp", "deepseek-v3.2"),
    ("llama3:8b", "llama3:70b"),
    ("llama3-70b-8192", "llama3-70b"),
    ("kimi-k3.1-pro", "kimi-k3"),
    ("my-deployment", "gpt-4.1-2025-04-14"),
    ("one.gguf", "another.gguf"),
]


@pytest.mark.parametrize(("asked", "answered"), SAME)
def test_vendors_dates_and_aliases_do_not_make_another_model(asked, answered):
    assert same_family(asked, answered)


@pytest.mark.parametrize(("asked", "answered"), OTHERS)
def test_another_size_version_or_maker_is_another_model(asked, answered):
    assert not same_family(asked, answered)
    assert not same_family(answered, asked)
