"""Hooks of mkdocs: the pages stay as GitHub shows them, and the site is made of the same files.

Links lead from one file of the repository to another, also to the pages beside README; blocks carry the name of the file that
they are written to. Neither means the same to mkdocs, so both are turned into its own form while a page is built.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BESIDE_README = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages of the repository's top folder that belong to the site too."""
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^```(\w+) (\S.*)$", re.MULTILINE)
_BLOCK = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """The pages beside README join those in docs."""
    from mkdocs.structure.files import File

    for name in BESIDE_README:
        files.append(File(name, str(ROOT), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    return for_site(markdown, page.file.src_uri)


def for_site(markdown: str, page: str) -> str:
    """A page, by its path in the site, as mkdocs wants it.

    >>> for_site("[what is not](../SECURITY.md#scope), [all](../decisions/)", "ideas/limits.md")
    '[what is not](../SECURITY.md#scope), [all](../decisions/README.md)'
    >>> for_site("[promises](docs/promises.md), [the readme](README.md)", "SECURITY.md")
    '[promises](promises.md), the readme'
    """
    parts = _BLOCK.split(markdown)
    return "".join(_titled(part) if _BLOCK.match(part) else _linked(part, page) for part in parts)


def _titled(block: str) -> str:
    """```toml lapcat.toml says which file it is; how a command ends is for the tests alone."""
    kind, argument = _FENCE.match(block).groups() if _FENCE.match(block) else (None, "")
    if kind is None:
        return block
    title = "" if argument.startswith("exit=") else f' title="{argument}"'
    return _FENCE.sub(f"```{kind}{title}", block, count=1)


def _linked(text: str, page: str) -> str:
    here = "" if page in BESIDE_README else "docs/"
    folder = posixpath.dirname(here + page)

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if not target or "://" in target:
            return match[0]
        goal = posixpath.normpath(posixpath.join(folder, target))
        if target.endswith("/"):
            goal += "/README.md"
        if goal not in BESIDE_README and not goal.startswith("docs/"):
            return words  # a file of the repository that is no page
        return f"[{words}]({posixpath.relpath(goal.removeprefix('docs/'), posixpath.dirname(page) or '.')}{anchor})"

    return _LINK.sub(link, text)
