"""python -m tests.faults --kills 200 --database postgres --seed 7 --faults kill,stop,broker"""

import argparse
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.faults.breakage import Tools, clock_variables, small_disk
from tests.faults.nemesis import FAULTS
from tests.faults.rig import PROFILES, Torment, undisturbed
from tests.faults.stages import Cluster, Stage
from tests.faults.sweep import Sweep

KINDS = (*FAULTS, "provider", "lines")


def arguments():
    parser = argparse.ArgumentParser("python -m tests.faults", description="Torment a site and check what it kept.")
    parser.add_argument("--kills", type=int, default=100, help="of workers; a stroke that kills none counts as one")
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", choices=list(PROFILES), default="ci")
    parser.add_argument("--faults", default="kill", help=f"some of {','.join(KINDS)}")
    parser.add_argument("--budget", type=float, help="dollars an experiment may spend before the rig raises its budget")
    parser.add_argument("--folder", type=Path, help="an empty folder to work in and to leave there, logs and all")
    chosen = parser.parse_args()
    chosen.faults = tuple(chosen.faults.split(","))
    unknown = set(chosen.faults) - set(KINDS)
    if unknown:
        parser.error(f"there is no fault {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    return chosen


def main():
    chosen = arguments()
    # Ending the rig also ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        folder = chosen.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="econevals-faults-")))
        if chosen.faults == ("lines",):
            most = chosen.kills // 6 if chosen.profile == "ci" else None
            outcome = Sweep(most=most, say=say).run(stage_for(chosen, folder, Tools(), stack), folder / "calm")
        else:
            tools, profile = Tools(), PROFILES[chosen.profile]
            stage = stage_for(chosen, folder, tools, stack)
            say("The undisturbed runs are played.")
            expected = undisturbed(folder / "calm", profile.size)
            budget = None if chosen.budget is None else int(chosen.budget * 10**9)
            what = Torment(chosen.kills, chosen.seed, chosen.faults, profile, budget, tools, say)
            outcome = what.run(stage, expected)
    print(outcome)
    return 1 if outcome.sentences else 0


def stage_for(chosen, folder, tools, stack):
    """The stage with what the chosen faults need; ends the program where the machine cannot have it."""
    variables = {}
    if "clock" in chosen.faults:
        found = clock_variables(folder)
        if found is None:
            sys.exit("Skipped: libfaketime is not installed.")
        variables, tools.clock = found, Path(found["FAKETIME_TIMESTAMP_FILE"])
    place = folder / "site"
    if "disk" in chosen.faults:
        disk = stack.enter_context(small_disk())
        if disk is None:
            sys.exit("Skipped: this user may not mount a small disk.")
        place = disk / "site"
    if chosen.database == "sqlite":
        return Stage.on_sqlite(place, clock=variables)
    cluster = Cluster()
    stack.callback(cluster.close)
    return stack.enter_context(Stage.on_postgres(place, cluster.url, cluster, clock=variables))


def say(sentence):
    print(f"{time.strftime('%H:%M:%S')} {sentence}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
