"""The cast of the tests of comments, tags and stars: an owner, an editor, a viewer, and a run of four periods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.visitors import signed_in


@dataclass(frozen=True)
class Cast:
    """Members with a browser each; alice is the owner, edda an editor, vera a viewer."""

    alice: Any
    edda: Any
    vera: Any
    browsers: dict[str, Any]


@pytest.fixture
def cast(alice: Any, join: Callable[..., Any]) -> Cast:
    edda, vera = join("edda", "editor").user, join("vera", "viewer").user
    browsers = {user.username: signed_in(user) for user in (alice, edda, vera)}
    return Cast(alice, edda, vera, browsers)


@pytest.fixture
def run(played: Callable[..., Any]) -> Any:
    return played("random").runs.get()


@pytest.fixture
def say(run: Any) -> Callable[..., Any]:
    """A comment on the run, or on one of its periods."""

    def say(author: Any, text: str, period: int | None = None, **options: Any) -> Any:
        from discussion.services import comment_create
        from discussion.subjects import Subject

        return comment_create(subject=Subject(run, period), author=author, text=text, **options)

    return say
