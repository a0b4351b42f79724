"""Checks of the tools of a request, and of what demands a call, in the two forms of OpenAI."""

from __future__ import annotations

from tests.emulators.rules import TOOL_NAME, Asked, Refused


def check_functions(functions: list[tuple[str, object]], *, strict_by_default: bool) -> list[str]:
    """The names of functions, each given with its path in the request. Raises Refused."""
    names: list[str] = []
    for path, function in functions:
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise Refused(
                f"Missing required parameter: '{path}.name'.", param=f"{path}.name", code="missing_required_parameter"
            )
        name, schema = function["name"], function.get("parameters")
        if not TOOL_NAME.fullmatch(name):
            raise Refused(f"Invalid '{path}.name': string does not match pattern.", param=f"{path}.name")
        if name in names:
            raise Refused(f"Duplicate tool name: '{name}'.", param=path)
        if schema is not None and (not isinstance(schema, dict) or schema.get("type") != "object"):
            raise _bad_schema(name, path, "schema must be of type 'object'")
        if strict_by_default if function.get("strict") is None else function["strict"]:
            _check_strict(name, path, schema or {"type": "object"})
        names.append(name)
    return names


def _check_strict(name: str, path: str, schema: dict) -> None:
    properties = schema.get("properties", {})
    optional = sorted(set(properties) - set(schema.get("required", ())))
    if optional:
        raise _bad_schema(name, path, f"'required' must include every key in properties. Missing '{optional[0]}'")
    if properties and schema.get("additionalProperties") is not False:
        raise _bad_schema(name, path, "'additionalProperties' is required to be supplied and to be false")


def _bad_schema(name: str, path: str, reason: str) -> Refused:
    return Refused(
        f"Invalid schema for function '{name}': {reason}.",
        param=f"{path}.parameters",
        code="invalid_function_parameters",
    )


def forced_by(asked: Asked, names: list[str], thinks: bool, *, flat: bool) -> str:
    """What `tool_choice` demands: "", "any" or the name of a tool. Raises Refused.

    flat: whether the name of the tool stands beside the type (Responses) or in an object of its own (Chat)
    """
    choice = asked.body.get("tool_choice")
    if choice is None:
        return ""
    if not names:
        raise Refused("'tool_choice' is only allowed when 'tools' are specified.", param="tool_choice")
    if isinstance(choice, dict):
        holder = choice if flat else choice.get("function")
        forced = holder.get("name") if isinstance(holder, dict) else None
        if choice.get("type") != "function" or not isinstance(forced, str):
            raise Refused("Unknown parameter: 'tool_choice.function'.", param="tool_choice")
        if forced not in names:
            raise Refused(f"Tool choice 'function' not found in 'tools' parameter: {forced}.", param="tool_choice")
    else:
        demands = {"auto": "", "none": "", "required": "any"}
        if asked.model.maker == "mistral":
            demands["any"] = "any"
        if choice not in demands:
            raise Refused(f"Invalid value: '{choice}'.", param="tool_choice", code="invalid_value")
        forced = demands[choice]
    if forced:
        _check_forcing(asked, thinks)
    return forced


def _check_forcing(asked: Asked, thinks: bool) -> None:
    rule, model = asked.model.forced, asked.model
    if rule == "no" and model.maker == "openrouter":
        raise Refused("No endpoints found that support the provided 'tool_choice' value.", status=404)
    if rule == "no" or (rule == "not while thinking" and thinks):
        raise Refused(f"{model.id} does not support this tool_choice")
