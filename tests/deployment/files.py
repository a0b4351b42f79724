"""docker-compose.yml, Dockerfile and .dockerignore, read as Docker reads them."""

import fnmatch
import json
import re
from pathlib import PurePosixPath

import yaml

from tests.data_folders import ROOT

VARIABLE = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<name>\w+)(?:(?P<rule>:?[-?])(?P<word>[^}]*))?\}|(?P<bare>\w+))")


class Missing(Exception):
    """A variable that must be given is not."""


def compose(variables):
    """The services by name, anchors merged and variables filled in."""
    return filled(yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"], variables)


def filled(value, variables):
    if isinstance(value, dict):
        return {name: filled(part, variables) for name, part in value.items()}
    if isinstance(value, list):
        return [filled(part, variables) for part in value]
    return VARIABLE.sub(lambda match: _given(match, variables), value) if isinstance(value, str) else value


def _given(match, variables):
    if match["dollar"]:
        return "$"
    name, rule = match["name"] or match["bare"], match["rule"] or ":-"
    given = variables.get(name)
    if given or (given is not None and ":" not in rule):
        return given
    if rule.endswith("?"):
        raise Missing(f"{name}: {match['word']}")
    return match["word"] or ""


def asked_for():
    """The variables that the compose file takes from .env."""
    text = re.sub(r"^\s*#.*", "", (ROOT / "docker-compose.yml").read_text(), flags=re.MULTILINE)
    return {match["name"] or match["bare"] for match in VARIABLE.finditer(text) if not match["dollar"]}


def health_check(service):
    kind, *words = service["healthcheck"]["test"]
    return {"CMD": words, "CMD-SHELL": ["sh", "-c", *words]}[kind]


def dockerfile():
    """Instructions and their arguments in order."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    lines = (line.strip().partition(" ") for line in text.splitlines() if line.strip())
    return [(name.upper(), rest.strip()) for name, _, rest in lines]


def image_command():
    (command,) = (rest for name, rest in dockerfile() if name == "CMD")
    return json.loads(command)


def image_environment():
    pairs = [pair for name, rest in dockerfile() if name == "ENV" for pair in rest.split()]
    return dict(pair.split("=", 1) for pair in pairs)


class DockerIgnore:
    """Which paths `COPY . .` leaves out: the last pattern that fits a path, or a folder it is in, decides."""

    def __init__(self, text):
        lines = (line.strip() for line in text.splitlines())
        self.patterns = [
            (line.removeprefix("!").strip("/"), not line.startswith("!")) for line in lines if line and line[0] != "#"
        ]

    def leaves_out(self, path):
        places = [str(place) for place in (PurePosixPath(path), *PurePosixPath(path).parents) if str(place) != "."]
        fits = lambda pattern: any(_fits(place.split("/"), pattern.split("/")) for place in places)  # noqa: E731
        return next((excludes for pattern, excludes in reversed(self.patterns) if fits(pattern)), False)


def _fits(parts, pattern):
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":
        return any(_fits(parts[skipped:], pattern[1:]) for skipped in range(len(parts) + 1))
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])
