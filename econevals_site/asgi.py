import os
import warnings

from django.core.asgi import get_asgi_application
from django.urls import get_resolver

from econevals_site.serving.bodies import BodyLimit
from infrastructure.processes.memory import settle_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
# WhiteNoise serves files as synchronous iterators, which Django reads whole. They are small, and browsers cache them.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
application = BodyLimit(get_asgi_application())
# This imports the views now instead of during the first request.
assert get_resolver().url_patterns
settle_memory()
