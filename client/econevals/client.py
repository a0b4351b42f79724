"""The client for owners of experiments. It reads and launches experiments, and opens episodes."""

import time
import uuid
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack
from urllib.parse import quote

from econevals.connection import Connection, Options
from econevals.playing import Entry, OpenEpisode, open_episode_of

if TYPE_CHECKING:
    import pandas


class Rows(list[dict[str, Any]]):
    """A list of rows. Each is a dict with the fields that the site describes at `/api/v1/docs`."""

    def frame(self) -> "pandas.DataFrame":
        """Return the rows as a pandas DataFrame. Nested fields get columns such as `outcome.total_profit`.

        A row with a list of objects, such as the cells of a leaderboard, becomes one row for each object. Raises
        ImportError without pandas.
        """
        import pandas

        inner = next((name for row in self for name, value in row.items() if _is_list_of_objects(value)), None)
        rows = [row | child for row in self for child in row[inner]] if inner else list(self)
        return pandas.json_normalize(rows).drop(columns=[inner] if inner else [])


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


PAGE = 200


def connect(url: str, token: str, **options: Unpack[Options]) -> "Client":
    """Return a client of the site at `url`. `token` is an API token, `ee_...`.

    Raises ValueError if `url` is not the address of a site, or for plain http to another machine (see `Options`).
    """
    return Client(url, token, **options)


class Client:
    """Client of the API of a site. Its methods return dicts and lists of dicts, and raise Refused and NoAnswer."""

    def __init__(self, url: str, token: str, **options: Unpack[Options]):
        self._connection = Connection(url, token, **options)
        self._options = options

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    @property
    def url(self) -> str:
        return str(self._connection.address)

    # Any address of the API

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON at a path below /api/v1, as in `get("/compare", agents=["a", "b"])`."""
        return self._connection.ask("GET", path, query=query)

    def rows(self, path: str, most: int | None = None, **query: Any) -> Rows:
        """Return all rows of the list at a path, or only the first `most`. It requests as many pages as needed."""
        rows, cursor = Rows(), None
        while most is None or len(rows) < most:
            limit = PAGE if most is None else min(PAGE, most - len(rows))
            page = self.get(path, limit=limit, cursor=cursor, **query)
            rows += page["items"]
            if (cursor := page["next_cursor"]) is None:
                break
        return rows

    # Reading

    def me(self) -> dict[str, Any]:
        """Return the token's name, organization and permissions."""
        return dict(self.get("/me"))

    def agents(self) -> Rows:
        return self.rows("/agents")

    def experiments(self, most: int | None = None, **filters: Any) -> Rows:
        """List the experiments, newest first. Filters are `text` and `state`."""
        return self.rows("/experiments", most, **filters)

    def experiment(self, number: int) -> dict[str, Any]:
        return dict(self.get(f"/experiments/{number}"))

    def runs(self, most: int | None = None, **filters: Any) -> Rows:
        """List the runs, newest first.

        Filters are `experiment`, `agent`, `environment`, `difficulty`, `variant` and `state`.
        """
        return self.rows("/runs", most, **filters)

    def run(self, number: int) -> dict[str, Any]:
        """Return a run with its score and metrics."""
        return dict(self.get(f"/runs/{number}"))

    def periods(self, run: int) -> Rows:
        """List the periods of a run from the first, with actions and outcomes."""
        return self.rows(f"/runs/{run}/periods")

    def notes(self, run: int, **filters: Any) -> Rows:
        """List the notes that the agent wrote for itself, in order. Filters are `text` and `period`."""
        return self.rows(f"/runs/{run}/notes", **filters)

    def transcript(self, run: int, period: int) -> dict[str, Any]:
        """Return the complete transcript of a period, by seat."""
        return dict(self.get(f"/runs/{run}/periods/{period}/transcript"))

    def leaderboards(self) -> Rows:
        """List the saved leaderboards."""
        return self.rows("/leaderboards")

    def leaderboard(self, board: int | Literal["benchmark", "litmus"] = "benchmark", **filters: Any) -> Rows:
        """Return the rows of a leaderboard. Raises ValueError for another saved answer.

        board: id of a saved leaderboard, or a kind of leaderboard, which takes the filters
        """
        leaderboard = self.get(f"/leaderboards/{board}", **filters)
        if not isinstance(board, str):
            leaderboard = leaderboard.get(leaderboard["kind"])
        if leaderboard is None:
            raise ValueError(
                f"Page {board} is not a leaderboard. get('/leaderboards/{board}')['answer'] has its answer."
            )
        return Rows(leaderboard["rows"])

    # Launching

    def launch(self, *, key: str = "", **plan: Any) -> dict[str, Any]:
        """Launch an experiment and return it. The fields of `plan` are those of the launch form.

        key: a text without spaces. Within a day the same key launches only once, even from several processes.
        """
        return self._create("/experiments", plan, key)

    def wait(self, experiment: int, seconds: float | None = None, every: float = 2.0) -> dict[str, Any]:
        """Wait until an experiment is done, and return it. Raises TimeoutError after `seconds`.

        every: seconds between two requests
        """
        end = None if seconds is None else time.monotonic() + seconds
        while not (status := self.experiment(experiment))["is_done"]:
            if end is not None and time.monotonic() + every > end:
                raise TimeoutError(f"Experiment {experiment} is not done after {seconds:.0f} s: {status['summary']}.")
            time.sleep(every)
        return status

    def control(
        self,
        action: Literal["pause", "resume", "cancel", "retry"],
        *,
        experiment: int | None = None,
        run: int | None = None,
    ) -> int:
        """Pause, resume, cancel or retry an experiment or a run. Returns the number of runs that changed."""
        if (experiment is None) == (run is None):
            raise ValueError("Name an experiment or a run.")
        path = f"/experiments/{experiment}" if run is None else f"/runs/{run}"
        return int(self._connection.ask("POST", f"{path}/{action}")["changed"])

    # Episodes

    def open_episode(
        self,
        environment: str,
        difficulty: str,
        seed: int = 0,
        *,
        name: str,
        version: str = "",
        model: str = "",
        variant: str = "main",
        generator: str = "published",
        periods: int | None = None,
        rival: str | None = None,
        key: str = "",
    ) -> OpenEpisode:
        """Open a practice episode on a public instance.

        name, version, model: the agent that plays, as this program declares it
        rival: baseline in the second seat of a market of two; None leaves both seats to programs
        key: a text without spaces. Within a day the same key returns the same episode and tokens, so that a program can
            be started again.
        """
        practice = {
            "environment": environment,
            "difficulty": difficulty,
            "seed": seed,
            "variant": variant,
            "generator": generator,
            "periods": periods,
            "rival": rival,
        }
        created = self._create("/episodes", practice | _harness(name, version, model), key)
        return open_episode_of(created, self.url, self._options)

    def open_entry(self, season: str, *, name: str, version: str = "", model: str = "", key: str = "") -> Entry:
        """Open a whole ranked entry of a season. It counts even if its episodes are not played.

        `key` is as in `open_episode`.
        """
        created = self._create("/episodes", {"season": season} | _harness(name, version, model), key)
        episodes = [open_episode_of(episode, self.url, self._options) for episode in created["episodes"]]
        return Entry(created["season"], created["entry"], created["of"], episodes)

    def seasons(self) -> Rows:
        return self.rows("/seasons")

    def season(self, slug: str) -> dict[str, Any]:
        return dict(self.get(f"/seasons/{quote(slug, safe='')}"))

    def episodes(self, most: int | None = None) -> Rows:
        return self.rows("/episodes", most)

    def episode(self, number: int) -> dict[str, Any]:
        """Return state, period and deadlines of an episode. A sealed episode has no score."""
        return dict(self.get(f"/episodes/{number}"))

    def journal(self, episode: int, seat: str = "seat_0") -> Rows:
        """List every call and action of a seat, each with a hash of all earlier ones.

        Journals of ranked episodes are available after their season.
        """
        return self.rows(f"/episodes/{episode}/journal", seat=seat)

    def _create(self, path: str, body: dict[str, Any], key: str) -> dict[str, Any]:
        return dict(self._connection.ask("POST", path, body, headers={"Idempotency-Key": key or str(uuid.uuid4())}))


def _harness(name: str, version: str, model: str) -> dict[str, Any]:
    return {"harness": {"kind": "rest", "name": name, "version": version, "model": model, "url": ""}}
