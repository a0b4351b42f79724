"""Runs a benchmark: `python -m benchmarks NAME`. `python -m benchmarks NAME --help` lists its arguments and options.

A benchmark is a module with a function `main`. The positional parameters of `main` are the arguments of the command, and
its keyword parameters are the options.
"""

import argparse
import inspect
import os
import secrets
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

SUPPORT = {"behaviours", "furnished", "harness", "latency_endpoint", "limited_providers", "mutant_runs", "mutations",
           "own_site", "processes", "soak_load"}  # fmt: skip
NAMES = sorted({path.stem for path in Path(__file__).parent.glob("[a-z]*.py")} - SUPPORT)
ON_A_SITE = {"estimates", "launches", "pages", "scale", "storage"}
"""Benchmarks that use Django in this process, with a new site for each benchmark."""


SITE_OPTIONS = argparse.ArgumentParser(add_help=False)
SITE_OPTIONS.add_argument(
    "--database", default="", help="URL of an empty PostgreSQL database; default: a new SQLite file"
)


def run(name: str, arguments: list[str]) -> int | None:
    """Run a benchmark and return its exit code."""
    if name not in ON_A_SITE:
        return call(import_module(f"benchmarks.{name}"), arguments)
    with tempfile.TemporaryDirectory(prefix=f"econevals-{name}.", ignore_cleanup_errors=True) as folder:
        set_up_site(folder, SITE_OPTIONS.parse_known_args(arguments)[0].database)
        return call(import_module(f"benchmarks.{name}"), arguments)


def set_up_site(folder: str, database: str) -> None:
    """Set up Django with this data folder and database. Models can be imported only after this call."""
    os.environ |= {
        "ECONEVALS_DATA_DIR": folder,
        "DATABASE_URL": database,
        "ECONEVALS_ALLOW_PRIVATE_ENDPOINTS": "1",
        "DJANGO_SETTINGS_MODULE": "econevals_site.settings",
        "LOG_LEVEL": "ERROR",
    }
    if database:
        os.environ |= {"SECRET_KEY": secrets.token_hex(32), "REDIS_URL": "redis://127.0.0.1:1/0"}
    import django

    django.setup()


def call(module: Any, arguments: list[str]) -> int | None:
    main: Callable[..., int | None] = module.main
    bound, values = inspect.signature(main).bind_partial(), vars(parser_of(module).parse_args(arguments))
    bound.arguments.update({name: values[name] for name in bound.signature.parameters})
    return main(*bound.args, **bound.kwargs)


def parser_of(module: Any) -> argparse.ArgumentParser:
    """Return the parser of a benchmark, made from the parameters of its `main`."""
    name = module.__name__.removeprefix("benchmarks.")
    parser = argparse.ArgumentParser(
        f"python -m benchmarks {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[SITE_OPTIONS] if name in ON_A_SITE else [],
    )
    for name, parameter in inspect.signature(module.main, eval_str=True).parameters.items():
        default = parameter.default
        # For `tuple[X, ...]` and `X | None` this is X; otherwise the annotation itself.
        of_value = next(iter(get_args(parameter.annotation)), parameter.annotation)
        many = {"nargs": "*"} if isinstance(default, tuple) or parameter.kind is parameter.VAR_POSITIONAL else {}
        if parameter.kind is not parameter.KEYWORD_ONLY:
            parser.add_argument(name, type=of_value, **many)
        elif of_value is bool:
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true")
        else:
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, type=of_value, default=default, help=f"default: {default}", **many)
    return parser


if __name__ == "__main__":
    name, *arguments = sys.argv[1:] or [""]
    if name not in NAMES:
        sys.exit(f"{__doc__}\nNames: {', '.join(NAMES)}")
    sys.exit(run(name, arguments))
