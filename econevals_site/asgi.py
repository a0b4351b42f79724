import os
import warnings

from django.core.asgi import get_asgi_application

from econevals_site.bodies import BodyLimit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
# WhiteNoise hands out files as synchronous iterators, which Django reads whole; they are small and cached by browsers.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
application = BodyLimit(get_asgi_application())
