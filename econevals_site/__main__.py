"""The entry point of bin/econevals."""

import sys

from econevals_site.command_line import main

sys.exit(main(sys.argv[1:]))
