from __future__ import annotations

from runs.models import Instance
from tests.transfer.published_log import write_log


def test_an_imported_run_shares_the_instance_of_a_launch_that_was_not_played_yet(launch, stored, tmp_path):
    launched = launch("random").runs.get()
    write_log(tmp_path, "pricing", name="one")
    imported = stored().experiment.runs.get()
    assert (imported.instance.seed, imported.instance.difficulty) == (0, "BASIC")
    assert imported.instance_id == launched.instance_id
    assert not Instance.objects.get().drawn_here
