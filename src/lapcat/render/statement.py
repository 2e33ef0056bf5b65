"""The privacy statement: a paragraph for a paper, and a page for those whom the data are about. From catalogue and ledger."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from lapcat.core.exact import exact_text
from lapcat.drawing.icons import icons_svg
from lapcat.plan.schema import SpendingLimit
from lapcat.render.meaning import CAP, NOT_PROTECTED, SPENT, Meaning, in_percent, meaning_of
from lapcat.session.releases import Forgotten, Lost, Protected, Release
from lapcat.session.results import Amount
from lapcat.version import __version__

SEVERAL = "Each of these stands for itself: for somebody who is in more than one of them, the losses add up."


@dataclass(frozen=True, slots=True)
class PrivacyStatement:
    """What may be said in public of everybody whom a catalogue protects."""

    protected: tuple[Protected, ...]
    forgotten: tuple[Forgotten, ...] = ()
    lost: tuple[Lost, ...] = ()

    @property
    def paragraph(self) -> str:
        """For a paper: a paragraph for each population, or table that stands alone."""
        told = [_paragraph(one) for one in self.protected]
        told += [SEVERAL] if len(told) > 1 else []
        return "\n\n".join([*told, *self._not_counted])

    @property
    def page(self) -> str:
        """For participants: one HTML file without scripts, in their words."""
        body = "".join(_section(one, alone=len(self.protected) == 1) for one in self.protected)
        if len(self.protected) > 1:
            body += _p(SEVERAL)
        body += "".join(map(_p, self._not_counted))
        return _PAGE.replace("BODY", body).replace("VERSION", html.escape(__version__))

    @property
    def _not_counted(self) -> list[str]:
        return [*map(_forgotten, self.forgotten), *map(_lost, self.lost)]


# ------------------------------------------------------------------------------------------------ a paper


def _paragraph(who: Protected) -> str:
    tables = _listed([table.name for table in who.tables])
    many = len(who.tables) > 1
    said = [
        f"Statistics from the {'tables' if many else 'table'} {tables} were released with differential privacy "
        f"(lapcat {__version__}).",
        f"Protected is {_unit(who)}; {_neighbours(who)}.",
        _rows(who),
        *_blocks(who),
        _released(who),
    ]
    if who.releases:
        said.append(_odds(who, meaning_of(who.gauge.spent, who.unit, who.relation, SPENT), "So far"))
    said.append(f"Whatever is asked, by whomever, ends at {_amount(who.gauge.cap)}, the cap.")
    said.append(_odds(who, meaning_of(who.gauge.cap, who.unit, who.relation, CAP), "At the cap"))
    said.append(
        f"Several that share a secret, k of them, have {'k times the ε' if who.gauge.cap.rho is None else 'k² times the ρ'}. "
        "Not protected is what holds with or without any one of them, what others reveal, and what is public: the "
        "questions, and the bounds and keys in the catalogue. Intervals cover the noise, not what clamping changes and not "
        "how the data were sampled."
    )
    return " ".join(filter(None, said))


def _forgotten(table: Forgotten) -> str:
    return (
        f"The table {table.name} was given up after {table.spent} was spent on it: {table.reason}. That loss is in none of the "
        "figures above; for somebody who is in that table and in another, it comes on top."
    )


def _lost(loss: Lost) -> str:
    if loss.entries is None:
        what = "after its end could not be checked, so that entries may be missing"
    else:
        what = f"without at least {loss.entries} entries that were lost"
    return (
        f"The record may be incomplete: on {loss.day} the ledger went on {what} ({loss.reason}). What questions among them spent is "
        "not known, and is in none of the figures above."
    )


def _unit(who: Protected) -> str:
    if who.unit == "row":
        return "each row"
    return f"each {who.unit}, with all rows that belong to it"


def _neighbours(who: Protected) -> str:
    if who.relation == "replace-one":
        count = who.tables[0].units
        return f"neighbouring data differ in the rows of one of them (replace-one; that there are {count} is public)"
    return "neighbouring data differ by the presence of one of them (add-remove)"


def _rows(who: Protected) -> str:
    limits = [f"{table.rows_per_unit} of {table.name}" for table in who.tables if not table.unit.is_row]
    return f"Rows that count for each: at most {_listed(limits)}." if limits else ""


def _blocks(who: Protected) -> list[str]:
    """Why what was lost is not the sum over everything that was asked."""
    columns = dict.fromkeys(table.blocks.column for table in who.tables if table.blocks is not None)
    return [
        f"The data are split by {column}: nobody is in two parts, each part has the whole cap for itself, and every loss "
        "that is named here is that of the part that has lost most."
        for column in columns
    ]


def _released(who: Protected) -> str:
    if not who.releases:
        return "Nothing was released yet."
    days = sorted({release.day for release in who.releases})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    count = len(who.releases)
    silent = sum(not release.answered for release in who.releases)
    failed = f" ({silent} of them without an answer, which counts all the same)" if silent else ""
    return (
        f"{count} {'question was' if count == 1 else 'questions were'} paid for {when}{failed}, "
        f"{_amount(who.gauge.spent)} in all."
    )


def _odds(who: Protected, meaning: Meaning, when: str) -> str:
    """The worst that somebody can learn, for a reader who is not in the data."""
    one = "given row" if who.unit == "row" else f"given {who.unit}"
    whether, *which = meaning.sides
    about = f"a {one} is in the data" if which else f"the rows of a {one} say this or that"
    said = (
        f"{when}, somebody who thinks it 50 % likely that {about} can become {in_percent(whether.posterior(0.5))} sure of "
        f"it at most (from 1 %: {in_percent(whether.posterior(0.01))}), whatever else they know"
    )
    for side in which:
        said += (
            f"; of what its rows say, if it is known to be in, {in_percent(side.posterior(0.5))} "
            f"({in_percent(side.posterior(0.01))})"
        )
    if whether.delta:
        said += f"; this fails with a chance of about {whether.delta:.2g}"
    large = f" {meaning.verdict}" if meaning.protects_nobody else ""
    return f"{said}.{large}"


def _amount(amount: Amount | SpendingLimit) -> str:
    """`ε = 0.6`, `ρ = 0.5 and δ = 0.000001`."""
    parts = [
        f"{sign} = {exact_text(value)}"
        for sign, value in (("ε", amount.epsilon), ("ρ", amount.rho), ("δ", amount.delta))
        if value is not None and (value or sign != "δ")
    ]
    return " and ".join(parts)


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


# ------------------------------------------------------------------------------------------------ participants

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Your data, and what was told about them</title>
<style>
:root { color-scheme: light dark; }
body { font: 1.05rem/1.55 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1.05rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top; }
tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
code { font-size: .9em; overflow-wrap: anywhere; } figure { display: inline-block; margin: .5rem 1.5rem .5rem 0; }
figcaption { font-size: .85rem; } .alarm { border-left: .3rem solid #d55e00; padding-left: .8rem; } small { opacity: .8; }
</style>
</head>
<body>
<h1>Your data, and what was told about them</h1>
<p>Random noise was added to every number from these data before it was given out. How well that hides any one of you is
decided by how much noise it is. This page says what was asked, and how much somebody could learn about you at the very worst,
whatever they know already.</p>
BODY
<p><small>Made by lapcat VERSION from the catalogue and the ledger, in which every question was written down before it was
answered.</small></p>
</body>
</html>
"""


def _section(who: Protected, *, alone: bool) -> str:
    cap = meaning_of(who.gauge.cap, who.unit, who.relation, CAP)
    parts = [] if alone else [f"<h2>{html.escape(who.name)}</h2>"]
    parts.append("<h2>Who is protected</h2>" if alone else "<h3>Who is protected</h3>")
    tables = _listed([table.name for table in who.tables])
    parts.append(_p(f"Protected is {_unit(who)}. The data are called {tables}."))
    parts += map(_p, _blocks(who))
    if cap.protects_nobody:
        parts.append(f'<p class="alarm"><b>{html.escape(cap.verdict)}</b></p>')
    head = "h2" if alone else "h3"
    parts.append(f"<{head}>How sure can somebody become?</{head}>")
    if who.releases:
        spent = meaning_of(who.gauge.spent, who.unit, who.relation, SPENT)
        parts.append(_p(f"From everything that was answered until now ({_amount(who.gauge.spent)}):"))
        parts.append(_sureness(spent))
    parts.append(
        _p(f"If everything is asked that may ever be asked ({_amount(who.gauge.cap)}; then it is over):")
    )
    parts.append(_sureness(cap))
    if not cap.protects_nobody:
        parts.append(_p(cap.verdict))
    parts.append(
        _p(
            "If several of you share a secret, such as an address, more can be learned of it than of what only one has."
        )
    )
    parts.append(f"<{head}>What this does not protect</{head}>")
    parts.append("<ul>" + "".join(f"<li>{html.escape(one)}</li>" for one in NOT_PROTECTED) + "</ul>")
    parts.append(f"<{head}>What was asked</{head}>{_questions(who.releases)}")
    return "".join(parts)


def _sureness(meaning: Meaning) -> str:
    """A sentence and a pair of pictures for each thing that somebody may want to know."""
    found = ""
    for side in meaning.sides:
        after = side.posterior(0.5)
        found += _p(
            f"{side.about[0].upper()}{side.about[1:]}: somebody who would have tossed a coin can become "
            f"{in_percent(after)} sure at most; somebody who thought it 1 % likely, {in_percent(side.posterior(0.01))}."
            + (f" With a chance of about {side.delta:.2g} this does not hold." if side.delta else "")
        )
        for share, caption in ((0.5, "before"), (after, "after, at worst")):
            found += f"<figure>{icons_svg(share, caption)}<figcaption>{caption}: {in_percent(share)}</figcaption></figure>"
    return found


def _questions(releases: Sequence[Release]) -> str:
    if not releases:
        return _p("Nothing yet.")
    rows = "".join(
        f"<tr><td>{html.escape(release.day)}</td><td><code>{html.escape(release.question)}</code>"
        f"{'' if release.answered else ' (no answer was given)'}</td><td>{html.escape(release.cost)}</td></tr>"
        for release in releases
    )
    return f"<table><thead><tr><th>day</th><th>question</th><th>cost</th></tr></thead><tbody>{rows}</tbody></table>"


def _p(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"
