from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class AddColumn(migrations.AddField):
    """Adds a column with a constant `db_default` without touching a row, unless an interrupted migration has added it.

    On SQLite Django would copy the whole table, which takes minutes where it holds gigabytes of replies.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        connection = schema_editor.connection
        if not self.allow_migrate_model(connection.alias, model):
            return
        with connection.cursor() as cursor:
            described = connection.introspection.get_table_description(cursor, model._meta.db_table)
        field = model._meta.get_field(self.name)
        if field.column not in {column.name for column in described}:
            BaseDatabaseSchemaEditor.add_field(schema_editor, model, field)
