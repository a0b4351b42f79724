"""What programs written for an earlier OpenAPI document can no longer do: python -m tests.api.breaks [REVISION]

Compares the document of the files here with that of a commit, the one before the last unless named, and prints each break.
Exit code 1 if there are any, and no message of the commits since then has a line that begins with "API break:".
"""

import json
import os
import subprocess
import sys
import tempfile

from tests.data_folders import ROOT

DESCRIBE = """
import django, json, os
django.setup()
from api.protocol.describing import description
print(json.dumps(description()))
"""
LOWERED, RAISED = ("maximum", "maxLength", "maxItems"), ("minimum", "minLength", "minItems")
ACCEPTED = "API break:"


def breaks(before, after):
    """A sentence for each break. Both are OpenAPI documents."""
    return list(dict.fromkeys(_Comparison(before, after).found()))


class _Comparison:
    def __init__(self, before, after):
        self.before, self.after = before, after
        self.compared = set()

    def found(self):
        for path, methods in self.before["paths"].items():
            for method, old in methods.items():
                new = self.after["paths"].get(path, {}).get(method)
                if new is None:
                    yield f"{method.upper()} {path} is gone."
                else:
                    yield from self._operation(old, new, f"{method.upper()} {path}")

    def _operation(self, old, new, place):
        olds, news = ({(one["in"], one["name"]): one for one in each.get("parameters", ())} for each in (old, new))
        for key, parameter in olds.items():
            if key not in news:
                yield f"{place}: the parameter {key[1]} is gone."
            else:
                yield from self._schemas(parameter["schema"], news[key]["schema"], f"{place}: {key[1]}", taken=True)
        for key, parameter in news.items():
            if parameter.get("required") and not olds.get(key, {}).get("required"):
                yield f"{place}: the parameter {key[1]} is required now."
        bodies = [each.get("requestBody", {}) for each in (old, new)]
        if bodies[1].get("required") and not bodies[0].get("required"):
            yield f"{place}: a body is required now."
        yield from self._contents(*bodies, f"{place}: body", taken=True)
        for status, answer in old["responses"].items():
            if status not in new["responses"]:
                yield f"{place}: the answer {status} is gone."
            else:
                yield from self._contents(answer, new["responses"][status], f"{place}: answer {status}", taken=False)

    def _contents(self, old, new, place, *, taken):
        for kind, content in old.get("content", {}).items():
            if kind not in new.get("content", {}):
                yield f"{place}: {kind} is gone."
            else:
                yield from self._schemas(content["schema"], new["content"][kind]["schema"], place, taken=taken)

    def _schemas(self, old, new, place, *, taken):
        """taken: whether programs send it, which may not become narrower; what they receive may not become wider"""
        key = (json.dumps(old, sort_keys=True), json.dumps(new, sort_keys=True), taken)
        if "$ref" in key[0] and key in self.compared:
            return  # it was compared elsewhere, or contains itself
        self.compared.add(key)
        olds, news = self._alternatives(old, self.before), self._alternatives(new, self.after)
        kinds = [{one.get("type", "anything") for one in each} for each in (olds, news)]
        narrow, wide = kinds if taken else reversed(kinds)
        if lost := sorted(kind for kind in narrow if not _holds(wide, kind)):
            yield f"{place}: {'no longer takes' if taken else 'may now be'} {' or '.join(lost)}."
        for one in olds:
            same = [other for other in news if other.get("type") == one.get("type")]
            alike = [other for other in same if other.get("title") == one.get("title")] or same
            if alike:
                yield from self._alike(one, alike[0], place, taken)

    def _alternatives(self, schema, document):
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = {"title": name} | document["components"]["schemas"][name]
        found = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if found:
            return [one for part in found for one in self._alternatives(part, document)]
        kinds = schema.get("type")
        return [schema | {"type": kind} for kind in kinds] if isinstance(kinds, list) else [schema]

    def _alike(self, old, new, place, taken):
        """Two schemas of one type."""
        if taken:
            allowed = new.get("enum", [])
            if allowed and (lost := [value for value in old.get("enum", ["other values"]) if value not in allowed]):
                yield f"{place}: no longer takes {', '.join(map(str, lost))}."
            for name in (*LOWERED, *RAISED):
                sign = 1 if name in LOWERED else -1
                if name in new and sign * new[name] < sign * old.get(name, sign * float("inf")):
                    yield f"{place}: the {name} is {new[name]} now."
        properties = new.get("properties", {})
        for name, value in old.get("properties", {}).items():
            if name not in properties:
                yield f"{place}: the field {name} is gone."
            else:
                yield from self._schemas(value, properties[name], f"{place}.{name}", taken=taken)
        olds, news = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(news - olds if taken else (olds - news) & properties.keys()):
            yield f"{place}: the field {name} {'is required' if taken else 'may be missing'} now."
        if "items" in old and "items" in new:
            yield from self._schemas(old["items"], new["items"], f"{place}[]", taken=taken)


def _holds(kinds, kind):
    return kind in kinds or "anything" in kinds or (kind == "integer" and "number" in kinds)


def document_in(folder):
    """The document of the code in a folder."""
    with tempfile.TemporaryDirectory() as data:
        variables = {"DJANGO_SETTINGS_MODULE": "econevals_site.settings", "ECONEVALS_DATA_DIR": data}
        plain = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        command = [sys.executable, "-c", DESCRIBE]
        return json.loads(subprocess.run(command, cwd=folder, env=plain | variables, stdout=-1, check=True).stdout)


def document_of(revision):
    with tempfile.TemporaryDirectory() as folder:
        files = subprocess.run(["git", "archive", revision], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=files, check=True)
        return document_in(folder)


def main():
    revision = sys.argv[1] if len(sys.argv) > 1 else "HEAD^"
    found = breaks(document_of(revision), document_in(ROOT))
    log = ["git", "log", "--format=%B", f"{revision}..HEAD"]
    message = subprocess.run(log, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    print("\n".join(found) or f"Programs written for the API of {revision} go on working.")
    sys.exit(bool(found) and not any(line.startswith(ACCEPTED) for line in message.splitlines()))


if __name__ == "__main__":
    main()
