"""The built site in a real browser, on a wide and a narrow screen, light and dark.

    python docs/checks/browser.py build/docs [--screenshots FOLDER]

No page may be wider than the screen, fetch anything from another server or complain in the console, and the
search must find what the guides are about.
"""

import argparse
import shutil
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SCREENS = [(1400, "light"), (1400, "dark"), (360, "dark"), (360, "light")]
SEARCHES = ("partial AUC", "checkpoint", "predict_proba", "Parquet", "saddle")
SHOWN = ("index", "getting_started", "user_guide", "choosing", "mathematics", "api/aucmax.AUCClassifier")
# The width of the page; what sticks out of the screen and is in no box that scrolls, which the page itself
# may hide; and the lightness, from 0 to 1, of the text and of the page behind it, in that theme.
MEASURE = """async scheme => {
    for (let k = 0; k < 300 && document.documentElement.dataset.theme !== scheme; k++)
        await new Promise(requestAnimationFrame);
    const width = document.documentElement.clientWidth, body = getComputedStyle(document.body);
    const scrolls = each => each.tagName !== 'ARTICLE' && (
        getComputedStyle(each).overflowX !== 'visible' || scrolls(each.parentElement));
    const outside = [...document.querySelectorAll('article *')].filter(each => {
        const box = each.getBoundingClientRect();
        return box.width > 0 && box.right > width + 1 && !scrolls(each);
    });
    const lightness = color => color.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + part / 765, 0);
    return [
        document.documentElement.scrollWidth,
        outside.slice(0, 3).map(each => each.tagName + ' ' + each.textContent.trim().slice(0, 60)),
        lightness(body.color),
        lightness(body.backgroundColor),
    ];
}"""


class Server(SimpleHTTPRequestHandler):
    """Files of a folder, without a line in the log for each."""

    def log_message(self, *args):
        pass


def check_page(view: Any, name: str, shots: Path | None) -> list[str]:
    """What is wrong with the page that is open, on both screens and in both themes."""
    problems = []
    for width, scheme in SCREENS:
        view.set_viewport_size({"width": width, "height": 900})
        view.emulate_media(color_scheme=scheme)
        found, outside, text, paper = view.evaluate(MEASURE, scheme)
        where = f"{name}, {width} pixels, {scheme}"
        if found > width:
            problems.append(f"{where}: the page is {found} pixels wide")
        problems += [f"{where}: sticks out: {each}" for each in outside]
        if (text < paper) != (scheme == "light") or abs(text - paper) < 0.5:
            problems.append(f"{where}: text of lightness {text:.2f} on {paper:.2f}")
        if shots is not None:
            view.wait_for_timeout(500)  # for menus that slide out of the screen
            view.screenshot(path=shots / f"{name.replace('/', '-')}-{width}-{scheme}.png")
    return problems


def check_search(view: Any, address: str) -> list[str]:
    """Words of the guides that the search does not find."""
    problems = []
    for words in SEARCHES:
        view.goto(f"{address}/search.html?q={words.replace(' ', '+')}")
        try:
            view.wait_for_selector("#search-results ul.search li a", timeout=20_000)
        except Exception:
            problems.append(f"the search does not find {words!r}")
    return problems


def check_site(folder: Path, browser: str, shots: Path | None, shown: tuple[str, ...]) -> list[str]:
    """All problems of a site."""
    from playwright.sync_api import sync_playwright

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    pages = [path.relative_to(folder).with_suffix("").as_posix() for path in sorted(folder.rglob("*.html"))]
    problems = []
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        view = chromium.new_page()
        view.on(
            "request",
            lambda each: each.url.startswith((address, "data:")) or problems.append(f"fetches {each.url}"),
        )
        view.on("console", lambda each: each.type == "error" and problems.append(f"{view.url}: {each.text}"))
        view.on("pageerror", lambda error: problems.append(f"{view.url}: {error}"))
        for name in pages:
            if not name.startswith(("_static", "search", "genindex", "py-modindex")):
                view.goto(f"{address}/{name}.html")
                problems += check_page(view, name, shots if name in shown else None)
        problems += check_search(view, address)
        chromium.close()
    server.shutdown()
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER")
    parser.add_argument("--pages", nargs="*", default=SHOWN, help="pages to take screenshots of")
    args = parser.parse_args()
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("not looked at in a browser: no chromium, chromium-browser or google-chrome is installed")
        return
    if args.screenshots:
        args.screenshots.mkdir(parents=True, exist_ok=True)
    problems = check_site(args.site.resolve(), browser, args.screenshots, tuple(args.pages))
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(problems)} problems in the browser")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
