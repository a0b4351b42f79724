"""Every measured number of the API has its unit in its description."""

import re

from api.protocol.describing import description
from api.schemas.base import with_units

MEASURES = re.compile(
    r"(^|_)(scores?|differences?|mean|overall|intervals?|standard_error|bounds|least|effect|detectable|litmus|competency"
    r"|reliability|steadiness|costs?|usd|seconds)(_|$)"
)
COUNTS = re.compile(r"_(n|of|runs|scored|launched|rate)$")
UNITS = re.compile(r"points of 100|\bshares?\b|dollars|seconds|standard deviations|Unit: ", re.IGNORECASE)


def is_number(schema):
    if schema.get("type") == "array":
        return is_number(schema.get("items", {}))
    parts = [part for way in ("anyOf", "oneOf") for part in schema.get(way, ())]
    return schema.get("type") in ("number", "integer") or any(map(is_number, parts))


def measured_numbers():
    for name, schema in description()["components"]["schemas"].items():
        for field, properties in schema.get("properties", {}).items():
            if is_number(properties) and MEASURES.search(field) and not COUNTS.search(field):
                yield f"{name}.{field}", properties.get("description", "")


def test_every_score_cost_and_time_of_the_api_states_its_unit():
    described = dict(measured_numbers())
    assert len(described) > 100
    assert {"BenchmarkCell.mean", "RunOut.score", "RunOut.cost_usd", "PeriodOut.seconds"} <= {*described}
    assert {field: text for field, text in described.items() if not UNITS.search(text)} == {}


def test_a_unit_that_the_name_says_is_added_once():
    fields = {"cost_usd": {"description": "Of all runs."}, "seconds": {}, "paid_usd": {"description": "In US dollars."}}
    with_units({"properties": fields})
    assert [field["description"] for field in fields.values()] == [
        "US dollars. Of all runs.",
        "Seconds.",
        "In US dollars.",
    ]
