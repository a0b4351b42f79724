"""bin/econevals: the management commands under one name, with one help page and plain errors.

Exit codes: 0 done, 1 a run ended without a score or a check failed, 2 wrong use or bad input.
"""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from itertools import chain

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, get_commands, load_command_class
from django.db import DatabaseError, connections

PROGRAM = "bin/econevals"
GROUPS = {
    "Experiments": {
        "launch": "launch agents on instances; --wait plays them to the end",
        "estimate": "estimate calls, tokens, dollars, time and disk of a launch",
        "study": "register a study from a file, launch it, answer it, or reproduce its archive",
        "seeds": "say how many seeds tell two agents apart",
        "stages": "print the stages of an experiment and what was found",
        "drift": "list the watches for drift, or print the rounds of one",
        "watch": "follow an experiment until no run is active",
        "score": "print the mean scores of an experiment",
        "leaderboard": "print the benchmark leaderboard or the litmus table",
        "compare": "compare agents over the instances that they have in common",
        "search": "find words in notes and transcripts",
        "notes": "cluster the paragraphs of notes by agent",
        "ask": "ask a question over transcripts; a model answers with checked quotes",
        "answer": "print the sentences and tables of an answer, such as trends",
        "table": "print any table as CSV, JSON or LaTeX",
        "compare_runs": "compare runs of one instance: scores, and where they first part",
        "findings": "print what happened in a run, or count it by agent",
    },
    "Running experiments": {
        "pause": "pause a run or an experiment",
        "resume": "resume what is paused",
        "cancel": "cancel for good",
        "retry": "retry stalled and errored runs",
    },
    "Single instances, without a database": {
        "instance": "print one instance",
        "replay": "play a file of actions without an agent",
    },
    "Data": {
        "export": "write runs as JSON Lines, CSV or an Inspect AI log",
        "import": "import logs of the published code",
        "outside_columns": "list, add or delete measures of models from a CSV",
        "report": "write an experiment or a comparison as one HTML file that opens offline",
        "backup": "copy the whole database into one file",
        "restore": "set the site back to a backup",
    },
    "The site": {
        "up": "set up and run the site on this machine",
        "work": "run a worker",
        "season": "create, list, close, reveal and verify ranked seasons",
        "check_catalog": "compare the catalog of models with the price list",
        "check_provider": "try what we believe of a provider with a real key and a budget",
    },
    "Accounts and keys": {
        "owner": "create the first organization and its owner",
        "operator": "let a person open, close and reveal seasons",
        "reset_link": "print a link for a new password",
        "set_email": "change a person's e-mail address",
        "environment_keys": "allow an organization the provider keys of the environment",
        "rotate_keys": "encrypt all stored keys with the newest secret",
    },
}


def main(arguments: Sequence[str]) -> int:
    """Run one command. Returns the exit code; a command may also raise SystemExit."""
    replace_missing_letters()
    name = arguments[0] if arguments else "--help"
    if name in {"--help", "-h", "help"}:
        print(help_page())
        return 0
    if not any(name in commands for commands in GROUPS.values()):
        return refuse(f"There is no command {name!r}; {PROGRAM} --help lists them.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
    try:
        django.setup()
        return run(name, arguments[1:])
    except ImproperlyConfigured as error:
        return refuse(str(error))
    except DatabaseError as error:
        return refuse(f"The database cannot be used: {str(error).splitlines()[0]}.", 1)
    except BrokenPipeError:
        # The reader of a pipe has gone. Without this, Python would fail again when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def run(name: str, arguments: Sequence[str]) -> int:
    command = load_command_class(get_commands()[name], name)
    try:
        options = vars(command.create_parser(PROGRAM, name).parse_args(arguments))
    except CommandError as error:
        problem = str(error).removeprefix("Error: ").rstrip(".")
        return refuse(f"{problem[:1].upper()}{problem[1:]}; see {PROGRAM} {name} --help.")
    try:
        command.execute(**options)
        sys.stdout.flush()
    except CommandError as error:
        return refuse(str(error), error.returncode)
    finally:
        connections.close_all()
    return 0


def help_page() -> str:
    groups = (
        ["", f"{title}:", *(f"  {name:<18}{line}" for name, line in commands.items())]
        for title, commands in GROUPS.items()
    )
    return "\n".join(
        [
            f"Usage: {PROGRAM} COMMAND [OPTIONS]",
            *chain.from_iterable(groups),
            "",
            f"{PROGRAM} COMMAND --help explains one command; --json prints its result as JSON.",
            "Exit codes: 0 done, 1 a run ended without a score or a check failed, 2 wrong use or bad input.",
        ]
    )


def refuse(sentence: str, code: int = 2) -> int:
    print(sentence, file=sys.stderr)
    return code


def replace_missing_letters() -> None:
    """Print question marks for letters that the terminal cannot encode. Otherwise an error would end the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
