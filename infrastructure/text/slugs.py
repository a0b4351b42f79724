"""Slugs of names in any writing system."""

import hashlib

from django.utils.text import slugify


def ascii_slug(name: str, fallback: str) -> str:
    """Return a slug of lower-case Latin letters, digits and hyphens; "" for a name without any letter or digit.

    A name without Latin letters, such as 通义千问, gets the fallback and a part of the name's hash.
    """
    if slug := slugify(name):
        return slug
    return f"{fallback}-{hashlib.sha256(name.encode()).hexdigest()[:6]}" if any(map(str.isalnum, name)) else ""
