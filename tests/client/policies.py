"""Baselines as policies of the client: they see what a program of somebody else sees."""

from agents.baselines.registry import BASELINES
from econevals.practice import practice_game

SLUGS = {
    "procurement": "procurement-hill-climber",
    "scheduling": "scheduling-knuth",
    "pricing": "pricing-drift-tracker",
    "efficiency_vs_equality": "equality-greedy-equality",
    "collusiveness_vs_competitiveness": "collusion-best-response",
    "patience_vs_impatience": "patience-rate",
}


def baseline_policy(environment, difficulty, seed=0, *, seat="seat_0", variant="main"):
    game = practice_game(environment, difficulty, seed, variant=variant, with_reference=False)
    baseline = BASELINES[SLUGS[environment]](game.instance, type(game), seat, variant)

    def policy(period):
        if period.questions:
            answers = {
                question["key"]: baseline.answer(
                    question["prompt"], baseline.rng(period.number, f"{question['key']}.0")
                )
                for question in period.questions
            }
            return {key: "A" if ">A<" in text.replace(" ", "") else "B" for key, text in answers.items()}
        moves = baseline.play(period.number)
        tool, arguments = next(moves)
        while tool != period.action["tool"]:
            answer = period.call(tool, **arguments)
            assert not answer.is_error, answer.text
            tool, arguments = moves.send(answer.text)
        return arguments[period.action["argument"]]

    return policy
