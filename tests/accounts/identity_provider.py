"""A small OpenID Connect provider on this machine, and the walk of a browser through it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class IdentityProvider:
    """Tells of one person: `claims` is what it says about them."""

    def __init__(self):
        self.claims: dict[str, Any] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                answer = provider.configuration() if "well-known" in self.path else provider.claims
                self._send(answer)

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self._send({"access_token": "token", "token_type": "Bearer", "expires_in": 60})

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
        return {"issuer": self.address} | {name: f"{self.address}/{path}" for name, path in names.items()}

    def apps(self):
        app = {"provider_id": "sso", "name": "Campus", "client_id": "us", "secret": "canary-secret"}
        return {
            "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app | {"settings": {"server_url": self.address}}]}
        }

    def walk(self, browser):
        """Press the button, be sent here, come back with a code."""
        away = browser.post("/account/oidc/sso/login/?process=login")
        asked = parse_qs(urlsplit(away["Location"]).query)
        assert away["Location"].startswith(self.address) and "code_challenge" in asked, away["Location"]
        return browser.get(
            "/account/oidc/sso/login/callback/", {"code": "code", "state": asked["state"][0]}, follow=True
        )
