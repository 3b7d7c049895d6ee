"""Builds the documentation site of the Python package, and checks its links.

    python crates/impinge-py/docs/build.py FOLDER

`cargo xtask python-docs` runs it in an environment with the package and the packages of `requirements.txt`. pdoc makes
the reference of docstrings and type stubs. The guides are the files `docs/python*.md`. Pages load nothing from a
network. The script fails if a link leads nowhere.
"""

from __future__ import annotations

import html
import importlib
import pkgutil
import re
import shutil
import sys
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import markdown2  # type: ignore[import-untyped]
import pdoc
from pdoc import doc, doc_pyi
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]

import impinge

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(impinge.__file__).parent
EXTRAS = ["fenced-code-blocks", "header-ids", "tables", "cuddled-lists", "code-friendly"]

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<nav>{links}</nav>
<main>{text}</main>
</body>
</html>
"""

STYLE = """
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #212529; display: flex; }
nav { flex: none; width: 14rem; box-sizing: border-box; min-height: 100vh; padding: 1.5rem; background: #f7f7f7; }
nav a { display: block; margin: .3rem 0; color: #0d5c9e; text-decoration: none; }
nav a[aria-current] { font-weight: 600; color: #212529; }
main { min-width: 0; max-width: 54rem; padding: 1.5rem 2.5rem 4rem; }
h1, h2, h3 { line-height: 1.2; font-weight: 600; }
h2 { margin-top: 2.2rem; }
a { color: #0d5c9e; }
pre { padding: .8rem 1rem; overflow: auto; border-radius: 6px; background: #f3f4f6; font-size: 87%; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; }
:not(pre) > code { padding: .1em .3em; border-radius: 4px; background: #f3f4f6; font-size: 90%; }
table { border-collapse: collapse; }
th, td { padding: .35rem .7rem; border: 1px solid #dde1e6; text-align: left; vertical-align: top; }
@media (max-width: 45rem) { body { display: block; } nav { width: auto; min-height: 0; } main { padding: 1rem; } }
"""


def public_modules() -> list[str]:
    """The package, and the modules of it that users import and that can be imported here."""
    names = ["impinge"]
    for module in pkgutil.iter_modules([str(PACKAGE)]):
        if module.name.startswith("_"):
            continue
        name = f"impinge.{module.name}"
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"left out {name}: {error}")
        else:
            names.append(name)
    return names


def use_stubs() -> None:
    """Let pdoc take types, the order of members, and constructors from the stubs."""
    stubs = PACKAGE / "_impinge.pyi"
    find, import_stubs = doc_pyi.find_stub_file, doc_pyi._import_stub_file
    # The classes say that they are in `impinge`, which re-exports them, so the stubs are looked for there.
    doc_pyi.find_stub_file = lambda name: stubs if name == "impinge" else find(name)  # type: ignore[assignment]
    declared = vars(import_stubs("impinge", stubs))
    objects_of = vars(doc.Class)["_member_objects"].func

    def ordered(self: doc.Class) -> dict[str, Any]:
        found: dict[str, Any] = objects_of(self)
        stub = declared.get(self.qualname)
        if stub is None or self.modulename != "impinge":
            return found
        names = list(vars(stub))
        known = {name: found[name] for name in names if name in found and not name.startswith("_")}
        constructor = {"__init__": vars(stub)["__new__"].__func__} if "__new__" in names else {}
        return constructor | known | {name: found[name] for name in found if name not in known and name != "__init__"}

    members = cached_property(ordered)
    members.__set_name__(doc.Class, "_member_objects")
    doc.Class._member_objects = members  # type: ignore[assignment]


def make_reference(folder: Path) -> None:
    """Write the pages of the modules."""
    use_stubs()
    pdoc.render.configure(
        docformat="markdown",
        show_source=False,
        template_directory=Path(__file__).with_name("templates"),
    )
    pdoc.pdoc(*public_modules(), output_directory=folder)
    # The first page is that of the guides.
    (folder / "index.html").unlink()


def guides() -> dict[Path, str]:
    """The files of Markdown, and the names of their pages."""
    files = {ROOT / "crates/impinge-py/README.md": "index.html"}
    for path in sorted((ROOT / "docs").glob("python*.md")):
        files[path] = f"{path.stem}.html"
    return files


def title_of(path: Path) -> str:
    """Return the heading of a file of Markdown."""
    found = re.match(r"# (.+)", path.read_text(encoding="utf-8"))
    return found.group(1) if found else path.stem


def make_guides(folder: Path) -> None:
    """Write a page of each guide. Links to other guides become links between pages; other files are named only."""
    files = guides()
    highlight = str(HtmlFormatter(cssclass="codehilite").get_style_defs(".codehilite"))
    for path, name in files.items():
        text = path.read_text(encoding="utf-8")
        # The language of a block for pygments: sessions have another than programs.
        text = re.sub(r"^```python\n(?=>>>)", "```pycon\n", text, flags=re.MULTILINE)
        body = str(markdown2.markdown(text, extras=EXTRAS))

        def link(found: re.Match[str], path: Path = path) -> str:
            target = urlsplit(html.unescape(found.group(1)))
            if target.scheme or not target.path:
                return found.group(0)
            file = (path.parent / unquote(target.path)).resolve()
            if not file.exists():
                raise SystemExit(f"{path}: the link to {target.path} leads nowhere")
            page = files.get(file)
            if page is None:
                return f"{found.group(2)} (<code>{html.escape(str(file.relative_to(ROOT)))}</code> in the checkout)"
            anchor = f"#{target.fragment}" if target.fragment else ""
            return f'<a href="{page}{anchor}">{found.group(2)}</a>'

        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', link, body, flags=re.DOTALL)
        entries = [(files[it], "Start" if files[it] == "index.html" else title_of(it)) for it in files]
        entries.append(("impinge.html", "Reference"))
        links = "".join(
            f'<a href="{page}"{" aria-current=page" if page == name else ""}>{html.escape(label)}</a>'
            for page, label in entries
        )
        page = PAGE.format(title=html.escape(title_of(path)), style=STYLE + highlight, links=links, text=body)
        (folder / name).write_text(page, encoding="utf-8")


class Links(HTMLParser):
    """Collects the links, anchors and loaded resources of a page."""

    def __init__(self) -> None:
        """Start without any."""
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to."""
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(value for name, value in values.items() if name in ("id", "name"))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(values.get("href", ""))
        if tag in ("script", "img", "iframe", "source", "video", "audio") and "src" in values:
            self.loads.append(values["src"])


def check_links(folder: Path) -> list[str]:
    """Return what is wrong with the links of all pages."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        pages[path.resolve()] = links = Links()
        links.feed(path.read_text(encoding="utf-8"))
    wrong = []
    for path, found in pages.items():
        for load in found.loads:
            parts = urlsplit(load)
            if parts.scheme in ("http", "https") or load.startswith("//"):
                wrong.append(f"{path.name} loads {load} from a network")
            elif parts.scheme != "data" and not (path.parent / unquote(parts.path)).exists():
                wrong.append(f"{path.name} loads {load}, which does not exist")
        for href in found.links:
            parts = urlsplit(href)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                wrong.append(f"{path.name}: the link {href} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{path.name}: the link {href} leads to no anchor")
    if not any(found.links for found in pages.values()):
        wrong.append("there are no links at all")
    return wrong


def main() -> int:
    """Build the site into the folder that the arguments name."""
    folder = Path(sys.argv[1])
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    make_reference(folder)
    make_guides(folder)
    wrong = check_links(folder)
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"{len(list(folder.rglob('*.html')))} pages: {folder / 'index.html'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
