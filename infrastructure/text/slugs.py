"""Slugs of names in any script."""

import hashlib

from django.utils.text import slugify


def ascii_slug(name: str, fallback: str) -> str:
    """Small Latin letters, digits and hyphens; empty for a name without a letter or digit of any script.

    A name without Latin letters, such as 通义千问, gets the fallback and a mark of its own.
    """
    if slug := slugify(name):
        return slug
    return f"{fallback}-{hashlib.sha256(name.encode()).hexdigest()[:6]}" if any(map(str.isalnum, name)) else ""
