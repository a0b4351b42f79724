"""Inspect tasks, one for each game: `inspect eval econevals/pricing -T difficulty=HARD -T seeds=0-2 --model ...`.

A sample is a whole run on the public instance of a seed. It is played by the chat loop of the site. It is practice, which
is never ranked.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import anyio
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCallError, ToolInfo, ToolParams
from inspect_ai.util import collect, span

from agents.llm import Reply, Request, ToolCall
from agents.loop import PeriodChat
from agents.survey import SurveyChat, SurveyPosition
from agents.tools import Notes
from econevals.practice import RANKED, baseline_action, easiest, practice_game
from environments.base import Environment, Outcome
from environments.generation import parse_seeds
from environments.prompts.sets import prompts_of
from environments.registry import ENVIRONMENTS
from environments.survey import Survey

GAME, PERIODS = "game", "periods"
"""Keys of a sample's metadata. GAME holds the options of the game. PERIODS holds the played periods, as a list of
{"period", "action", "result", "quality", "ended", "notes"}."""


def _task_of(environment: str) -> Callable[..., Task]:
    def game(
        difficulty: str = "",
        seeds: str | int | Sequence[str | int] = "0",
        variant: str = "main",
        generator: str = "published",
        periods: int | None = None,
        reasoning: bool = False,
        rival: str = "",
    ) -> Task:
        """Play a game with Inspect's model.

        Args:
            difficulty: Difficulty of the instances, by default the easiest.
            seeds: Seeds of the public instances, such as 0-2 or 0,4,7.
            variant: Variant of the prompts.
            generator: Generator of the instances.
            periods: Length of a run, by default and at most that of the papers.
            reasoning: Use the wording for reasoning models, and no temperature.
            rival: Baseline in the second seat of a market of two, by default the model itself.
        """
        written = seeds if isinstance(seeds, str | int) else ",".join(map(str, seeds))
        options = {"variant": variant, "generator": generator, "periods": periods, "reasoning": reasoning}
        difficulty = difficulty or easiest(environment)
        samples = [
            _sample({"environment": environment, "difficulty": difficulty, "seed": seed} | options)
            for seed in parse_seeds(str(written))
        ]
        return Task(
            dataset=MemoryDataset(samples, name=f"{environment} {difficulty}"),
            solver=play(rival),
            scorer=score(),
            config=GenerateConfig(temperature=None if reasoning else 1.0),
            version=prompts_of(ENVIRONMENTS[environment].prompt_set, variant).version,
            metadata={"ranked": False, "note": RANKED},
        )

    registered: Callable[..., Task] = task(name=environment)(game)
    return registered


def _sample(recipe: dict[str, Any]) -> Sample:
    game = practice_game(**recipe, with_reference=False)
    prompt = game.questions()[0].prompt if isinstance(game, Survey) else game.initial_prompt()
    return Sample(prompt, id=f"{recipe['difficulty']} {recipe['seed']}", metadata={GAME: recipe, "ranked": False})


@solver(name="play")
def play(rival: str = "") -> Solver:
    """Return a solver that plays all periods. In a market of two, the baseline `rival` plays the second seat.

    Without `rival` the model plays both seats.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        game = await anyio.to_thread.run_sync(partial(practice_game, **state.metadata[GAME]))
        model = get_model()
        notes = {seat: Notes() for seat in game.seats}
        state.metadata[PERIODS] = []
        while not game.finished:
            async with span(f"Period {game.period}"):
                outcome = game.step(game.joint_action(await _actions(game, notes, model, state, rival)))
            written = {seat: notes[seat].by_period.get(outcome.period, []) for seat in game.seats}
            state.metadata[PERIODS].append(vars(outcome) | {"notes": written})
        return state

    return solve


async def _actions(
    game: Environment, notes: dict[str, Notes], model: Model, state: TaskState, rival: str
) -> dict[str, dict[str, Any]]:
    if isinstance(game, Survey):
        return {game.seats[0]: await _answers(game, model)}
    theirs = {seat: baseline_action(game, rival, seat) for seat in game.seats[1:] if rival}
    own_seats = [seat for seat in game.seats if seat not in theirs]
    own = await collect(*(_action(PeriodChat(game, notes[seat], seat), model, state) for seat in own_seats))
    return dict(zip(own_seats, own, strict=True)) | theirs


async def _action(chat: PeriodChat, model: Model, state: TaskState) -> dict[str, Any]:
    """Let the model chat until it takes an action for one seat, and return the action.

    Raises Stalled, which ends the sample with an error, because such a run has no score.
    """
    messages: list[ChatMessage] = []
    while chat.action is None:
        request = chat.request()
        if not request.turns:
            messages = [ChatMessageSystem(content=request.system), ChatMessageUser(content=request.prompt)]
        # At the end, the messages of the sample are the chat of the last period. The transcript has the chats of all.
        state.messages = messages
        state.output = await model.generate(messages, tools=_tools(request), tool_choice="any")
        message = state.output.message
        results = chat.receive(_reply(message))
        messages.append(message)
        for result in results:
            error = ToolCallError("unknown", result.text) if result.is_error else None
            messages.append(
                ChatMessageTool(content=result.text, tool_call_id=result.call_id, function=result.name, error=error)
            )
        if chat.action is None:
            messages.append(ChatMessageUser(content=chat.environment.reply_prompt(chat.seat)))
    return chat.action


async def _answers(survey: Survey, model: Model) -> dict[str, Any]:
    """Ask all pending questions of a survey's period at the same time, and return the action."""
    chat = SurveyChat(survey)

    async def ask(position: SurveyPosition, request: Request) -> None:
        chat.receive(position, Reply(text=(await model.generate(request.prompt)).completion, stop="end"))

    while not chat.finished:
        await collect(*(ask(position, request) for position, request in chat.pending()))
    return chat.action


def _tools(request: Request) -> list[ToolInfo]:
    """Return the tools for Inspect with unchanged schemas: those of the papers omit additionalProperties."""
    return [
        ToolInfo(
            name=tool.name,
            description=tool.description,
            parameters=ToolParams.model_validate({"additionalProperties": None} | tool.input_schema),
        )
        for tool in request.tools
    ]


def _reply(message: ChatMessageAssistant) -> Reply:
    calls = tuple(
        ToolCall(call.id, call.function, None, call.parse_error)
        if call.parse_error
        else ToolCall(call.id, call.function, call.arguments)
        for call in message.tool_calls or ()
    )
    return Reply(text=message.text, calls=calls)


@scorer(metrics=[mean(), stderr()], name="score")
def score() -> Scorer:
    """Return a scorer that computes the score as the site does. The metadata of the score holds the game's metrics."""

    async def score_run(state: TaskState, target: Target) -> Score:
        game = await anyio.to_thread.run_sync(partial(practice_game, **state.metadata[GAME]))
        outcomes = [
            Outcome(**{name: value for name, value in period.items() if name != "notes"})
            for period in state.metadata.get(PERIODS, ())
        ]
        game_score = game.score(game.instance, outcomes, game.periods, game.variant)
        metrics = game.metrics(game.instance, outcomes, game.periods)
        if game_score.value is None:
            return Score.unscored(explanation=game_score.note, metadata=metrics)
        return Score(value=game_score.value, explanation=f"{RANKED} {len(outcomes)} periods.", metadata=metrics)

    return score_run


TASKS = {name: _task_of(name) for name in ENVIRONMENTS}
