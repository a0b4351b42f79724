"""Secrets in the folder of the code enter neither the image nor the repository."""

import shutil
import subprocess

import pytest

from tests.deployment.files import ROOT, DockerIgnore
from tests.security.address_vectors import words

SECRETS = words("""
    .env .env.local .env.production data/econevals.sqlite3 data/secret_key econevals.sqlite3 econevals.sqlite3-wal
    econevals-2026-01-01-000000.zip key.pem certs/site.key secret_key accounts/.env accounts/.env.local
    accounts/test.sqlite3 econevals_site/certificates/key.pem runs/site.key static/identity.p12
""")
ONLY_IN_IMAGES = [".git/config", ".venv/bin/python", "deploy/id_rsa", "notes.txt", "tests/conftest.py", "dump.sql"]
PACKAGES = [f"{path.parent.name}/__init__.py" for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
NEEDED = [
    "manage.py",
    "requirements.txt",
    "static/css/base.css",
    "templates/base.html",
    "docs/api.md",
    *sorted(PACKAGES),
]


@pytest.mark.parametrize("path", [*SECRETS, *ONLY_IN_IMAGES])
def test_a_secret_stays_out_of_the_image(path):
    assert DockerIgnore((ROOT / ".dockerignore").read_text()).leaves_out(path)


@pytest.mark.parametrize("path", NEEDED)
def test_the_image_contains_everything_that_the_site_runs_on(path):
    assert not DockerIgnore((ROOT / ".dockerignore").read_text()).leaves_out(path)


def test_patterns_match_as_docker_documents():
    ignore = DockerIgnore("# comment\n*/temp*\n**/b\n*.md\n!README.md\n/data/\n")
    out = ["a/temp", "a/tempo/x", "b", "a/c/b/x", "notes.md", "data/x"]
    assert [
        path for path in [*out, "temp", "a/c/temp", "README.md", "a/notes.md", "a/data"] if ignore.leaves_out(path)
    ] == out


def test_git_ignores_every_secret_and_no_tracked_file(tmp_path):
    git = shutil.which("git")
    assert git, "git is needed"
    subprocess.run([git, "init", "--quiet", tmp_path], check=True)
    shutil.copy(ROOT / ".gitignore", tmp_path)

    def ignored(paths):
        asked = subprocess.run(
            [git, "check-ignore", "--stdin"], cwd=tmp_path, input="\n".join(paths), capture_output=True, text=True
        )
        return set(asked.stdout.splitlines())

    assert ignored(SECRETS) == set(SECRETS)
    assert not ignored(
        [str(path.relative_to(ROOT)) for path in ROOT.glob("*/__init__.py")] + ["econevals_site/backups/sqlite.py"]
    )
