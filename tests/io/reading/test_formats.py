"""The registry of formats: every entry can be recognised and read."""

import pytest

from aucmax.io import read
from aucmax.io.reading.formats import FORMATS, find_format
from aucmax.validation.optional import import_optional


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_format_has_a_reader_and_an_extension(format):
    module, _, name = format.reader.partition(":")
    reader = getattr(import_optional(f"aucmax.io.reading.{module}", "testing"), name)
    reader = getattr(reader, "func", reader)
    assert {"read", "chunks"} <= set(dir(reader))
    for extension in format.extensions:
        assert find_format(None, f"rows{extension}", b"") is format
        assert find_format(None, f"rows{extension}.gz", b"") is format
    for magic in format.magic:
        assert find_format(None, "rows", magic + b"...") is format


def test_the_documented_formats_are_those_of_the_registry():
    listed = ", ".join(f'"{name}"' for name in FORMATS)
    assert f"format : {{{listed}}}" in read.__doc__
