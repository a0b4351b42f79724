"""A report as a reader sees it."""

import re
from html import unescape

SCRIPTS = re.compile(r"<script\b[^>]*>.*?</script>", re.DOTALL)


def text_of(response):
    assert response.status_code == 200 and response["Content-Type"].startswith("text/html")
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response.streaming_content).decode()


def words(report):
    """What a reader sees."""
    return " ".join(
        unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", SCRIPTS.sub("", report)))).split()
    )
