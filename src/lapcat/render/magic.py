"""The IPython magics: SQL in a cell, and the steward's refresh with a progress bar.

%load_ext lapcat
%lapcat refresh staff

%%lapcat --epsilon 0.1
SELECT region, COUNT(*) AS n FROM staff GROUP BY region
"""

from __future__ import annotations

import html
import shlex
import uuid
from typing import TYPE_CHECKING, Any

import lapcat.session as opening
from lapcat.errors import BadArgument, Error

if TYPE_CHECKING:
    from lapcat.session import Session

PRICES = ("epsilon", "delta", "rho", "error", "confidence", "key")
USAGE = (
    "%%lapcat [NAME =] --epsilon 0.1 [--delta] [--rho] [--error] [--confidence] [--key] [--preview] "
    "[--db SESSION] [-c FILE] [--as ANALYST]"
)

LINE_USAGE = "%lapcat refresh [TABLE] [-c FILE]"


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext lapcat`."""
    shell.register_magic_function(lambda line, cell: run_cell(shell, line, cell), "cell", "lapcat")
    shell.register_magic_function(lambda line: run_line(shell, line), "line", "lapcat")


def run_cell(shell: Any, line: str, cell: str) -> Any:
    """Asks the question in the cell. The answer is the result of the cell, and is stored in NAME. Errors are printed, not raised."""
    try:
        name, options = _read(line)
        session = _session(shell, options)
        price: dict[str, Any] = {price: options[price] for price in PRICES if price in options}
        preview = "preview" in options
        if preview:
            price.pop("key", None)
        question = session.sql(cell.strip().rstrip(";"))
        result = question.preview(**price) if preview else question.run(**price)
    except Error as error:
        print(error)
        return None
    if name:
        shell.user_ns[name] = result
    return result


def run_line(shell: Any, line: str) -> None:
    """`refresh [TABLE] [-c FILE]`: declares a new version of one table or of all, with a progress bar."""
    from lapcat.session.files import everything, open_deployment, refresh

    try:
        verb, *words = shlex.split(line) or [""]
        catalogue = words.pop() if len(words) > 1 and words[-2] == "-c" else "lapcat.toml"
        names = [word for word in words if word != "-c"]
        if verb != "refresh" or len(names) > 1 or any(name.startswith("-") for name in names):
            raise BadArgument("magic-usage", f"{line!r} is not a valid command here", fix=LINE_USAGE)
        deployment = open_deployment(catalogue)
        deployment.require_acceptance()
        known = list(everything(deployment.catalogue))
        if names and names[0] not in known:
            raise BadArgument("unknown-table", f"no table {names[0]!r}", fix=f"one of: {', '.join(known)}")
        for name in names or known:
            with Bar(shell, name) as bar:
                version = refresh(deployment, name, bar.advance)
            print(f"{name}: version {version}")
    except Error as error:
        print(error)


class Bar:
    """A progress bar in the notebook, redrawn at every 5 %. It is indeterminate if progress is unknown: DuckDB reports none in a
    kernel without ipywidgets. A notebook is saved with its last state."""

    def __init__(self, shell: Any, name: str) -> None:
        self._shell, self._name, self._shown = shell, name, -1
        self._id = f"lapcat-{uuid.uuid4().hex}"

    def __enter__(self) -> Bar:
        self.advance(0.0)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.advance(1.0)
        else:
            self._draw(f"{self._name}: stopped", "", update=True)

    def advance(self, fraction: float) -> None:
        percent = int(20 * min(1.0, max(0.0, fraction))) * 5
        if percent <= self._shown:
            return
        first, self._shown = self._shown < 0, percent
        words = f"{self._name}: {percent} %" if percent else f"{self._name}: started"
        value = f' value="{percent}" max="100"' if percent else ""
        bar = f'<progress{value} aria-label="{html.escape(words)}"></progress> '
        self._draw(words, bar, update=not first)

    def _draw(self, words: str, bar: str, *, update: bool) -> None:
        data = {"text/plain": words, "text/html": bar + html.escape(words)}
        self._shell.display_pub.publish(data=data, transient={"display_id": self._id}, update=update)


def _read(line: str) -> tuple[str | None, dict[str, str]]:
    """`pay = --epsilon 0.1 -c file`: the variable, and the options by long name."""
    name, equals, rest = line.partition("=")
    if equals and name.strip().isidentifier():
        line = rest
    else:
        name = ""
    words, options = shlex.split(line), {}
    while words:
        word = words.pop(0)
        option = {"-c": "catalogue"}.get(word, word.removeprefix("--"))
        flag = option == "preview"
        known = flag or option in (*PRICES, "catalogue", "as", "db")
        if not known or not word.startswith("-") or (not flag and not words):
            raise BadArgument("magic-usage", f"{word!r} is not a valid option here", fix=USAGE)
        options[option] = "" if flag else words.pop(0)
    return name.strip() or None, options


def _session(shell: Any, options: dict[str, str]) -> Session:
    """The session in the variable named by --db, or a new one for the catalogue."""
    if "db" not in options:
        return opening.open(options.get("catalogue", "lapcat.toml"), analyst=options.get("as"))
    session = shell.user_ns.get(options["db"])
    if not isinstance(session, opening.Session):
        raise BadArgument("magic-usage", f"{options['db']} is not a lapcat session", fix="db = lapcat.open()")
    return session
