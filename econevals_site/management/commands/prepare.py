import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from econevals_site.static_files.fonts import build_fonts
from infrastructure.commands import QuickCommand


class Command(QuickCommand):
    help = "Build the fonts and collect the static files, if they changed."

    def handle(self, **options: Any) -> None:
        build_fonts(settings.DATA_DIR / "fonts")
        stamp = settings.DATA_DIR / "static-stamp"
        # A hash of all source files and of the versions of the packages that collect them.
        source_hash = hashlib.sha256(f"{version('django')} {version('whitenoise')}".encode())
        for finder in get_finders():
            for path, storage in sorted(finder.list([]), key=lambda entry: entry[0]):
                content = hashlib.sha256(Path(storage.path(path)).read_bytes()).hexdigest()
                source_hash.update(f"{path} {content}\n".encode())
        digest = source_hash.hexdigest()
        # If nothing changed, a restart need not wait for compression.
        if (settings.STATIC_ROOT / "staticfiles.json").exists() and stamp.exists() and stamp.read_text() == digest:
            return
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.write_text(digest)
