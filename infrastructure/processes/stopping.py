"""Event that is set on SIGTERM. The model call in flight finishes; other workers take over the rest."""

import threading

stopping = threading.Event()
