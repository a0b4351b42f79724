from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class AddColumn(migrations.AddField):
    """Adds a column with a constant `db_default` without touching a row.

    On SQLite Django would copy the whole table, which takes minutes where it holds gigabytes of replies.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            BaseDatabaseSchemaEditor.add_field(schema_editor, model, model._meta.get_field(self.name))
