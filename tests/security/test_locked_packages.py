"""The requirements files contain a hash of every package, and the versions of pyproject.toml."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.data_folders import ROOT

FILES = ["requirements.txt", "requirements-dev.txt", "requirements-installer.txt"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LISTED = {
    "requirements.txt": PROJECT["project"]["dependencies"],
    "requirements-dev.txt": PROJECT["dependency-groups"]["dev"],
    "requirements-installer.txt": PROJECT["dependency-groups"]["installer"],
}


def entries(name):
    """The requirements of a file, each with its hashes in one line, without comments and options."""
    text = re.sub(r"^ *#.*\n", "", (ROOT / name).read_text(), flags=re.MULTILINE)
    return [line for line in text.replace("\\\n", "").splitlines() if line]


@pytest.mark.parametrize("name", FILES)
def test_every_line_is_a_version_of_a_package_with_its_hashes(name):
    lines = entries(name)
    assert lines
    for line in lines:
        assert re.fullmatch(r"[a-z0-9-]+==[^ ]+( ; [^#]*?)?( +--hash=sha256:[0-9a-f]{64})+", line), line


def test_locked_versions_match_those_of_the_project():
    locked = {name: {line.split()[0] for line in entries(name)} for name in FILES}
    # A tool of tests may be needed by the site too, and is then in its file.
    locked["requirements-dev.txt"] |= locked["requirements.txt"]
    for name, listed in LISTED.items():
        for requirement in map(Requirement, listed):
            assert f"{canonicalize_name(requirement.name)}{requirement.specifier}" in locked[name]


def test_each_package_is_in_a_single_locked_file():
    names = [line.partition("==")[0] for name in FILES for line in entries(name)]
    assert len(names) == len(set(names))
