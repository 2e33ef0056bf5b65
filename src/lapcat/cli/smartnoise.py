"""Draft of a catalogue from SmartNoise SQL metadata: declarations are kept, the rest is left open.

The metadata declares the privacy unit (private_id or row_privacy), rows per person (max_ids), types and bounds. It has no
budgets, sources or public keys, which stay open questions, as in every draft. Settings without a counterpart become
comments that say what lapcat does instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from lapcat.cli.draft import OPTION, QUESTION, head, table_name
from lapcat.cli.small_yaml import Node, read_yaml
from lapcat.errors import BadQuery
from lapcat.plan.schema import Type
from lapcat.plan.words import toml_key, toml_text

TYPES = {
    "int": Type.INTEGER,
    "float": Type.FLOAT,
    "string": Type.TEXT,
    "boolean": Type.BOOLEAN,
    "datetime": Type.TIMESTAMP,
}
_INSTEAD = {
    "rows": "not copied: the number of rows is not public here",
    "rows_exact": "not copied: the number of rows is not public here",
    "rowcount": "not copied: the number of rows is not public here",
    "sample_max_ids": "here every unit is always limited to rows_per_unit",
    "censor_dims": 'here per column: listed keys are public, keys = "private" is censored',
    "clamp_counts": "here a noisy count may be negative; clamp it in your own code",
    "clamp_columns": "here values are always clamped to their bounds",
    "use_dpsu": 'here private keys (keys = "private") use a threshold',
}
_COLUMN = ("type", "private_id", "lower", "upper", "nullable", "missing_value", "sensitivity", "cardinality")


@dataclass(frozen=True, slots=True)
class Metadata:
    """One table of a metadata file."""

    schema: str
    name: str
    settings: Mapping[str, Node]
    columns: Mapping[str, Mapping[str, Node]]

    @property
    def unit(self) -> str | None:
        """The unit column, or "row"; None if the file names no column or several."""
        if self.settings.get("row_privacy") is True:
            return "row"
        named = [name for name, spec in self.columns.items() if spec.get("private_id") is True]
        return named[0] if len(named) == 1 else None


def read_metadata(text: str) -> tuple[str, list[Metadata]]:
    """The collection's name and its tables."""
    root = {key: value for key, value in read_yaml(text).items() if key != "engine"}
    if len(root) != 1:
        raise _unlike(f"it has {len(root)} collections, not one")
    ((collection, body),) = root.items()
    tables = []
    for name, inner in _mapping(body, collection).items():
        if _is_table(inner):  # the schema may be left out
            tables.append(_table("", name, inner))
        else:
            tables += [_table(name, each, node) for each, node in _mapping(inner, name).items()]
    if not tables:
        raise _unlike("it has no table")
    return collection, tables


def _is_table(node: Node) -> bool:
    """Whether the node contains a column, that is, an entry with a type."""
    return isinstance(node, dict) and any(
        isinstance(inner, dict) and isinstance(inner.get("type"), str) for inner in node.values()
    )


def _table(schema: str, name: str, node: Node) -> Metadata:
    body = _mapping(node, name)
    columns = {key: value for key, value in body.items() if isinstance(value, dict)}
    for column, spec in columns.items():
        if spec.get("type") not in (*TYPES, "unknown"):
            raise _unlike(f"column {column!r} of {name!r} has no type of {', '.join(TYPES)}")
    settings = {key: value for key, value in body.items() if key not in columns}
    return Metadata(schema, name, settings, columns)


def _mapping(node: Node, name: str) -> dict[str, Node]:
    if not isinstance(node, dict):
        raise _unlike(f"{name!r} holds no tables or columns")
    return node


def _unlike(what: str) -> BadQuery:
    return BadQuery(
        "metadata-unknown",
        f"this is not SmartNoise metadata: {what}",
        fix="nest collection, schema, table and column, and give each column a type",
    )


# ------------------------------------------------------------------------------------------------ the draft


def names_of(tables: Sequence[Metadata]) -> list[str]:
    """The table names in the catalogue; with the schema if two would be the same."""
    plain = [table_name(table.name) for table in tables]
    return [
        name if plain.count(name) == 1 else table_name(f"{table.schema} {table.name}")
        for name, table in zip(plain, tables, strict=True)
    ]


def draft_from(text: str, file: str, sources: Mapping[str, str]) -> str:
    """A catalogue for the tables of a metadata file, as valid TOML; `sources` maps tables to known sources."""
    collection, tables = read_metadata(text)
    units = [table.unit for table in tables]
    people = table_name(collection or "people")
    shared = {unit for unit in units if unit not in (None, "row") and units.count(unit) > 1}
    lines = head(f"# The catalogue of {' '.join(file.split())}, drafted by `lapcat init --from`.")
    if shared:
        lines += [
            "",
            "# Several tables are about the same people: this is their budget for all of",
            "# them together.",
            f"[populations.{people}]",
            f"{QUESTION} budget = {{ epsilon = 1 }}",
        ]
    for name, table in zip(names_of(tables), tables, strict=True):
        lines += [
            "",
            f"[tables.{name}]",
            *_head(name, table, sources, people if table.unit in shared else None),
        ]
        lines += ["", f"[tables.{name}.columns]"]
        for column, spec in table.columns.items():
            lines += _column(column, spec)
    return "\n".join(lines) + "\n"


def _head(name: str, table: Metadata, sources: Mapping[str, str], people: str | None) -> list[str]:
    source = sources.get(name)
    lines = [f"source = {toml_text(source)}" if source else f"{QUESTION} source = {toml_text(name + '.csv')}"]
    named = [column for column, spec in table.columns.items() if spec.get("private_id") is True]
    match table.unit:
        case None if named:
            lines += ["# Several columns are private_id; lapcat needs one: combine them first."]
            lines += [f"{QUESTION} unit = {toml_text(named[0])}"]
        case None:
            lines += ["# No column is private_id, and row_privacy is not set: who is protected?"]
            lines += [f'{QUESTION} unit = "row"']
        case "row":
            lines += ['unit = "row"']
        case unit if people is not None:
            lines += [f"unit = {{ column = {toml_text(unit)}, of = {toml_text(people)} }}"]
        case unit:
            lines += [f"unit = {toml_text(unit)}"]
    lines += _rows_per_unit(table, bool(named))
    lines += [f"{QUESTION} budget = {{ epsilon = 1 }}"]
    for setting, value in table.settings.items():
        if setting in _INSTEAD:
            lines.append(f"# {setting}: {_INSTEAD[setting]}")
        elif setting not in ("row_privacy", "max_ids"):
            lines.append(
                f"{QUESTION} {toml_key(setting)} = {_shown(value)} is not supported: delete this line"
            )
    return lines


def _rows_per_unit(table: Metadata, named: bool) -> list[str]:
    if table.unit == "row" or not named:
        return []
    given = table.settings.get("max_ids")
    if given is None:
        return ["rows_per_unit = 1   # the default of max_ids"]
    if isinstance(given, Decimal) and given >= 1 and given == given.to_integral_value():
        return [f"rows_per_unit = {int(given)}"]
    return [f"{QUESTION} rows_per_unit = 10"]


def _column(name: str, spec: Mapping[str, Node]) -> list[str]:
    if spec["type"] == "unknown":
        return [f"# {toml_key(name)}: its type is unknown; a column that is not listed cannot be used"]
    kind = TYPES[str(spec["type"])]
    parts, notes = [f'type = "{kind}"'], []
    low, high, null = spec.get("lower"), spec.get("upper"), spec.get("missing_value")
    if kind.is_number and spec.get("private_id") is not True:
        if _fit(kind, low, high):
            parts += [f"low = {_number(low)}", f"high = {_number(high)}"]
            if _fit(kind, null) and low <= null <= high:  # type: ignore[operator]
                parts += [f"null = {_number(null)}"]
            elif null is not None:
                notes.append(
                    f"{QUESTION} {toml_key(name)}: null = … within its bounds (missing_value was not) in this line:"
                )
        else:
            notes.append(f"{OPTION} {toml_key(name)}: SUM and AVG need   low = …, high = …   in this line:")
    if kind is Type.TEXT and spec.get("private_id") is not True:
        notes.append(
            f'{OPTION} {toml_key(name)}: GROUP BY needs   keys = ["…", "…"] or "private"   in this line:'
        )
    if kind is Type.TIMESTAMP:
        notes.append(
            f"{QUESTION} {toml_key(name)}: a date or a timestamp? SmartNoise has one type for both; in this line:"
        )
    if "sensitivity" in spec:
        notes.append(f"# {toml_key(name)}: sensitivity is computed from the bounds")
    if "cardinality" in spec:
        notes.append(f"# {toml_key(name)}: cardinality is not used")
    if null is not None and not kind.is_number:
        notes.append(f"# {toml_key(name)}: missing_value is for numbers only; use COALESCE in the question")
    for other in spec:
        if other not in _COLUMN:
            notes.append(f"{QUESTION} {toml_key(name)}: {toml_key(other)} is not supported: delete this line")
    return [*notes, f"{toml_key(name)} = {{ {', '.join(parts)} }}"]


def _fit(kind: Type, *numbers: Node) -> bool:
    """Whether these are valid numbers for a column of this type, in ascending order."""
    values = [number for number in numbers if isinstance(number, Decimal)]
    whole = kind is not Type.INTEGER or all(value == value.to_integral_value() for value in values)
    ascending = len(values) == len(numbers) and values == sorted(set(values))
    return whole and ascending and all(abs(value) <= 2**62 for value in values)


def _number(value: Node) -> str:
    assert isinstance(value, Decimal)
    return str(int(value)) if value == value.to_integral_value() else f"{value:f}"


def _shown(value: Node) -> str:
    return toml_text(str(value)) if isinstance(value, str) else str(value).lower()


def matched(tables: Sequence[Metadata], sources: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Maps tables to sources by file name; a single source matches a single table.

    `sources` are pairs of a source's name and how it is written in the catalogue.
    """
    names = names_of(tables)
    if len(sources) == len(names) == 1:
        return {names[0]: sources[0][1]}
    sources_by_table: dict[str, str] = {}
    for stem, written in sources:
        name = table_name(stem)
        if name not in names or name in sources_by_table:
            raise BadQuery(
                "source-unmatched",
                f"{written} matches no table of the metadata"
                if name not in names
                else f"two sources have the name {name}",
                fix=f"name the files after the tables: {', '.join(names)}",
            )
        sources_by_table[name] = written
    return sources_by_table
