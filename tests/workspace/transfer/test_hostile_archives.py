"""Malicious archives are refused before any byte is unpacked."""

import io
import os
import struct
import zipfile

import pytest

from tests.yardstick import times_as_long
from workspace.transfer.reading.folders import candidates
from workspace.transfer.reading.sources import MAX_FILES, LogRefused, opened, opened_archive
from workspace.transfer.reading.tables import rows


def archive(*entries, pack=zipfile.ZIP_DEFLATED):
    """A zip of (name or ZipInfo, bytes) pairs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", pack) as file:
        for name, content in entries:
            file.writestr(name, content)
    return buffer


def refusal(buffer):
    with pytest.raises(LogRefused) as caught, opened_archive(buffer, "logs.zip") as source:
        assert source
    return str(caught.value)


@pytest.mark.parametrize("path", ["../logs.csv", "a/../../logs.csv", "/etc/logs.csv", "C:/logs.csv", "a\\..\\logs.csv"])
def test_a_path_that_leaves_the_archive_is_refused(path):
    assert "leads out of the archive" in refusal(archive((path, b"x")))


def test_backslashes_separate_folders():
    with opened_archive(archive(("run\\logs.csv", b"x"), ("run\\global_params.csv", b"y")), "logs.zip") as source:
        assert [str(file.path) for file in source.files] == ["run/logs.csv", "run/global_params.csv"]
        assert [file.open().read() for file in source.files] == [b"x", b"y"]


def test_a_symbolic_link_is_refused():
    entry = zipfile.ZipInfo("a/logs.csv")
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    assert "a link or a device" in refusal(archive((entry, b"/etc/passwd")))


@pytest.mark.long
def test_a_file_that_expands_too_much_is_refused():
    assert "more than 200 times its size" in refusal(archive(("a/logs.csv", b"\0" * 30_000_000)))


def test_a_file_is_read_only_up_to_its_stated_size(tmp_path):
    buffer = archive(("a/logs.csv", b"period,prices\n" * 1000), ("a/global_params.csv", b"seed\n0\n"))
    data = bytearray(buffer.getvalue())
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.find(mark) + offset
        data[place : place + 4] = struct.pack("<L", 20)
    cut = io.BytesIO(bytes(data))
    with opened_archive(cut, "logs.zip") as source, pytest.raises(LogRefused, match="cannot be unpacked"):
        list(rows(source.files[0], ()))


@pytest.mark.long
def test_too_many_files_are_refused_before_they_are_listed():
    buffer = archive(*((f"f{number}", b"") for number in range(MAX_FILES + 1)), pack=zipfile.ZIP_STORED)

    def refuse():
        assert f"more than {MAX_FILES:,} files" in refusal(buffer)

    assert times_as_long(refuse, lambda: zipfile.ZipFile(buffer)) < 0.3


def test_a_table_of_contents_with_a_false_length_is_refused():
    buffer = archive(*((f"f{number}", b"") for number in range(50)))
    data = bytearray(buffer.getvalue())
    end = data.rfind(b"PK\x05\x06")
    data[end + 12 : end + 16] = struct.pack("<L", 100_000_000)
    assert "more than" in refusal(io.BytesIO(bytes(data)))


def test_overlapping_files_are_refused():
    """One packed file of a megabyte that a thousand entries point to."""
    one = archive(("a", os.urandom(100_000)))
    data = one.getvalue()
    start, end = data.find(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    entry = data[start:end]
    entries = b"".join(entry[:46] + bytes([97 + n]) for n in range(20))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 20, 20, len(entries), start, 0)
    assert "on top of each other" in refusal(io.BytesIO(data[:start] + entries + tail))


def test_encrypted_unusually_packed_and_duplicate_files_are_refused():
    data = bytearray(archive(("a/logs.csv", b"x")).getvalue())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + offset] |= 1
    assert "is encrypted or packed in an unusual way" in refusal(io.BytesIO(bytes(data)))
    assert "is encrypted or packed in an unusual way" in refusal(archive(("a", b"x" * 100), pack=zipfile.ZIP_LZMA))
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = archive(("a", b"x"), ("a", b"y"))
    assert "twice" in refusal(twice)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x05\x06" + b"\0" * 5, b"PK\x03\x04" + b"\xff" * 100 + b"PK\x05\x06" + b"\1" * 18]
)
def test_a_file_that_is_not_an_archive_is_refused(content):
    assert refusal(io.BytesIO(content))


def test_nested_archives_are_not_opened(tmp_path):
    inner = archive(("a/logs.csv", b"x"), ("a/global_params.csv", b"y")).getvalue()
    with opened_archive(archive(("inner.zip", inner)), "x.zip") as source, pytest.raises(LogRefused, match="no folder"):
        candidates(source)


@pytest.mark.long
def test_a_symbolic_link_in_a_folder_on_the_server_is_refused(tmp_path):
    (tmp_path / "logs.csv").symlink_to("/etc/passwd")
    with pytest.raises(LogRefused, match="logs.csv is a link"), opened(tmp_path):
        pass
