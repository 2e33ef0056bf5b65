"""The privacy statement: a paragraph for a paper, and a page for participants. Its figures come from catalogue and ledger."""

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

SEVERAL = "These statements are separate: for somebody covered by more than one of them, the losses add up."


@dataclass(frozen=True, slots=True)
class PrivacyStatement:
    """The public privacy statement of a catalogue."""

    protected: tuple[Protected, ...]
    forgotten: tuple[Forgotten, ...] = ()
    lost: tuple[Lost, ...] = ()

    @property
    def paragraph(self) -> str:
        """For a paper: one paragraph per population, or per table without a population."""
        paragraphs = [_paragraph(who) for who in self.protected]
        paragraphs += [SEVERAL] if len(paragraphs) > 1 else []
        return "\n\n".join([*paragraphs, *self._not_counted])

    @property
    def page(self) -> str:
        """For participants: one HTML file without scripts, in plain words."""
        body = "".join(_section(who, alone=len(self.protected) == 1) for who in self.protected)
        if len(self.protected) > 1:
            body += _p(SEVERAL)
        body += "".join(map(_p, self._not_counted))
        return _PAGE.replace("VERSION", html.escape(__version__)).replace("BODY", body)

    @property
    def _not_counted(self) -> list[str]:
        return [*map(_forgotten, self.forgotten), *map(_lost, self.lost)]


# ------------------------------------------------------------------------------------------------ a paper


def _paragraph(who: Protected) -> str:
    tables = _listed([table.name for table in who.tables])
    many = len(who.tables) > 1
    sentences = [
        f"Statistics from the {'tables' if many else 'table'} {tables} were released with differential privacy "
        f"(lapcat {__version__}).",
        f"{_protected(who)}; {_neighbours(who)}.",
        _rows(who),
        *_blocks(who),
        _released(who),
    ]
    if who.releases:
        sentences.append(_odds(who, meaning_of(who.gauge.spent, who.unit, who.relation, SPENT), "So far"))
    sentences.append(
        f"The total over all questions and analysts never exceeds {_amount(who.gauge.cap)}, the cap."
    )
    sentences.append(_odds(who, meaning_of(who.gauge.cap, who.unit, who.relation, CAP), "At the cap"))
    sentences.append(
        f"A group of k that shares a secret has {'k times the ε' if who.gauge.cap.rho is None else 'k² times the ρ'}. "
        "The guarantee does not cover facts that hold with or without any one of them, what others reveal, and what is "
        "public: the questions, and the bounds and keys in the catalogue. Intervals cover the noise, but neither the effect "
        "of clamping nor that of sampling."
    )
    return " ".join(filter(None, sentences))


def _forgotten(table: Forgotten) -> str:
    return (
        f"The table {table.name} was given up after {table.spent} was spent on it: {table.reason}. The figures above do not "
        "include that loss; for somebody who is in that table and in another, it adds to them."
    )


def _lost(loss: Lost) -> str:
    if loss.entries is None:
        what = "although its end could not be checked, so entries may be missing"
    else:
        what = f"without at least {loss.entries} lost entries"
    return (
        f"The record may be incomplete: on {loss.day} the ledger was continued {what} ({loss.reason}). What the missing "
        "questions spent is unknown and not included in the figures above."
    )


def _protected(who: Protected) -> str:
    if who.unit == "row":
        return "Each row is protected"
    return f"Each {who.unit} is protected, with all rows that belong to it"


def _neighbours(who: Protected) -> str:
    if who.relation == "replace-one":
        count = who.tables[0].units
        return f"neighbouring tables differ in the rows of one of them (replace-one; their number, {count}, is public)"
    return "neighbouring tables differ by the presence of one of them (add-remove)"


def _rows(who: Protected) -> str:
    limits = [
        f"{table.rows_per_unit} rows' worth of {table.name}" for table in who.tables if not table.unit.is_row
    ]
    return f"Each contributes at most {_listed(limits)}." if limits else ""


def _blocks(who: Protected) -> list[str]:
    """Why the loss is not the sum over all questions: parallel composition over blocks."""
    columns = dict.fromkeys(table.blocks.column for table in who.tables if table.blocks is not None)
    return [
        f"The data are partitioned by {column}: nobody is in two parts, each part has the full cap, and every loss stated "
        "here is the largest over the parts."
        for column in columns
    ]


def _released(who: Protected) -> str:
    if not who.releases:
        return "Nothing has been released yet."
    days = sorted({release.day for release in who.releases})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    count = len(who.releases)
    silent = sum(not release.answered for release in who.releases)
    failed = f" ({silent} of them without an answer, which counts nonetheless)" if silent else ""
    return (
        f"{count} {'question was' if count == 1 else 'questions were'} charged {when}{failed}, "
        f"{_amount(who.gauge.spent)} in all."
    )


def _odds(who: Protected, meaning: Meaning, when: str) -> str:
    """The most that somebody can learn, for readers who are not in the data."""
    unit = "given row" if who.unit == "row" else f"given {who.unit}"
    whether, *which = meaning.sides
    about = f"a {unit} is in the data" if which else f"the rows of a {unit} have certain values"
    sentence = (
        f"{when}, somebody who thinks it 50 % likely that {about} can become at most {in_percent(whether.posterior(0.5))} "
        f"sure of it (from 1 %: {in_percent(whether.posterior(0.01))}), whatever else they know"
    )
    for side in which:
        sentence += (
            f"; of the values in its rows, if it is known to be in the data, at most {in_percent(side.posterior(0.5))} "
            f"({in_percent(side.posterior(0.01))})"
        )
    if whether.delta:
        sentence += f"; this fails with a chance of about {whether.delta:.2g}"
    large = f" {meaning.verdict}" if meaning.protects_nobody else ""
    return f"{sentence}.{large}"


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
<title>Your data, and what was released about them</title>
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
<h1>Your data, and what was released about them</h1>
<p>Random noise was added to every number computed from these data before it was released. The amount of noise decides how
well it hides each of you. This page says what was asked, and how much somebody could learn about you at worst, whatever
they already know.</p>
BODY
<p><small>Generated by lapcat VERSION from the catalogue and the ledger, which records every question before it is
answered.</small></p>
</body>
</html>
"""


def _section(who: Protected, *, alone: bool) -> str:
    cap = meaning_of(who.gauge.cap, who.unit, who.relation, CAP)
    parts = [] if alone else [f"<h2>{html.escape(who.name)}</h2>"]
    parts.append("<h2>Who is protected</h2>" if alone else "<h3>Who is protected</h3>")
    tables = _listed([table.name for table in who.tables])
    parts.append(_p(f"{_protected(who)}. The data are called {tables}."))
    parts += map(_p, _blocks(who))
    if cap.protects_nobody:
        parts.append(f'<p class="alarm"><b>{html.escape(cap.verdict)}</b></p>')
    head = "h2" if alone else "h3"
    parts.append(f"<{head}>How sure can somebody become?</{head}>")
    if who.releases:
        spent = meaning_of(who.gauge.spent, who.unit, who.relation, SPENT)
        parts.append(_p(f"From everything answered so far ({_amount(who.gauge.spent)}):"))
        parts.append(_sureness(spent))
    parts.append(
        _p(f"If the whole budget is used ({_amount(who.gauge.cap)}; after that no new question is answered):")
    )
    parts.append(_sureness(cap))
    if not cap.protects_nobody:
        parts.append(_p(cap.verdict))
    parts.append(
        _p(
            "If several of you share a secret, such as an address, more can be learned about it than about a secret of one person."
        )
    )
    parts.append(f"<{head}>What this does not protect</{head}>")
    parts.append("<ul>" + "".join(f"<li>{html.escape(fact)}</li>" for fact in NOT_PROTECTED) + "</ul>")
    parts.append(f"<{head}>What was asked</{head}>{_questions(who.releases)}")
    return "".join(parts)


def _sureness(meaning: Meaning) -> str:
    """A sentence and two pictures for each secret."""
    markup = ""
    for side in meaning.sides:
        after = side.posterior(0.5)
        markup += _p(
            f"{side.about[0].upper()}{side.about[1:]}: somebody who thinks it 50 % likely can become at most "
            f"{in_percent(after)} sure; somebody who thinks it 1 % likely, at most {in_percent(side.posterior(0.01))}."
            + (f" With a chance of about {side.delta:.2g} this does not hold." if side.delta else "")
        )
        for share, caption in ((0.5, "before"), (after, "after, at worst")):
            markup += f"<figure>{icons_svg(share, caption)}<figcaption>{caption}: {in_percent(share)}</figcaption></figure>"
    return markup


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
