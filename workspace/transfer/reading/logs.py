"""The contents of a log: the game, the periods and the model's replies."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from games.logs.format import LoggedGame, Step
from workspace.transfer.reading.chats import Call
from workspace.transfer.reading.times import Times

PARAMETERS, LOGS = "global_params.csv", "logs.csv"


@dataclass
class Log:
    """A log that was read.

    content_hash: hash of its bytes and of how they were read. The folder's name can change how a log is read. So a log
        that was misread under a wrong name can be imported again under the right one
    """

    folder: str
    game: LoggedGame
    model: str
    steps: list[Step] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    content_hash: str = ""
    played_at: datetime | None = None
    temperature: float | None = None
    prompts: dict[str, str] = field(default_factory=dict)
    evidence: str = ""
    unread_calls: int = 0
    queries: int = 0
    cut_line: int = 0
    times: Times = field(default_factory=Times)

    def sign(self, digest: Any) -> None:
        text = f"{digest.hexdigest()} {self.game.variant} {self.game.reasoning} {self.game.periods}"
        self.content_hash = hashlib.sha256(text.encode()).hexdigest()

    @property
    def facts(self) -> dict[str, str]:
        """Facts other than the periods: {label: text}"""
        dropped = sum(len(call.dropped) for call in self.calls)
        begun = f"{self.played_at:%d %B %Y, %H:%M}, by the name of its folder" if self.played_at else ""
        cut = f"in the row that begins in line {self.cut_line} of {LOGS}; the rows before it are kept"
        passed_over = f"{dropped}, passed over by the published code, so they are left out here"
        facts = {
            "Begun": "" if self.times.first else begun,
            "Cut off": cut if self.cut_line else "",
            "Calls beside a text": passed_over if dropped else "",
            "Replies that could not be read": str(self.unread_calls or ""),
        }
        return self.game.facts | {label: text for label, text in facts.items() if text}
