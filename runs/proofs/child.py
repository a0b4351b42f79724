"""The program of an attempt's process: it reads an instance and a limit from standard input and prints the reference."""

import json
import os
import resource
import sys

from environments.base import Instance
from environments.json_text import read_json
from environments.registry import ATTEMPTS
from infrastructure.processes.forked import end_with

LEAST_PRIORITY = 19


def main() -> None:
    request = read_json(sys.stdin.read())
    end_with(request["parent"])
    os.nice(LEAST_PRIORITY)  # everything else on the machine goes first
    most = 2 * int(request["seconds"]) + 60  # a second limit, because some steps of the solver do not check its own
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    instance = Instance(**request["instance"])
    print(json.dumps(ATTEMPTS[instance.environment].solve(instance, request["seconds"])))


if __name__ == "__main__":
    main()
