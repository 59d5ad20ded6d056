"""Dead links of the built site, and anything that a page would fetch from another server.

    python docs/checks/links.py build/docs

Every address in the pages must be a file of the site, with the anchor that it names. Links to other servers
are fine, but no page may load scripts, styles, fonts or pictures from one.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINKS = {"a": ("href", "xlink:href")}
_LOADED = {"img": ("src",), "script": ("src",), "link": ("href",), "source": ("src",), "iframe": ("src",)}
_IN_STYLES = re.compile(r"url\(\s*['\"]?([^)'\"]+)")


class Page(HTMLParser):
    """The anchors of a page, the addresses that it links to, and those that it loads."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.anchors, self.links, self.loaded = path, {"", "top"}, [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if found.get("rel") in ("canonical", "author", "license"):
            return
        self.links += [found[name] for name in _LINKS.get(tag, ()) if found.get(name)]
        self.loaded += [found[name] for name in _LOADED.get(tag, ()) if found.get(name)]


def read_pages(folder: Path) -> dict[Path, Page]:
    """All pages of a site."""
    return {
        path: Page(path) for path in sorted(folder.resolve().rglob("*.html")) if "_static" not in path.parts
    }


def find_problems(folder: Path) -> list[str]:
    """One line for each dead link and each address of another server that would be loaded."""
    pages, problems = read_pages(folder), []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        for address in [*page.links, *page.loaded]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loaded and parts.scheme != "data":
                    problems.append(f"{name}: loads {address} from another server")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                problems.append(f"{name}: {address} is not in the site")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                problems.append(f"{name}: {address} has no such anchor")
    for path in sorted(folder.resolve().rglob("*.css")):
        outside = [each for each in _IN_STYLES.findall(path.read_text(encoding="utf-8")) if "//" in each[:8]]
        problems += [f"{path.name}: loads {address} from another server" for address in outside]
    return sorted(set(problems))


if __name__ == "__main__":
    site = Path(sys.argv[1])
    found = find_problems(site)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(read_pages(site))} pages, {len(found)} dead links")
    sys.exit(bool(found))
