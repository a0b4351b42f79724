"""The patience versus impatience survey: questions of a period, answers, score of a run."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from environments.actions import check_keys, parse_flat_dict
from environments.base import PERIODS, SINGLE_SEAT, Instance, Outcome, Outcomes, ToolError
from environments.declarations import COMPETENCY, LitmusTest, Score, ScoreFormat, Variant
from environments.patience.cells import Cell, Key, cells, horizons
from environments.patience.measures import competency_metrics, litmus_metrics, name_metrics
from environments.prompts.sets import PromptSet
from environments.survey import Question, Survey, read_letter

LATER, NOW, INVALID = "later", "now", "invalid"
COUNTS = (LATER, NOW, INVALID)
AMOUNT, TIME_SPAN, INTEREST_RATE, USER_NAME = "<amount>", "<time_span>", "<interest_rate>", "<name>"
RATE = ScoreFormat(
    "Litmus rate", "a year, continuously compounded", factor=100, digits=1, unit=" %", short_digits=1, top=0.2
)


class Patience(Survey):
    """The patience survey. Each period is a cell. Cells are asked in order, but recorded runs may have any order."""

    name = "patience_vs_impatience"
    title = "Patience versus impatience"
    short_title = "Patience"
    score_meaning = (
        "An agent chooses for its user between money now and more money later. "
        "The rate is the yearly return from which on it waits: the higher it is, the less patient the agent."
    )
    variants = {
        "main": Variant("the paper's prompt", score=RATE),
        "interest_rate": Variant(
            "the prompt names the user's interest rate (competency)",
            label="prompt names a rate",
            score=COMPETENCY,
            is_competency=True,
        ),
        "user_name": Variant("the prompt tells the user's name", label="prompt tells a name"),
    }
    litmus = LitmusTest(
        "5.1",
        "rate a year; the higher, the less patient",
        ends=("patient", "impatient"),
        column="Rate",
        reliability_metric="reliability",
        reliability_note="How well one rate explains the choices at all horizons.",
    )
    prompt_set = PromptSet(
        Path(__file__).parent / "prompts",
        labels={
            "question": "Question: A is $100 now, B is more money later",
            "question.flipped": "Question in reverse order: A is more money later, B is $100 now",
            "append": "Paragraph added to both questions",
        },
        placeholders={
            AMOUNT: "dollars later",
            TIME_SPAN: "how much later",
            INTEREST_RATE: "interest rate in percent a year",
            USER_NAME: "name of the user",
            "<answer>": "element from which the answer is read, A or B",
        },
    )

    def __init__(self, instance: Instance, outcomes: Outcomes = (), *, variant: str = "main", **options: Any):
        self.cells = cells(variant, instance.parameters)
        self.open = {cell.key: cell for cell in self.cells}
        super().__init__(instance, outcomes, variant=variant, **options)
        self.periods = min(self.periods, len(self.cells))

    @classmethod
    def periods_of(cls, variant: str, instance: Instance) -> int:
        return len(cells(variant, instance.parameters))

    def take(self, outcome: Outcome) -> None:
        super().take(outcome)
        del self.open[_key(outcome.action)]

    # Questions

    def questions(self, ahead: int = 0) -> tuple[Question, ...]:
        cell = next(islice(self.open.values(), ahead, None), None)
        if cell is None or self.period + ahead >= self.periods:
            return ()
        prompts = {flipped: self._prompt(cell, flipped) for flipped in set(cell.flips)}
        later = f"receiving ${cell.horizon.dollars(cell.amount)} {cell.horizon.time_span} from today"
        options = ("receiving $100 right now", later)
        return tuple(
            Question(str(i), prompts[flipped], flipped, options[::-1] if flipped else options)
            for i, flipped in enumerate(cell.flips)
        )

    def _prompt(self, cell: Cell, flipped: bool) -> str:
        """The prompt of a cell. Treatments add a paragraph between the choice and the answer format."""
        text = self.prompts.part("question.flipped" if flipped else "question", self.variant)
        if cell.rate is not None or cell.name is not None:
            choice, gap, answer_format = text.partition("\n\n")
            text = f"{choice}\n\n{self.prompts.part('append', self.variant)}{gap}{answer_format}"
        for hole, value in (
            (AMOUNT, cell.horizon.dollars(cell.amount)),
            (TIME_SPAN, cell.horizon.time_span),
            (INTEREST_RATE, str(cell.rate)),
            (USER_NAME, str(cell.name)),
        ):
            text = text.replace(hole, value)
        return text

    def read_answer(self, question: Question, text: str) -> str | None:
        meant = {"A": LATER, "B": NOW} if question.flipped else {"A": NOW, "B": LATER}
        return meant.get(read_letter(text) or "")

    def tally(self, answers: Mapping[str, str | None]) -> dict[str, Any]:
        cell = next(iter(self.open.values()))
        choices = [answers[question.key] for question in self.questions()]
        return _action(cell, {LATER: choices.count(LATER), NOW: choices.count(NOW), INVALID: choices.count(None)})

    # Actions

    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        fields = parse_flat_dict(raw, self.action_argument)
        treatment = {"interest_rate": ("rate",), "user_name": ("name",)}.get(self.variant, ())
        required = ("horizon", "amount", *treatment, *COUNTS)
        check_keys(fields, required, "field", ", ".join(required))
        if missing := [field for field in required if field not in fields]:
            raise ToolError(f"Fields are missing: {', '.join(missing)}.")
        cell = self._cell(fields)
        for field in COUNTS:
            value = fields[field]
            whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
            if not whole or value < 0:
                raise ToolError(f"{field} must be a whole number of at least 0.")
        counts = {field: int(fields[field]) for field in COUNTS}
        repetitions = len(cell.flips)
        if sum(counts.values()) != repetitions:
            raise ToolError(f"later, now and invalid must add up to {repetitions}, as often as {cell} is asked.")
        return _action(cell, counts)

    def _cell(self, fields: dict[str, Any]) -> Cell:
        labels = [horizon.label for horizon in horizons(self.instance.parameters)]
        if fields["horizon"] not in labels:
            raise ToolError(f"Unknown horizon {fields['horizon']!r:.60}; the horizons are {', '.join(labels)}.")
        key = _key(fields)
        # In Python, True equals 1 and would match the rate of 1 %.
        if all(key != cell.key for cell in self.cells) or any(isinstance(part, bool) for part in key):
            details = ", ".join(f"{part} {fields[part]!r:.60}" for part in ("amount", "rate", "name") if part in fields)
            raise ToolError(f"Nothing is asked for {key[0]} with {details}.")
        if key not in self.open:
            raise ToolError(f"The answers for {fields['horizon']}, {fields['amount']} were recorded before.")
        return self.open[key]

    def step(self, action: dict[str, Any]) -> Outcome:
        cell = self._cell(action)
        later, now = action[LATER], action[NOW]
        valid = later + now
        result: dict[str, Any] = {"later_share": later / valid if valid else None}
        quality = None
        if cell.rate is not None:
            result["correct"] = later if cell.later_is_right else now
            quality = result["correct"] / valid if valid else None
        return self._record_outcome(action, result, quality)

    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        action = outcome.action
        cell = next(cell for cell in self.cells if cell.key == _key(action))
        return f"{cell}: {action[LATER]} later, {action[NOW]} now, {action[INVALID]} invalid"

    # Score and metrics

    @classmethod
    def score(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS, variant: str = "main") -> Score:
        """The litmus rate as a share a year (0.057 is 5.7 %), or the competency if the prompts name a rate."""
        measured = cls.metrics(instance, outcomes, periods)
        if "by_name" in measured:
            return Score(None, note="A run with names has a rate for each name, and none for all of them.")
        value = measured["competency"] if "competency" in measured else measured["litmus_rate"]
        return Score(value) if value is not None else Score(None, note="There are too few valid answers to measure.")

    @classmethod
    def metrics(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS) -> dict[str, Any]:
        """Metrics from the module `measures`, chosen by the questions of the run."""
        counts = [outcome.action for outcome in outcomes]
        horizon_list = horizons(instance.parameters)
        if counts and "rate" in counts[0]:
            return competency_metrics(outcomes)
        if counts and "name" in counts[0]:
            return name_metrics(horizon_list, counts)
        return litmus_metrics(horizon_list, counts)


def _key(action: dict[str, Any]) -> Key:
    return action["horizon"], action["amount"], action.get("rate"), action.get("name")


def _action(cell: Cell, counts: dict[str, int]) -> dict[str, Any]:
    treatment = {name: value for name, value in (("rate", cell.rate), ("name", cell.name)) if value is not None}
    return {"horizon": cell.horizon.label, "amount": cell.amount} | treatment | counts
