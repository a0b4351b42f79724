"""The rules as pure functions."""


def answer(guess: int, number: int) -> str:
    return "right" if guess == number else "too low" if guess < number else "too high"


def closeness(guess: int, number: int, highest: int) -> float:
    """1 for the number itself, falling linearly to 0 at a distance of `highest`."""
    return 1 - abs(guess - number) / highest
