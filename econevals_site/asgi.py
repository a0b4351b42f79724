import os
import warnings

import django
from django.urls import get_resolver

from econevals_site.serving.bodies import BodyLimit
from econevals_site.serving.libraries import load_libraries
from econevals_site.serving.threads import ThreadKeepingHandler
from infrastructure.processes.memory import settle_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
django.setup(set_prefix=False)
# Django reads the synchronous iterators of WhiteNoise's files whole. The files are small, and browsers cache them.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
application = BodyLimit(ThreadKeepingHandler())
# Imports the views now instead of during the first request.
assert get_resolver().url_patterns
settle_memory()
load_libraries()
