"""bin/environment installs exactly the listed packages, and only files with a listed hash.

It runs with uv and pip on an index of three small packages in a folder. `uv` there is the one of this environment.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.data_folders import ROOT
from tests.waiting import patience

UV = Path(sys.prefix, "bin", "uv")
pytestmark = [pytest.mark.long, pytest.mark.skipif(not UV.exists(), reason="needs the environment that bin/test makes")]

RUNS_UV = f"""#!/bin/sh
exec '{UV}' "$@"
"""
DIES = """#!/bin/sh
# Like a power cut while a package is written: its description is there, and its module is not.
cp -r "$HALF" "${0%/bin/uv}"/lib/python*/site-packages/
kill -9 $PPID
"""


def wheel(folder, name, files):
    """Write a wheel and return its line of requirements."""
    about = f"{name}-1.0.dist-info"
    files = files | {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {path: hashlib.sha256(text.encode()).digest() for path, text in files.items()}
    coded = {path: base64.urlsafe_b64encode(digest).decode().rstrip("=") for path, digest in digests.items()}
    record = "".join(f"{path},sha256={coded[path]},\n" for path in files) + f"{about}/RECORD,,\n"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name_inside, text in (files | {f"{about}/RECORD": record}).items():
            entry = zipfile.ZipInfo(name_inside)  # With a fixed date, so that the same content has the same hash.
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, text)
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


class Tree:
    """A folder with bin/environment, requirements and an environment; `index` holds the wheels."""

    def __init__(self, folder):
        self.folder, self.index = folder / "a tree", folder / "index"
        (self.folder / "bin").mkdir(parents=True)
        self.index.mkdir()
        shutil.copy(ROOT / "bin/environment", self.folder / "bin")
        self.site = wheel(self.index, "served", {"served.py": "VALUE = 'right'\n"})
        self.more = wheel(self.index, "further", {"further.py": ""})
        self.dev = wheel(self.index, "tester", {"tester.py": ""})
        self.list_packages(self.site, self.dev)
        self.set_uv(RUNS_UV)
        self.variables = os.environ | {
            "HALF": str(folder / "half" / "served-1.0.dist-info"),
            "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": str(self.index), "PIP_NO_INDEX": "1", "root": str(self.folder),
            "UV_CACHE_DIR": str(folder / "cache"), "UV_FIND_LINKS": str(self.index), "UV_NO_INDEX": "1",
        }  # fmt: skip
        self.variables.pop("ECONEVALS_VENV", None)
        self.variables.pop("PIP_REQUIRE_HASHES", None)

    def list_packages(self, site, dev=""):
        (self.folder / "requirements.txt").write_text(site)
        (self.folder / "requirements-dev.txt").write_text(dev)

    def set_uv(self, script):
        pinned = wheel(self.index, "uv", {"uv-1.0.data/scripts/uv": script})
        (self.folder / "requirements-installer.txt").write_text(pinned)

    def start(self, requirements="requirements.txt"):
        command = f"requirements={requirements}; . '{self.folder}/bin/environment'"
        return subprocess.Popen(
            ["sh", "-c", command], env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def install(self, requirements="requirements.txt", code=0):
        process = self.start(requirements)
        printed, _ = process.communicate(timeout=patience())
        assert process.returncode == code, printed
        return printed

    def modules(self):
        return {path.stem for path in self.folder.glob(".venv/lib/python*/site-packages/*.py")}

    def served(self):
        (path,) = self.folder.glob(".venv/lib/python*/site-packages/served.py")
        return path.read_text()


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


@pytest.fixture(params=["uv", "pip"])
def either_way(request, tree):
    """The packages are installed by uv, or by pip because uv cannot be had."""
    if request.param == "pip":
        (tree.index / "uv-1.0-py3-none-any.whl").unlink()
    return request.param


def test_packages_are_installed_once_and_unlisted_packages_removed(tree, either_way):
    printed = tree.install()
    assert ("with pip instead" in printed) == (either_way == "pip")
    assert tree.modules() >= {"served"} and "tester" not in tree.modules()
    assert tree.install() == ""
    tree.list_packages(tree.more)
    tree.install()
    assert "further" in tree.modules() and "served" not in tree.modules()


def test_uv_and_pip_refuse_a_package_with_another_hash(tree):
    wheel(tree.index, "served", {"served.py": "VALUE = 'evil'\n"})
    assert tree.install(code=1).count("failed.") == 2
    assert "served" not in tree.modules()
    wheel(tree.index, "served", {"served.py": "VALUE = 'right'\n"})
    tree.install()
    assert tree.served() == "VALUE = 'right'\n"


def test_uv_and_pip_refuse_a_package_without_a_hash(tree):
    tree.list_packages("served==1.0\n")
    assert tree.install(code=1).count("failed.") == 2
    assert "served" not in tree.modules()


def test_a_tampered_uv_is_not_run(tree):
    marker = tree.folder / "ran"
    wheel(tree.index, "uv", {"uv-1.0.data/scripts/uv": f"#!/bin/sh\ntouch '{marker}'\n"})
    tree.install()
    assert "served" in tree.modules() and not marker.exists()


def test_packages_of_tests_survive_starts_and_changes_of_the_site(tree):
    tree.install("requirements-dev.txt")
    assert tree.modules() >= {"served", "tester"}
    assert tree.install() == ""
    tree.list_packages(tree.site + tree.more, tree.dev)
    tree.install()
    assert tree.modules() >= {"served", "further", "tester"}


def test_an_interrupted_installation_is_repeated(tree, tmp_path):
    half = tmp_path / "half" / "served-1.0.dist-info"
    half.mkdir(parents=True)
    (half / "METADATA").write_text("Metadata-Version: 2.1\nName: served\nVersion: 1.0\n")
    (half / "RECORD").write_text("served.py,,\n")
    tree.set_uv(DIES)
    tree.install(code=-9)
    assert "served" not in tree.modules()
    tree.set_uv(RUNS_UV)
    tree.install()
    assert tree.served() == "VALUE = 'right'\n"


def test_two_simultaneous_starts_install_once(tree):
    both = [tree.start(), tree.start()]
    printed = [process.communicate(timeout=patience())[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], printed
    assert sorted("Installing packages" in text for text in printed) == [False, True]
    assert "served" in tree.modules()
