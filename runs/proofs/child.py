"""The process of an attempt: it reads an instance and a limit from its input, and prints the reference."""

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
    asked = read_json(sys.stdin.read())
    end_with(asked["parent"])
    os.nice(LEAST_PRIORITY)  # whatever else the machine does comes first
    most = 2 * int(asked["seconds"]) + 60  # the solver looks at its own clock, but not in every step
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    instance = Instance(**asked["instance"])
    print(json.dumps(ATTEMPTS[instance.environment].solve(instance, asked["seconds"])))


if __name__ == "__main__":
    main()
