"""Search of what a site sends for the secrets of an episode: hidden numbers and orders, the optimum, scores, keys."""

import base64
import hashlib
import html
import json
import math
import re
import struct
import zlib
from collections import defaultdict
from contextlib import suppress

from runs.episodes.game import game_of, problem_of
from runs.episodes.secrets import commitment_nonce, season_secret

LEAST_DIGITS = 4
NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?")
NO_NUMBERS = re.compile(r"\b[0-9a-f]{64}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?|\bep_[0-9a-f]{40}\b")
"""Hashes, times and tokens, whose digits are of no number."""

ICON = re.compile(
    r'<svg [^>]*viewBox="0 0 24 24"[^>]*>(\s*<(path|circle|rect|line|ellipse|poly\w+)\s[^>]*/>)*\s*</svg>'
)
"""An icon of the library, whose coordinates are of no number."""

BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
NAMES, NUMBERS = 4, 8
"""So many items of an order in a row betray it."""

NEVER = {
    "quality",
    "score",
    "metrics",
    "hidden",
    "reference",
    "optimum",
    "seed",
    "content_hash",
    "share_of_optimum",
}
"""Keys that no answer to a seat has."""


def leaves(value):
    """Every number in a value of JSON, without its sign."""
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield abs(value)


def keys(value):
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from keys(inner)


def plain(text):
    """The text with what is encoded in it: entities, escapes, and base64 of texts, of compressed texts and of doubles."""
    text = re.sub(r"\\[nrt]", " ", html.unescape(ICON.sub("", text)).replace("\\u0022", '"'))
    found = [text, re.sub(r"<[^>]*>", " ", text)]
    for run in BASE64.findall(text):
        run = run.rstrip("=").replace("-", "+").replace("_", "/")
        with suppress(ValueError):
            content = base64.b64decode(run + "=" * (-len(run) % 4), validate=True)
            with suppress(zlib.error):
                content = zlib.decompress(content, wbits=47)
            found.append(content.decode("ascii", "replace"))
            if len(content) % 8 == 0:
                doubles = struct.unpack(f"<{len(content) // 8}d", content)
                found.append(
                    " ".join(f"{one:.17g}" for one in doubles if math.isfinite(one) and 1e-9 < abs(one) < 1e12)
                )
    return "\n".join(found)


# Numbers


def digits(text):
    """Significant digits of a printed number."""
    return len(re.sub(r"[eE].*|\.", "", text).lstrip("0"))


def numbers(text):
    """The printed numbers of at least LEAST_DIGITS significant digits: their value by their digits."""
    printed = set(NUMBER.findall(NO_NUMBERS.sub(" ", text)))
    return {(digits(one), float(one)) for one in printed if digits(one) >= LEAST_DIGITS}


def long_ones(secrets):
    return [one for one in secrets if digits(f"{one!r}".rstrip("0").rstrip(".")) >= LEAST_DIGITS]


def leaked(text, secrets, allowed, least=LEAST_DIGITS):
    """The secret numbers that a text has with at least so many digits, unless an allowed text has the same number."""
    may_be_told = {float(one) for one in NUMBER.findall(allowed)}
    told = defaultdict(set)
    for count, value in numbers(text):
        if count >= least and value not in may_be_told:
            told[count].add(value)
    return [
        (one, count) for one in long_ones(secrets) for count in told if float(f"{one:.{count - 1}e}") in told[count]
    ]


# Orders


def orders(value):
    """Every list of names or whole numbers in a value, the numbers in such names, and tables as names and numbers in turn."""
    if not isinstance(value, dict | list | tuple):
        return
    inner = list(value.values()) if isinstance(value, dict) else list(value)
    if inner and all(isinstance(one, int) and not isinstance(one, bool) for one in inner):
        yield [str(one) for one in inner]
        if isinstance(value, dict):
            yield [str(part) for pair in value.items() for part in pair]
    elif inner and all(isinstance(one, str) for one in inner) and not isinstance(value, dict):
        yield inner
        if all(re.search(r"\d+$", one) for one in inner):
            counted = [int(re.search(r"\d+$", one)[0]) for one in inner]
            yield from ([str(number - first) for number in counted] for first in (0, 1))
    for one in inner:
        yield from orders(one)


def windows(order):
    """What betrays an order: four names of it in a row; of numbers eight, or all of them."""
    size = NAMES if not any(one.isdecimal() for one in order) else min(NUMBERS, len(order))
    return {tuple(order[start : start + size]) for start in range(len(order) - size + 1) if size >= NAMES}


def leaked_orders(text, hidden, allowed):
    """Parts of hidden orders that stand in a text, however their items are separated, unless an allowed text has them."""
    wanted = {window for order in orders(hidden) for window in windows(order)}
    sizes = {len(window) for window in wanted}

    def runs(words):
        tokens = re.findall(r"\w+", words)
        return {tuple(tokens[start : start + size]) for size in sizes for start in range(len(tokens) - size + 1)}

    return sorted((wanted & runs(text)) - runs(allowed))


# Words


def words_of(episode):
    """Key, nonce and secret of a sealed episode and the hash of its content, as they might be written."""
    if not episode.is_ranked:
        return {problem_of(episode).content_hash}
    problem, secret = problem_of(episode), season_secret(episode.entry.season)
    raw = [problem.seed.to_bytes(32, "big"), commitment_nonce(secret, episode.derivation_path), secret]
    raw.append(bytes.fromhex(problem.content_hash))
    written = {str(problem.seed), hashlib.sha256(raw[0]).hexdigest()}
    return written | {form for one in raw for form in (one.hex(), base64.b64encode(one).decode()[:42])}


def assert_keeps_its_secrets(episode, sent, seat="seat_0"):
    """No secret of the episode was sent to a seat, and the search detects an inserted secret."""
    problem, game = problem_of(episode), game_of(episode)
    text = plain("\n".join(sent))
    observed = [game.observed(outcome, seat) for outcome in game.outcomes]
    allowed = json.dumps([problem.parameters, observed, [outcome.action for outcome in game.outcomes]])
    results = [outcome.result for outcome in game.outcomes]
    qualities = [outcome.quality for outcome in game.outcomes if outcome.quality is not None]
    secrets = {*leaves([problem.hidden, problem.reference, results, qualities])}
    orders = [problem.hidden, problem.reference]
    assert leaked(text, secrets, allowed) == []
    assert leaked_orders(text, orders, allowed) == []
    assert not [word for word in words_of(episode) if word in text]
    names = NEVER | (
        {*keys([problem.hidden, problem.reference, results])} - {*keys(observed), *keys(problem.parameters)}
    )
    names -= {*game.seats, *map(str, keys([outcome.action for outcome in game.outcomes]))}
    assert not [name for name in names if re.search(rf"""["']{re.escape(name)}\\*["']\s*:""", text)]
    exact = long_ones(secrets)
    for written in (
        " ".join(f"It is {secret:.3e}." for secret in exact),
        " ".join(f"It is {secret!r}." for secret in exact),
    ):
        assert {secret for secret, _ in leaked(f"{text} {written}", secrets, "")} == {*exact}
    return exact
