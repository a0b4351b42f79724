"""A small OpenID Connect provider on this machine, and the walk of a browser through it."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt


class IdentityProvider:
    """Tells of one person: `claims` is what it says about them, `id_claims` the same in an id token."""

    def __init__(self):
        self.claims: Any = {}
        self.id_claims: dict[str, Any] | None = None
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                answer = provider.configuration() if "well-known" in self.path else provider.claims
                self._send(answer)

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self._send({"access_token": "token", "token_type": "Bearer", "expires_in": 60} | provider.id_token())

            def _send(self, answer):
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def configuration(self):
        names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo"}
        names |= {"jwks_uri": "keys"}
        return {"issuer": self.address} | {name: f"{self.address}/{path}" for name, path in names.items()}

    def id_token(self):
        if self.id_claims is None:
            return {}
        claims = {"iss": self.address, "aud": "us", "exp": time.time() + 60, "iat": time.time()} | self.id_claims
        return {"id_token": jwt.encode(claims, "a secret of thirty-two characters")}

    def apps(self):
        app = {"provider_id": "sso", "name": "Campus", "client_id": "us", "secret": "canary-secret"}
        return {
            "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app | {"settings": {"server_url": self.address}}]}
        }

    def walk(self, browser, process="login"):
        """Press the button, be sent here, come back with a code."""
        away = browser.post(f"/account/oidc/sso/login/?process={process}")
        asked = parse_qs(urlsplit(away["Location"]).query)
        assert away["Location"].startswith(self.address) and "code_challenge" in asked, away["Location"]
        return browser.get(
            "/account/oidc/sso/login/callback/", {"code": "code", "state": asked["state"][0]}, follow=True
        )
