"""What a forked process shares with the process that forked it, and what it does not."""

import os
import random
import threading

import pytest

from infrastructure.processes.forked import in_child


@pytest.mark.long
def test_the_result_and_the_error_of_a_child_come_back():
    assert in_child(os.getpid) != os.getpid()
    with pytest.raises(ValueError, match="math domain"):
        in_child(fails)


def fails():
    raise ValueError("math domain")


@pytest.mark.long
def test_each_child_draws_different_random_numbers():
    assert len({draw(), in_child(draw), in_child(draw)}) == 3


def draw():
    return random.random()


def test_a_forked_call_leaves_no_thread_for_the_next_fork():
    before = set(threading.enumerate())
    in_child(os.getpid)
    assert set(threading.enumerate()) == before
