import pytest
from django.db import OperationalError

from infrastructure.processes.lookout import work_apart


@pytest.mark.parametrize("error", [OperationalError("away"), ValueError("broken")])
def test_an_error_of_a_piece_of_work_is_logged_and_ends_no_thread(error, caplog):
    def fail():
        raise error

    work_apart("The outbox", fail)
    assert caplog.messages in (["The outbox waits for the database."], ["The outbox failed."])
    assert caplog.records[0].exc_info[1] is error
