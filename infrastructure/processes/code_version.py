"""The version of this code and its commit."""

import subprocess
from functools import cache

from django.conf import settings


@cache
def commit() -> str:
    """Return the commit hash of the code; "" outside of a Git repository, as in a container image."""
    command = ["git", "-C", str(settings.BASE_DIR), "rev-parse", "HEAD"]
    try:
        return subprocess.check_output(command, stderr=subprocess.DEVNULL, text=True, timeout=5).strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def code_version() -> str:
    """Return version and commit, such as '0.1.0, commit 755c42000000'."""
    return f"{settings.VERSION}, commit {commit()[:12]}" if commit() else settings.VERSION
