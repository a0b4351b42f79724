"""Walks through pages as a visitor does."""

import re

from django.test import Client

EMBEDDED = ("embed/", "embed/?theme=dark")


def everything_behind(path, *more):
    """Every page and figure that can be reached from a link or a gallery, by following what is on its pages.

    Marks lead to the methodology, which is the same for everybody.
    """
    found: dict[str, str] = {}
    waiting = [path, *(path + inner for inner in more)]
    client = Client()
    while waiting:
        address = waiting.pop(0)
        if address in found or len(found) > 120:
            continue
        response = client.get(address)
        assert response.status_code == 200, address
        found[address] = str(dict(response.items()))
        if response["Content-Type"] == "image/png":
            continue
        found[address] += response.text
        here = address.split("?")[0]
        for target in re.findall(r'(?:href|src|data-figure|data-periods)="([^"#]*)', response.text):
            target = target.replace("&amp;", "&")
            target = here + target if target.startswith("?") else target
            if (
                target.startswith("/")
                and not target.startswith(("/static/", "/methodology/"))
                and not target.endswith("periods/")
            ):
                assert target.startswith(path), f"{address} leads to {target}"
                waiting.append(target)
    return found
