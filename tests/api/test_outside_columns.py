"""Outside columns by program."""

from tests.outside import CSV


def test_programs_add_read_and_delete_columns(owning):
    answer = owning.post("/outside-columns", {"csv": CSV, "unit": "points"})
    (column,) = answer.json()["columns"]
    assert column["values"]["GPT-5"] == 3 and column["measure"] == f"outside.{column['id']}"
    assert owning.get(f"/outside-columns/{column['id']}").json()["unmatched"] == ["Nobody"]
    refused = owning.post("/outside-columns", {"csv": "model,A\nx,nan\n"}).json()
    assert refused["error"]["fields"]["csv"].startswith("Line 2")
    relation = owning.get(f"/answers/generalizability?x={column['measure']}&y=released").json()
    assert relation["correlations"][1]["points"] == 3
    assert owning.send("delete", f"/outside-columns/{column['id']}").status_code == 204
