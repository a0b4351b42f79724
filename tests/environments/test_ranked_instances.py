"""Sealed instances: agents cannot infer the key, and anybody can check it once it is revealed."""

import hashlib
import hmac
import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from environments.base import InvalidSettings
from environments.generation import MAX_SEED, RANKED, commitment, kind_of, streams
from environments.registry import ENVIRONMENTS, GENERATION, generate
from tests.environments.cast import act, small_settings

KEY = int.from_bytes(hashlib.sha256(b"the key of an episode").digest(), "big")
SEALED = [name for name in ENVIRONMENTS if GENERATION[name].can_be_sealed]
WINDOW = 300_000
"""Seeds tried. All 2^32 take 14,000 times as long, some hours on one core."""


# The seed hunt: from what one period of pricing prints to the whole problem.


def printed_costs(instance):
    """The costs of all products as the history prints them after one period."""
    environment = ENVIRONMENTS["pricing"](instance)
    outcome = act(environment, str(dict.fromkeys(environment.products, 10)))
    return np.array([float(cost) for cost in re.findall(r"^Cost: (\S+)$", environment.feedback(outcome), re.MULTILINE)])


def first_cost(seeds):
    """The first cost of pricing HARD of many public seeds at once.

    It is the eleventh number of the stream, so it needs words 20 and 21 of the Mersenne Twister (Matsumoto and Nishimura
    1998), which follow from words 20 to 22, 417 and 418 of its initial state.
    """
    word, kept = seeds.astype(np.uint32), {}
    for place in range(1, 419):
        word = np.uint32(1812433253) * (word ^ (word >> np.uint32(30))) + np.uint32(place)
        if place in (20, 21, 22, 417, 418):
            kept[place] = word
    drawn = []
    for place in (20, 21):
        mixed = (kept[place] & np.uint32(0x80000000)) | (kept[place + 1] & np.uint32(0x7FFFFFFF))
        y = kept[place + 397] ^ (mixed >> np.uint32(1)) ^ ((mixed & np.uint32(1)) * np.uint32(0x9908B0DF))
        y ^= y >> np.uint32(11)
        y ^= (y << np.uint32(7)) & np.uint32(0x9D2C5680)
        y ^= (y << np.uint32(15)) & np.uint32(0xEFC60000)
        drawn.append(y ^ (y >> np.uint32(18)))
    high, low = drawn[0] >> np.uint32(5), drawn[1] >> np.uint32(6)
    return 1 + (high * 67108864.0 + low) / 9007199254740992.0


def hunted(costs, seeds):
    """The public seeds whose costs are printed so."""
    likely = seeds[np.abs(first_cost(seeds) - costs[0]) <= 0.0051]
    return [seed for seed in likely.tolist() if fits(np.random.RandomState(seed), costs, skipped=len(costs))]


def fits(stream, costs, skipped=0):
    return bool(np.all(np.abs(stream.uniform(1, 2, skipped + len(costs))[skipped:] - costs) <= 0.0051))


@pytest.mark.long
def test_the_costs_of_a_single_period_reveal_a_public_seed():
    secret = 217_041
    instance = generate("pricing", "HARD", secret)
    found = hunted(printed_costs(instance), np.arange(WINDOW))
    assert found == [secret]
    best = generate("pricing", "HARD", found[0]).reference["optimal_prices"][0]
    environment = ENVIRONMENTS["pricing"](instance)
    assert act(environment, str(dict(zip(environment.products, best, strict=True)))).quality == pytest.approx(1)


@pytest.mark.long
def test_the_same_search_does_not_reveal_the_key_of_a_ranked_instance():
    costs = printed_costs(generate("pricing", "HARD", KEY, RANKED))
    words = np.frombuffer(KEY.to_bytes(32, "big"), ">u4").astype(np.int64)
    # The words of the key, what they fold to, and the numbers about each are tried as seeds and as keys.
    likely = [*words.tolist(), int(np.bitwise_xor.reduce(words)), KEY % 2**32, KEY >> 224, KEY % (2**32 - 1)]
    near = np.unique(np.concatenate([np.arange(seed - 100, seed + 100) % 2**32 for seed in likely]))
    assert hunted(costs, np.arange(WINDOW)) == hunted(costs, near) == []
    keys = [*near.tolist(), *(seed << 224 for seed in likely), KEY ^ 1, KEY >> 1, KEY ^ (1 << 255)]
    assert [key for key in (*keys, KEY) if fits(*streams(key, RANKED, "costs"), costs)] == [KEY]


@pytest.mark.long
def test_the_kind_of_a_ranked_instance_reveals_neither_key_nor_prints():
    keys = [int.from_bytes(hashlib.sha256(bytes([i % 256, i // 256])).digest(), "big") for i in range(800)]
    shifts = [kind_of(key, RANKED, 2) for key in keys]
    rankings = [kind_of(key, RANKED, 12) // 3 for key in keys]
    cents = [int(streams(key, RANKED, "costs")[0].uniform(1, 2) * 100) for key in keys]
    kinds_of_seed = [[n % 2 for n in keys], [n % 12 for n in keys], [n % 256 for n in keys], [n >> 252 for n in keys]]
    for told in (*kinds_of_seed, [n % 2 for n in cents], [n % 12 for n in cents]):
        for kinds in (shifts, rankings):
            counts = Counter(zip(told, kinds, strict=True))
            table = [[counts[value, kind] for kind in sorted(set(kinds))] for value in sorted(set(told))]
            assert chi2_contingency(table).pvalue > 0.001, table
    # The test would notice the kinds of the public generators.
    counts = Counter((key % 12, key % 12 // 3) for key in keys)
    assert chi2_contingency([[counts[value, kind] for kind in range(4)] for value in range(12)]).pvalue < 1e-9


def test_kinds_of_instances_are_drawn_as_documented():
    for key in range(40):
        _, hidden = GENERATION["pricing"].build({"products": 1, "nests": 1}, key, RANKED)
        assert hidden["shift"] == ("linear", "periodic")[kind_of(key, RANKED, 2)]
        _, hidden = GENERATION["scheduling"].build({"size": 12, "feedback_pairs": 1}, key, RANKED)
        tasks_agree = len(set(map(tuple, hidden["task_preferences"].values()))) == 1
        assert tasks_agree == (kind_of(key, RANKED, 12) // 3 >= 2)


# The streams


def test_every_bit_of_key_and_purpose_changes_a_stream():
    def begin(key, purpose):
        return tuple(streams(key, RANKED, purpose)[0].get_state()[1].tolist())

    begun = {begin(KEY ^ (1 << bit), purpose) for bit in range(256) for purpose in ("costs", "demand")}
    assert len(begun | {begin(KEY, "costs"), begin(KEY, "demand"), begin(KEY, "ceilings")}) == 2 * 256 + 3


def test_a_stream_is_seeded_with_the_eight_words_of_the_hmac():
    digest = hmac.new(KEY.to_bytes(32, "big"), b"costs", hashlib.sha256).digest()
    words = [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)]
    costs = np.random.RandomState(words).uniform(1, 2, 10).tolist()
    assert generate("pricing", "HARD", KEY, RANKED).parameters["costs"] == costs


def test_public_generators_draw_all_values_from_a_single_stream():
    first, second = streams(7, "published", "costs", "demand")
    assert first is second
    assert first.uniform() == np.random.RandomState(7).uniform()
    assert [kind_of(seed, "published", 12) for seed in (0, 13, 24)] == [0, 1, 0]


PINNED = {
    "procurement": "0c0a30d97c5a50dc961fbed0465632dedbb604c39c2ac60892a6c8d738cfa26a",
    "scheduling": "a93660f9e1a733b3f659edaaf758a7eb2a882d86ba24f603a910e8e24a541390",
    "efficiency_vs_equality": "f2d1ebd5f5708655617083cc31555df06d8ed18a6bcafc8d10f218d930b41b64",
}


@pytest.mark.parametrize("name", list(PINNED))
def test_a_revealed_key_draws_the_same_instance_in_later_versions(name):
    level = next(iter(GENERATION[name].difficulties))
    assert generate(name, level, KEY, RANKED, with_reference=False).content_hash == PINNED[name]


# Bounds


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
@pytest.mark.parametrize("key", [-1, 2**256, True, 1.0, "1", None])
def test_a_key_out_of_bounds_is_refused(name, key):
    with pytest.raises(InvalidSettings) as refused:
        generate(name, "CUSTOM", key, RANKED, settings=small_settings(name))
    assert refused.value.errors["seed"] == "The key of a ranked instance must be a whole number from 0 to 2^256 - 1."
    for generator in ("published", "paper_text"):
        with pytest.raises(InvalidSettings):
            generate(name, "CUSTOM", MAX_SEED + 1, generator, settings=small_settings(name))


@pytest.mark.parametrize("name", SEALED)
def test_every_key_gives_a_playable_instance(name):
    for key in (0, 1, 2**32, 2**256 - 1):
        instance = generate(name, "CUSTOM", key, RANKED, settings=small_settings(name))
        assert (instance.seed, instance.generator) == (key, RANKED)
        assert json.loads(json.dumps(instance.as_json())) == instance.as_json()


def test_environments_without_hidden_values_have_no_ranked_instances():
    unsealed = [name for name in ENVIRONMENTS if name not in SEALED]
    assert unsealed == ["collusiveness_vs_competitiveness", "patience_vs_impatience"]
    for name in unsealed:
        with pytest.raises(InvalidSettings) as refused:
            generate(name, "STANDARD", KEY, RANKED)
        assert set(refused.value.errors) == {"generator"}


# The commitment


@pytest.mark.long
def test_a_commitment_can_be_checked_by_hand_from_the_published_instance():
    nonce = bytes(range(32))
    for name in SEALED:
        level = next(iter(GENERATION[name].difficulties))
        instance = generate(name, level, KEY, RANKED)
        content = json.loads(json.dumps(instance.as_json(), indent=1))
        del content["reference"]
        written = json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
        by_hand = hashlib.sha256(nonce + bytes.fromhex(f"{KEY:064x}") + written).hexdigest()
        assert commitment(nonce, instance) == by_hand
        # A worker may have added the reference, which is computed from the rest.
        assert commitment(nonce, replace(instance, reference={})) == by_hand


def test_a_commitment_binds_nonce_key_and_content():
    instance = generate("pricing", "BASIC", KEY, RANKED)
    costs = replace(instance, parameters=instance.parameters | {"costs": [1.5]})
    made = {
        commitment(nonce, committed)
        for nonce in (b"a" * 32, b"b" * 32)
        for committed in (instance, costs, replace(instance, seed=KEY ^ 1), replace(instance, difficulty="HARD"))
    }
    assert len(made) == 8 and all(re.fullmatch("[0-9a-f]{64}", digest) for digest in made)
