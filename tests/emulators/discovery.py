"""What the makers say about their models: GET on one model or all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.emulators.model import Model
from tests.emulators.rules import Refused

if TYPE_CHECKING:
    from tests.emulators.server import Emulator

EFFORTS = ("low", "medium", "high", "xhigh", "max")
THINKING = ("adaptive", "enabled", "disabled", "between_tools")
SUPPORTED = ("batch", "citations", "code_execution", "image_input", "pdf_input", "structured_outputs")
MODELS = re.compile(r"/models(?:/(?P<id>.+))?$")


def page(emulator: Emulator, method: str, path: str, headers: dict[str, str]) -> tuple[int, Any]:
    """The answer to a request that asks no model."""
    address = MODELS.search(path) if method == "GET" else None
    maker = emulator.model.maker
    if address is None:
        return 404, Refused(f"Invalid URL ({method} {path})", status=404).body(maker)
    native = "/v1beta/models" in path
    if address["id"] is None:
        listed = [described(model, native=native) for model in emulator.models.values()]
        return 200, {"models": listed} if native else {"object": "list", "data": listed, "has_more": False}
    # Routers and vLLM have cards only in their list.
    model = None if maker in ("openrouter", "vllm") else emulator.models.get(address["id"])
    if model is None or (model.maker != "anthropic" and model.at(emulator.today) is not model):
        said = f"model: {address['id']}" if maker == "anthropic" else f"The model '{address['id']}' does not exist"
        return 404, Refused(said, status=404, code="model_not_found").body(maker)
    return 200, described(model, native=native)


def described(model: Model, *, native: bool) -> dict:
    """A model as its maker describes it; `native` in Gemini's own interface."""
    if native:
        limits = {"inputTokenLimit": model.max_input, "outputTokenLimit": model.max_output}
        return {"name": f"models/{model.id}", **limits, "thinking": model.reasons}
    match model.maker:
        case "anthropic":
            return _anthropic(model)
        case "openrouter":
            accepted = ["tools", "reasoning", "max_tokens", *(["tool_choice"] if model.forced != "no" else [])]
            return {
                "id": model.id,
                "supported_parameters": accepted,
                "context_length": model.context or model.max_input,
            }
        case "vllm":
            return {"id": model.id, "object": "model", "max_model_len": model.context or model.max_input}
    card = {"id": model.id, "object": "model", "created": 0, "owned_by": model.maker}
    return card | ({"shutdown_date": model.shutdown_date or None} if model.maker == "openai" else {})


def _anthropic(model: Model) -> dict:
    types = model.thinking.types if model.thinking else ()
    efforts = {effort: {"supported": effort in model.efforts} for effort in EFFORTS}
    return {
        "id": model.id,
        "type": "model",
        "display_name": model.id,
        "created_at": f"{model.created}T00:00:00Z",
        "lifecycle": model.lifecycle,
        "retires_at": f"{model.shutdown_date}T00:00:00Z" if model.shutdown_date else None,
        "max_input_tokens": model.max_input,
        "max_tokens": model.max_output,
        "capabilities": {
            **{name: {"supported": True} for name in SUPPORTED},
            "context_management": {"supported": False},
            "server_tools": {name: {"supported": False} for name in ("code_execution", "web_search")}
            | {"supported": False},
            "effort": {"supported": bool(model.efforts), **efforts},
            "thinking": {
                "supported": True,
                "types": {kind: {"supported": kind in types} for kind in THINKING},
            },
        },
    }
