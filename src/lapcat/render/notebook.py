"""Notebook output of sessions, previews, reports and receipts: plain HTML tables and SVG, without scripts or style sheets."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from lapcat.core.exact import exact_text
from lapcat.drawing.lines import lines_svg
from lapcat.drawing.signal import short, signal_svg, zones
from lapcat.drawing.ways import ways_svg
from lapcat.session.results import cost_text, entries_text, is_overdrawn, left_text

if TYPE_CHECKING:
    from lapcat.session import Session
    from lapcat.session.batch import Batch
    from lapcat.session.question import Question
    from lapcat.session.results import Amount, Preview, Receipt, SensitivityReport
    from lapcat.session.schemas import TableInfo
    from lapcat.session.tradeoff import Tradeoff, TradeoffLine


LEFT = 'style="text-align:left"'
"""Jupyter aligns text to the right by default."""


UNREAD = ("entry", "measurements", "public_key", "signature")
"""Fields of a receipt that only programs read."""


class Drawn(str):
    """SVG generated here: the only cell content that is not escaped."""

    __slots__ = ()


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table. Cells are text, which is escaped, or `Drawn`."""

    def cell(text: str) -> str:
        return f"<td {LEFT}>{text if isinstance(text, Drawn) else html.escape(text)}</td>"

    heads = "".join(f"<th {LEFT}>{html.escape(heading)}</th>" for heading in head)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def session_html(session: Session) -> str:
    """The tables, and what is left of each budget, including an analyst's own."""
    budget = session.gauges()
    tables = table(
        ("table", "protects"), [(name, session.schema(name).protects) for name in session.tables()]
    )
    left = [
        (
            name,
            Drawn(gauge_svg(gauge.left, gauge.cap)),
            f"{left_text(gauge.left)} left of {cost_text(gauge.cap)}",
        )
        for name, gauge in budget.gauges()
    ]
    note = f"<p><small>{html.escape(budget.note)}</small></p>" if budget.note else ""
    return tables + table(("budget", "", ""), left) + note


def gauge_svg(left: Amount, cap: object) -> str:
    """A gauge of what is left of a budget, in epsilon or rho."""
    kind = "rho" if getattr(cap, "epsilon", None) is None else "epsilon"
    whole, rest = getattr(cap, kind), getattr(left, kind) or Fraction(0)
    share = float(max(Fraction(0), rest) / whole) if whole else 0.0
    words = html.escape(f"{share:.0%} left")
    return (
        f'<svg width="120" height="12" viewBox="0 0 120 12" role="img" aria-label="{words}"><title>{words}</title>'
        '<rect x="0.5" y="0.5" width="119" height="11" fill="none" stroke="currentColor" opacity="0.5"/>'
        f'<rect x="1" y="1" width="{118 * share:.1f}" height="10" fill="#0072b2"/></svg>'
    )


def schema_html(info: TableInfo) -> str:
    rows = [
        (c.name, c.type, c.bounds, c.keys.removeprefix("keys "), c.null, c.unique, c.allows)
        for c in info.columns
    ]
    head = ("column", "type", "bounds", "keys", "NULL counts as", "unique", "may be used in")
    return (
        f"<p><b>{html.escape(info.name)}</b> protects {html.escape(info.protects_how)}</p>{table(head, rows)}"
    )


def question_html(question: Question) -> str:
    return (
        f"<pre>{html.escape(question.sql)}</pre>"
        "<p><small>.preview(epsilon=…) shows its price, .run(epsilon=…) asks it; nothing has been read or charged yet</small></p>"
    )


def preview_html(preview: Preview) -> str:
    """The price, and the margin of each column compared with answers of several sizes."""
    head, *_ = str(preview).split("\n")
    parts = [f"<p><b>{html.escape(head)}</b>; no row was read, nothing was spent</p>"]
    percent = f"{float(preview.columns[0].confidence) * 100:.4g} % margin" if preview.columns else "margin"
    heads, rows = ["column", percent], [[column.name, column.words] for column in preview.columns]
    if any(column.margin for column in preview.columns):
        heads.append("compared with an answer of this size")
        for column, row in zip(preview.columns, rows, strict=True):
            row.append(_ruler(column.name, column.margin) if column.margin else "")
    parts.append(table(heads, rows))
    for sentence in preview.in_groups:
        parts.append(f"<p>{html.escape(sentence)}</p>")
    if preview.derived is not None and not preview.free:
        words = "; ".join(f"{column.name} {column.words}" for column in preview.derived.columns)
        source = html.escape(f", from {entries_text(preview.derived.entries)}: {words}")
        parts.append(f"<p><b>or free</b>{source} (<code>.run()</code> without a price)</p>")
    if preview.ways:
        drawn_ways = ways_svg([(way.name, way.error, way.taken) for way in preview.ways])
        parts.append(f"<p>expected error (root mean square over all numbers) by strategy</p>{drawn_ways}")
    for name, amount in preview.budgets_left_after():
        words = f"{name}: {left_text(amount)} left after"
        if is_overdrawn(amount):
            words = f"more than is left of {name}: it would be refused"
        parts.append(f"<p>{html.escape(words)}</p>")
    notes = (*preview.notes, *preview.statistics)
    parts.append("<ul>" + "".join(f"<li><small>{html.escape(note)}</small></li>" for note in notes) + "</ul>")
    return "".join(parts)


def _ruler(name: str, margin: float) -> Drawn:
    """Noise compared with signal, as SVG and in words; line breaks never split a number."""
    words = re.sub(r"(?<=\d) (?=\d{3})", "\u00a0", zones(margin))
    return Drawn(f"{signal_svg(name, margin)}<br/><small>{html.escape(words)}</small>")


def sensitivity_html(report: SensitivityReport) -> str:
    rows = [
        (s.called, exact_text(s.l1), "; ".join(dict.fromkeys(b.text for b in s.because)))
        for s in report.statistics
    ]
    head = ("statistic", f"one {report.unit} can change it by at most", "because")
    return f"<p>under {html.escape(report.relation)}</p>{table(head, rows)}"


def receipt_html(receipt: Receipt) -> str:
    """The readable fields; `receipt.save` writes all of them, including those needed to verify it."""
    fields = {"hash": receipt.hash, **receipt.fields}
    rows = [(name, _plain(value)) for name, value in fields.items() if name not in UNREAD]
    rows.append(("signed", "yes" if receipt.signed else "no: only the ledger can confirm it"))
    return table((f"receipt {receipt.id}", ""), rows)


def batch_html(batch: Batch) -> str:
    """Each question with its price and margins."""
    rows = []
    for text, preview in zip(batch.questions, batch.preview(), strict=True):
        errors = "; ".join(f"{column.name}: {column.words}" for column in preview.columns)
        rows.append((text, "free" if preview.free else cost_text(preview.cost), errors))
    return table(("question", "would cost", "margins"), rows) + "<p><small>.run() asks them all</small></p>"


def tradeoff_text(tradeoff: Tradeoff) -> str:
    """One line per price."""
    heads = ["epsilon", *(_heading(line) for line in tradeoff.lines)]
    rows = [heads]
    for index, epsilon in enumerate(tradeoff.epsilons):
        rows.append([exact_text(epsilon), *(_margin(line.margins[index]) for line in tradeoff.lines)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def tradeoff_html(tradeoff: Tradeoff) -> str:
    prices = [float(epsilon) for epsilon in tradeoff.epsilons]
    drawn = {
        _heading(line): [margin or 0.0 for margin in line.margins]
        for line in tradeoff.lines
        if all(margin is not None for margin in line.margins)
    }
    words = "; ".join(
        f"{name}: {_margin(line[0])} at epsilon {short(prices[0])}, {_margin(line[-1])} at {short(prices[-1])}"
        for name, line in drawn.items()
    )
    heads = ["ε", *(_heading(line) for line in tradeoff.lines)]
    rows = [
        [exact_text(epsilon), *(_margin(line.margins[index]) for line in tradeoff.lines)]
        for index, epsilon in enumerate(tradeoff.epsilons)
    ]
    return lines_svg(prices, drawn, f"margin by price. {words}") + table(heads, rows)


def _heading(line: TradeoffLine) -> str:
    if line.in_rows:
        return f"{line.name} in rows"
    return line.name if line.rows is None else f"{line.name} if n = {line.rows}"


def _margin(margin: float | None) -> str:
    return "depends on the answer" if margin is None else f"± {short(margin)}"


def _plain(value: object) -> str:
    match value:
        case dict():
            return ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
        case list() | tuple():
            return "; ".join(map(_plain, value))
    return str(value)
