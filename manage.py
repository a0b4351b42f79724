#!/usr/bin/env python
import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from econevals_site.command_line import replace_missing_letters

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
    replace_missing_letters()
    try:
        assert settings.DATA_DIR
    except ImproperlyConfigured as error:
        # The message names the wrong variable or folder. The operator needs no traceback.
        print(error, file=sys.stderr)
        sys.exit(2)
    execute_from_command_line(sys.argv)
