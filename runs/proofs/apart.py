"""Run an attempt in a process of its own, which has its own priority and memory and can be ended at any time."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from django.conf import settings

import environments.base
from environments.json_text import NotJSON, read_json

LOOK_SECONDS = 1.0


class EndedWithoutResult(Exception):
    """The process of an attempt ended without a reference, for example for lack of memory."""


def solve_apart(problem: environments.base.Instance, limit: float, look: Callable[[], None]) -> dict[str, Any]:
    """The reference from an attempt of at most `limit` processor seconds. Raises EndedWithoutResult.

    look: called every second; if it raises an exception, the attempt ends
    """
    request: str | None = json.dumps({"parent": os.getpid(), "instance": problem.as_json(), "seconds": limit})
    command, pipe = [sys.executable, "-m", "runs.proofs.child"], subprocess.PIPE
    with subprocess.Popen(command, cwd=settings.BASE_DIR, stdin=pipe, stdout=pipe, text=True) as child:
        try:
            while True:
                look()
                try:
                    answer, _ = child.communicate(request, timeout=LOOK_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    request = None  # the next call must not send it again
        finally:
            child.kill()
    try:
        reference: dict[str, Any] = read_json(answer)
    except NotJSON:
        raise EndedWithoutResult from None
    return reference
