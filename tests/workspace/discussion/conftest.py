"""An owner, an editor and a viewer, a run of four periods, and ways to comment on it and to tag it."""

from types import SimpleNamespace

import pytest

from tests.visitors import signed_in
from workspace.discussion.services.comments import comment_create
from workspace.discussion.services.tags import tag_add
from workspace.discussion.subjects import Subject


@pytest.fixture
def cast(alice, join):
    """Members with a browser each; alice is the owner, edda an editor, vera a viewer."""
    people = {"alice": alice, "edda": join("edda", "editor").user, "vera": join("vera", "viewer").user}
    return SimpleNamespace(**people, browsers={name: signed_in(user) for name, user in people.items()})


@pytest.fixture
def run(played):
    return played("random").runs.get()


@pytest.fixture
def text(cast):
    """The text of a page as one of the cast sees it."""
    return lambda who, address, **options: cast.browsers[who].get(address, **options).text


@pytest.fixture
def say(run):
    """A comment on the run, or on one of its periods."""
    return lambda author, text, period=None, **options: comment_create(
        subject=Subject(run, period), author=author, text=text, **options
    )


@pytest.fixture
def tag(run, cast):
    """A tag on the run or on `on`, or on one of the run's periods."""
    return lambda name="odd", period=None, on=None: tag_add(
        subject=Subject(on or run, period), name=name, user=cast.edda
    )
