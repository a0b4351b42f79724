"""Secrets of seasons, and the keys of instances and nonces of commitments that are derived from them.

Everything is derived from the season's secret, so revealing that secret lets everybody draw and check every instance.
"""

import hashlib
import hmac
import secrets

from accounts.secrets import Rotation, seal, unseal
from runs.episodes.models import Season

TOKEN_PREFIX = "ep_"  # noqa: S105 - the beginning of every episode token
TOKEN_BYTES = 20


def token_new() -> str:
    return TOKEN_PREFIX + secrets.token_hex(TOKEN_BYTES)


def season_secret_new(slug: str) -> tuple[bytes, str]:
    """Create a secret of 256 bits. Returns (encrypted secret, SHA-256 of the secret, which is published)."""
    secret = secrets.token_bytes(32)
    return seal(secret.hex(), _context(slug)), hashlib.sha256(secret).hexdigest()


def season_secret(season: Season) -> bytes:
    """The decrypted secret of a season. Raises KeyUnreadable if the site's key is gone."""
    return bytes.fromhex(unseal(bytes(season.secret), _context(season.slug)))


def instance_key(secret: bytes, derivation_path: str) -> int:
    """The 256-bit key from which the generator `ranked` draws an instance.

    derivation_path: 'ORGANIZATION/ENTRY/EPISODE' in numbers; fixed before the draw, so that nobody can choose an
        instance
    """
    return int.from_bytes(_derived(secret, f"instance {derivation_path}"))


def commitment_nonce(secret: bytes, derivation_path: str) -> bytes:
    return _derived(secret, f"nonce {derivation_path}")


def season_secrets_rotate(rotation: Rotation) -> None:
    """Encrypt the secrets of all seasons again with a new key. A hook of accounts."""
    for season in Season.objects.all():
        renewed = rotation.renew(bytes(season.secret), _context(season.slug))
        if renewed is not None:
            rotation.renewed += Season.objects.filter(pk=season.pk, secret=season.secret).update(secret=renewed)


def _derived(secret: bytes, purpose: str) -> bytes:
    return hmac.new(secret, purpose.encode(), hashlib.sha256).digest()


def _context(slug: str) -> str:
    return f"season {slug}"
