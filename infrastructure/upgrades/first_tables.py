from typing import Any

from django.db import migrations


class FirstTables(migrations.Migration):
    """A migration that only creates models.

    It renders the models once; Django would render them again for every table. The tables and the record of the migration
    are one transaction, so an interrupted start leaves all of them or nothing.
    """

    def apply(self, project_state: Any, schema_editor: Any, collect_sql: bool = False) -> Any:
        if collect_sql:
            return super().apply(project_state, schema_editor, collect_sql)
        project_state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(self.app_label, project_state)
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, project_state, project_state)
        # Django records a migration after its transaction while statements are deferred.
        while schema_editor.deferred_sql:
            schema_editor.execute(schema_editor.deferred_sql.pop(0), params=None)
        return project_state
