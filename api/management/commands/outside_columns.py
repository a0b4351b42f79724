from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError

from accounts.models import Organization
from analysis.generalizability.outside import columns_of_file
from analysis.generalizability.players import own_players, published_players
from analysis.generalizability.selectors import measure_of, outside_columns, unmatched
from analysis.generalizability.services import outside_column_delete, outside_columns_create
from analysis.models import OutsideColumn
from api.management.filters import owner_from
from infrastructure.commands import QuickCommand
from infrastructure.text.formats import counted
from runs.management.launches import add_json_argument, fail, print_json


class Command(QuickCommand):
    help = "List outside columns, add those of a CSV, or delete one by its name."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--add", metavar="FILE", help="a CSV: headings, then a name and numbers in each line")
        parser.add_argument("--unit", default="", help="unit of the added columns")
        parser.add_argument("--source", default="", help="where the values of the added columns come from")
        parser.add_argument("--delete", metavar="NAME", help="delete this column; it cannot be undone")
        parser.add_argument("--organization", metavar="SLUG", help="default: the first of the site")
        add_json_argument(parser)

    def handle(self, *, organization: str | None, add: str | None, delete: str | None, **options: Any) -> None:
        owner = owner_from(organization)
        if add:
            self._add(owner, add, options["unit"], options["source"])
        if delete:
            column = OutsideColumn.objects.filter(organization=owner, name=delete).first()
            outside_column_delete(column=column or fail(f"There is no outside column {delete!r}."))
        self._print(owner, as_json=options["json"])

    def _add(self, owner: Organization, file: str, unit: str, source: str) -> None:
        try:
            columns = columns_of_file(Path(file).read_bytes())
            outside_columns_create(organization=owner, user=None, columns=columns, unit=unit, source=source)
        except OSError as error:
            fail(f"{file} could not be read: {error.strerror or error}.")
        except ValidationError as error:
            fail(error.messages[0])

    def _print(self, owner: Organization, *, as_json: bool) -> None:
        players = [*own_players(owner).values(), *published_players().values()]
        rows = [
            {
                "measure": measure_of(column).key,
                "name": column.name,
                "unit": column.unit,
                "source": column.source,
                "values": column.values,
                "unmatched": unmatched(column, players),
            }
            for column in outside_columns(organization=owner)
        ]
        if as_json:
            print_json({"columns": rows})
            return
        for row in rows:
            missing = f"; matching nothing: {', '.join(row['unmatched'])}" if row["unmatched"] else ""
            self.stdout.write(
                f"{row['measure']}  {row['name']}: {counted(len(row['values']), 'value,values')}{missing}"
            )
        if not rows:
            self.stdout.write("There are no outside columns.")
