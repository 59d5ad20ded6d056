"""atomic_write: the new file appears complete, or the old one stays as it was."""

import os

import pytest

from aucmax.io.storage.atomic import atomic_write


@pytest.fixture
def path(tmp_path):
    """A file with old content."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    return path


def test_an_error_keeps_the_old_file(path):
    with pytest.raises(TypeError), atomic_write(path) as file:
        file.writelines([b"new", "no bytes"])
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["file"]


def test_the_old_file_stays_until_the_block_ends(path):
    with atomic_write(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_permissions_and_links_are_kept(path):
    link = path.parent / "link"
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        assert (path.parent / ".file.part").stat().st_mode & 0o777 == 0o640
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_full_device_is_named():
    with pytest.raises(OSError, match="No space left.*/dev/full"), atomic_write("/dev/full") as file:
        file.write(b"new")


def test_a_missing_folder_is_named(tmp_path):
    target = tmp_path / "no" / "file"
    with pytest.raises(FileNotFoundError) as caught, atomic_write(target):
        pass
    assert caught.value.filename == str(target)


def test_standard_output(capfdbinary):
    with atomic_write("-") as file:
        file.write(b"new")
    assert capfdbinary.readouterr().out == b"new"
