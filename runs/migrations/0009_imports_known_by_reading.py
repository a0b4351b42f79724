from __future__ import annotations

import hashlib
from typing import Any

from django.db import migrations


def add_reading(apps: Any, schema_editor: Any) -> None:
    """The hash of an import covers how its log was read: an import that was read wrongly no longer hides the right one."""
    rows = apps.get_model("runs", "ImportedRun").objects.select_related("run")
    for row in rows.only("content_hash", "run__variant", "run__reasoning", "run__periods").iterator(chunk_size=500):
        read = f"{row.content_hash} {row.run.variant} {row.run.reasoning} {row.run.periods}"
        row.content_hash = hashlib.sha256(read.encode()).hexdigest()
        row.save(update_fields=["content_hash"])


class Migration(migrations.Migration):
    dependencies = [("runs", "0008_imports_in_workers")]

    operations = [migrations.RunPython(add_reading, migrations.RunPython.noop)]
