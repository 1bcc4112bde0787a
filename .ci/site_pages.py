"""The pages of the site that are files of the repository outside of docs/.

A page links to a file as it does on a forge: by the path from its own place. This hook of mkdocs adds every such file to the
site, below `repository/`: Markdown as a page, code as a page with the code, a folder as a list of its files. A link to a file
that does not exist is a warning, which `strict` makes an error.
"""

from __future__ import annotations

import html
import logging
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "repository/"
LINK = re.compile(r"(\]\()([^)#\s]*)(#[^)\s]*)?(\))")
CODE = re.compile(r"(^```.*?^```$|^(?: {4}[^\n]*\n)+|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
ELSEWHERE = re.compile(r"[a-z]+:")
IMAGES = {".png", ".svg"}

_log = logging.getLogger("mkdocs.hooks.site_pages")


def place(path: str) -> str:
    """Returns the place in the site of a file or folder of the repository, by its path from the root."""
    target = ROOT / path
    if target.is_dir():
        path = posixpath.join(path, "index.md")
    elif target.suffix not in {".md", *IMAGES}:
        path += ".md"
    return path.removeprefix("docs/") if path.startswith("docs/") else FOLDER + path


def home(src_uri: str) -> str:
    """Returns the path from the root of the repository of a Markdown file in the site."""
    return src_uri.removeprefix(FOLDER) if src_uri.startswith(FOLDER) else "docs/" + src_uri


def targets(text: str, path: str) -> list[str]:
    """Returns the files of the repository that a Markdown file links to, by their paths from the root."""
    found = []
    for part in CODE.split(text)[::2]:
        for _, link, _, _ in LINK.findall(part):
            if link and not ELSEWHERE.match(link):
                found.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), link)))
    return found


def is_page(path: Path) -> bool:
    """Returns True for a folder and for a file of text."""
    try:
        return path.is_dir() or bool(path.read_text())
    except UnicodeDecodeError:
        return False


def content(path: str) -> str | None:
    """Returns the page of a file or folder that is no Markdown; None: the file is a page as it is."""
    target = ROOT / path
    if target.is_dir():
        entries = sorted(entry for entry in target.iterdir() if not entry.name.startswith(("__", ".")))
        lines = [f"* [`{entry.name}`]({entry.name})" if is_page(entry) else f"* `{entry.name}`" for entry in entries]
        return f"# `{path}`\n\n" + "\n".join(lines) + "\n"
    if target.suffix in {".md", *IMAGES}:
        return None
    code = html.escape(target.read_text())
    return f"# `{path}`\n\n<pre><code>{code}</code></pre>\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the files that pages link to, and those that these link to."""
    left = [home(file.src_uri) for file in files.documentation_pages()]
    left += [home(uri) for uri in re.findall(rf"'({FOLDER}[^']*)'", repr(config.nav))]
    seen = set()
    while left:
        path = left.pop()
        if path in seen or not (ROOT / path).exists() or path.startswith(".."):
            continue
        seen.add(path)
        page = content(path)
        if place(path) not in files.src_uris:
            source = {"abs_src_path": str(ROOT / path)} if page is None else {"content": page}
            files.append(File.generated(config, place(path), **source))
        if page is None and path.endswith(".md"):
            left += targets((ROOT / path).read_text(), path)
        elif (ROOT / path).is_dir():
            left += targets(page or "", path + "/index.md")
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns the links between files of the repository into links between pages of the site."""
    path = home(page.file.src_uri)
    if not path.endswith(".md") or ((ROOT / path).suffix != ".md" and not (ROOT / path).exists()):
        return markdown

    def turned(found: re.Match[str]) -> str:
        before, link, anchor, after = found.groups()
        if not link or ELSEWHERE.match(link):
            return found[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
        if not (ROOT / target).exists():
            _log.warning("%s links to %s, which does not exist", path, link)
            return found[0]
        way = posixpath.relpath(place(target), posixpath.dirname(page.file.src_uri) or ".")
        return f"{before}{way}{anchor or ''}{after}"

    parts = CODE.split(markdown)
    # Every second part is code.
    parts[::2] = [LINK.sub(turned, part) for part in parts[::2]]
    return "".join(parts)
