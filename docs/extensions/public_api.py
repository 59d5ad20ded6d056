"""Pages of the reference, made from the package's lists of public names, so that none can be forgotten.

``make_pages`` makes one page for each public module and one for each name in its ``__all__``;
``link_targets`` has the names that become links to these pages in the guides.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import aucmax

# What a reader looks for first; modules that are not named here follow.
ORDER = ["aucmax", "aucmax.metrics", "aucmax.plot", "aucmax.io", "aucmax.distributed", "aucmax.losses"]

# Lists and the like have no docstring of their own.
DATA = {
    "aucmax.losses.LOSSES": "The losses that estimators take by name, in a dictionary.",
    "aucmax.testing.CHECKS": "All checks of this module, in a list.",
}


class Entry(NamedTuple):
    """A public name: the module that offers it, and what it is."""

    module: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def docstring(self) -> str:
        return DATA.get(self.path) or inspect.getdoc(self.value) or ""

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring, in one line."""
        return " ".join(self.docstring.split("\n\n")[0].split())


def public_modules() -> list[str]:
    """The package and its public modules."""
    found = ["aucmax", *(f"aucmax.{name}" for name in dir(aucmax) if inspect.ismodule(getattr(aucmax, name)))]
    return sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


def public_names(module: str) -> list[Entry]:
    """The entries of the module's ``__all__``: functions, then classes, then data, each in its order."""
    found = import_module(module)
    entries = [Entry(module, name, getattr(found, name)) for name in found.__all__]
    return sorted(entries, key=lambda entry: (not callable(entry.value), inspect.isclass(entry.value)))


def own_members(cls: type) -> list[str]:
    """Public methods and properties that the package itself defines, in the order of the source."""
    classes = [each for each in cls.__mro__ if each.__module__.split(".")[0] == "aucmax"]
    found: dict[str, Any] = {}
    for each in reversed(classes):
        found |= {name: value for name, value in vars(each).items() if not name.startswith("_")}
    return [name for name, value in found.items() if _is_member(name, value)]


def _is_member(name: str, value: Any) -> bool:
    """Whether a method or property has an entry; fitted attributes have theirs in the class docstring."""
    return inspect.isfunction(value) or (isinstance(value, property) and not name.endswith("_"))


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"


def _page(entry: Entry) -> str:
    """The page of one name."""
    text = f".. currentmodule:: {entry.module}\n\n" + _title(entry.name)
    if inspect.isclass(entry.value):
        text += f".. autoclass:: {entry.name}\n\n"
        for name in own_members(entry.value):
            kind = "property" if isinstance(getattr(entry.value, name), property) else "method"
            text += f"   .. auto{kind}:: {name}\n\n"
    elif callable(entry.value):
        text += f".. autofunction:: {entry.name}\n\n"
    else:
        return text + f".. py:data:: {entry.name}\n\n   {entry.docstring}\n"
    return text + f".. minigallery:: {entry.path}\n   :add-heading: Examples with {entry.name}\n"


def _groups(module: str) -> dict[str, list[Entry]]:
    """The names of a module by heading: those of the package by the comments of its stub file."""
    entries = public_names(module)
    if module != "aucmax":
        return {"": entries} if entries else {}
    stub = Path(aucmax.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    heading, found = "", {}
    for line in stub.splitlines():
        heading = line.removeprefix("# ") if line.startswith("# ") else heading
        found |= {entry.name: heading for entry in entries if line.endswith(f" as {entry.name}")}
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(found[entry.name], []).append(entry)
    return groups


def _tables(module: str) -> str:
    """A table for each group of a module's names."""
    return "".join(f"{heading}\n\n{_table(entries)}" for heading, entries in _groups(module).items())


def _table(entries: list[Entry]) -> str:
    """Names with links, and what they are."""
    text = ".. list-table::\n   :class: names\n   :widths: 30 70\n\n"
    for entry in entries:
        text += f"   * - :py:obj:`{entry.name} <{entry.path}>`\n     - {entry.summary}\n"
    return text + "\n"


def _toctree(names: list[str]) -> str:
    return ".. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in names) + "\n"


def make_pages() -> dict[str, str]:
    """The text of each page by its name: all public names, their modules, and the index of the reference."""
    pages = {}
    index = _title("API reference") + _toctree(public_modules())
    for module in public_modules():
        entries = public_names(module)
        pages |= {entry.path: _page(entry) for entry in entries}
        contents = (
            f".. automodule:: {module}\n\n" + _tables(module) + _toctree([each.path for each in entries])
        )
        pages[module] = _title(module) + contents
        heading = f":py:mod:`{module}`"
        index += f"{heading}\n{'-' * len(heading)}\n\n{_tables(module)}"
    return pages | {"index": index}


def write_pages(folder: Path) -> None:
    """Write the pages that have changed, and delete those of names that are gone."""
    folder.mkdir(exist_ok=True)
    pages = {folder / f"{name}.rst": text for name, text in make_pages().items()}
    for path in set(folder.glob("*.rst")) - set(pages):
        path.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def link_targets() -> dict[str, str]:
    """What is written in backticks in a guide, and the public name that it links to.

    A bare name must be known only once and look like one: ``auc_interval``, but not ``top`` or ``read``.
    """
    entries = [entry for module in public_modules() for entry in public_names(module)]
    targets, bare = {}, [entry.name for entry in entries]
    for entry in entries:
        targets |= {entry.path: entry.path, entry.path.removeprefix("aucmax."): entry.path}
        if bare.count(entry.name) == 1 and re.search("[A-Z_]", entry.name):
            targets[entry.name] = entry.path
    return targets
