"""The file format: a file that was changed in any way is refused with one clear sentence."""

import os
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax.io.storage import container
from aucmax.io.storage.container import MAGIC, ModelFileError

PRELUDE = struct.Struct("<8sIQQ")
HEADER = {"kind": "model", "rows": 300}
ARRAYS = [
    np.arange(6.0),
    np.asfortranarray(np.arange(6).reshape(2, 3)),
    np.array(["a", "ö"]),
    np.zeros((0, 2)),
]

fuzz = settings(max_examples=10_000 if os.environ.get("AUCMAX_LONG_TESTS") else 200, deadline=None)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("container") / "model.auc"


@pytest.fixture(scope="module")
def raw(path):
    """The bytes of a file."""
    container.write(path, HEADER, ARRAYS)
    return path.read_bytes()


def test_arrays_keep_type_shape_and_order(raw, path):
    path.write_bytes(raw)
    header, arrays = container.read(path)
    assert HEADER.items() <= header.items()
    for array, expected in zip(arrays, ARRAYS, strict=True):
        assert array.dtype == expected.dtype
        assert array.flags.f_contiguous == expected.flags.f_contiguous
        assert array.flags.writeable
        np.testing.assert_array_equal(array, expected)


def test_other_byte_orders_give_the_same_bytes(raw, path):
    container.write(path, HEADER, [array.astype(array.dtype.newbyteorder(">")) for array in ARRAYS])
    assert path.read_bytes() == raw


def broken_files(raw):
    newer = PRELUDE.pack(MAGIC, 2, *PRELUDE.unpack(raw[: PRELUDE.size])[2:]) + raw[PRELUDE.size :]
    return {
        "is empty": b"",
        "is not a model or checkpoint of aucmax": b"label,age\n1,2\n",
        "is cut off": raw[:-1],
        "has only 20 bytes": raw[:20],
        "written by a newer aucmax": newer,
        "is damaged": raw[:-100] + bytes([raw[-100] ^ 1]) + raw[-99:],
        "is damaged: its checksum": raw + b"\0",
        "first bytes are invalid": raw[:20] + b"\xff" * 8 + raw[28:],
    }


def test_each_broken_file_gives_one_clear_sentence(raw, path):
    for message, content in broken_files(raw).items():
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=message) as caught:
            container.read(path)
        assert "model.auc" in str(caught.value)
        assert "\n" not in str(caught.value)


def check_read(path, content, raw):
    """Only the bytes that were written can be read; all others are refused."""
    path.write_bytes(content)
    if content == raw:
        assert container.read(path)[0]["rows"] == 300
    else:
        with pytest.raises(ModelFileError):
            container.read(path)


@fuzz
@given(data=st.data())
def test_flipped_bits_and_cut_files(data, raw, path):
    content = bytearray(raw)
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = data.draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))
    check_read(path, bytes(content[:cut]), raw)


@fuzz
@given(noise=st.binary(max_size=300), keep=st.integers(0, 60))
def test_random_bytes(noise, keep, raw, path):
    check_read(path, raw[:keep] + noise, raw)
