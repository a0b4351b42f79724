import os
import warnings

import django
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
django.setup(set_prefix=False)

from econevals_site.serving.bodies import BodyLimit  # noqa: E402
from econevals_site.serving.threads import ThreadKeepingHandler  # noqa: E402
from infrastructure.processes.memory import settle_memory  # noqa: E402

# WhiteNoise serves files as synchronous iterators, which Django reads whole. They are small, and browsers cache them.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
application = BodyLimit(ThreadKeepingHandler())
# This imports the views now instead of during the first request.
assert get_resolver().url_patterns
settle_memory()
