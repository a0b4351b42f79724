"""Whether this process was asked to stop. Set on SIGTERM; the exchange in flight finishes, the rest is left for others."""

from __future__ import annotations

import threading

stopping = threading.Event()
