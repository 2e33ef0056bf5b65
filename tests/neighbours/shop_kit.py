"""Several tables of the same people, their neighbours, and questions about them: a person is all their rows everywhere.

    people   one row of a person (`who` is unique)         orders   a person's rows (`oid` is unique)
    items    reached through `orders.oid`                  places   public (`z` is unique)
    spots    public (`z` and `k` together are unique)

Some people have orders and no row in people, some the reverse; items name orders that are not there, or nobody's.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from hypothesis import strategies as st
from neighbour_kit import (
    AGGREGATES,
    COLUMNS,
    GROUPS,
    KEY,
    PREDICATES,
    TYPES,
    Movement,
    Row,
    contents,
    written,
)

from lapcat.engines.reference import Index, ReferenceEngine, ReferenceRow, index_by_column, index_rows
from lapcat.engines.units import UnitPath, resolve_units
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.plan.compile import Prepared, prepare
from lapcat.plan.facts import GroupFacts
from lapcat.plan.nodes import Group, Public, Scan, UniqueKeys, scans_of
from lapcat.plan.schema import PublicTable, Relation, Table, Type
from lapcat.testing.reveal import reveal, reveal_groups

Shop = dict[str, list[Row]]
"""The rows of people, orders, items, places and spots."""

PLACES: list[Row] = [
    {"z": z, "label": label, "w": w}
    for z, label, w in [
        (0, "low", 1.5),
        (1, "low", None),
        (3, "high", 1e308),
        (None, "high", 2.0),
        (9, None, -4.0),
    ]
]
SPOTS: list[Row] = [
    {"z": z, "k": k, "v": v}
    for v, (z, k) in enumerate((z, k) for z in (0, 1, 2, None) for k in ("p", "q", None, "r"))
]
IN_PEOPLE, IN_ORDERS, IN_ITEMS = (0, 1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 4)
"""Who has rows where."""
ROWS_OF_ORDERS, ROWS_OF_ITEMS, GROUPS_OF_ORDERS = 3, 4, 2


def _table(name: str, unit: str, limits: str, units: int, relation: str, own: str) -> str:
    number = f"\nunits = {units}" if relation == "replace-one" else ""
    columns = COLUMNS.replace('person = { type = "integer" }', "")
    return f"""
[tables.{name}]
source = "{name}.parquet"
unit = {unit}
relation = "{relation}"{number}
{limits}
budget = {{ epsilon = 9, delta = 0.1, i_understand = "a test" }}
[tables.{name}.columns]
{columns}
c = {{ type = "text", keys = "private" }}
{own}
"""


def _shop(mark: str, relation: str) -> str:
    who, oid = 'who = { type = "integer"%s }', 'oid = { type = "integer"%s }'
    unique = ", unique = true"
    return (
        _table(
            f"people_{mark}",
            f'{{ column = "who", of = "all_{mark}" }}',
            "rows_per_unit = 1",
            len(IN_PEOPLE),
            relation,
            who % unique,
        )
        + _table(
            f"orders_{mark}",
            f'{{ column = "who", of = "all_{mark}" }}',
            f"rows_per_unit = {ROWS_OF_ORDERS}\ngroups_per_unit = {GROUPS_OF_ORDERS}",
            len(IN_ORDERS),
            relation,
            who % "" + "\n" + oid % unique,
        )
        + _table(
            f"items_{mark}",
            f'{{ column = "oid", through = "orders_{mark}.oid" }}',
            f"rows_per_unit = {ROWS_OF_ITEMS}",
            len(IN_ITEMS),
            relation,
            oid % "",
        )
        + f'\n[populations.all_{mark}]\nbudget = {{ epsilon = 9, delta = 0.1, i_understand = "a test" }}\n'
    )


CATALOGUE = read_catalogue(
    _shop("a", "add-remove")
    + _shop("r", "replace-one")
    + """
[tables.places]
public = true
source = "places.parquet"
[tables.places.columns]
z = { type = "integer", unique = true }
label = { type = "text", keys = ["low", "high"] }
w = { type = "float", low = 0, high = 3 }

[tables.spots]
public = true
source = "spots.parquet"
unique = [["k", "z"]]
[tables.spots.columns]
z = { type = "integer" }
k = { type = "text" }
v = { type = "integer", low = 0, high = 9 }
""",
    lambda source: {},
)
MARKS = {"a": Relation.ADD_REMOVE, "r": Relation.REPLACE_ONE}


def unique(table: Table | PublicTable) -> UniqueKeys:
    return (*(name for name, spec in table.columns.items() if spec.unique), *(table.unique or ()))


def asked(text: str) -> Prepared:
    """The question as the product would prepare it."""

    def scan(table: Table) -> Scan:
        return Scan(
            table.name,
            table.source,
            1,
            table.unit,
            table.relation,
            table.units,
            str(CATALOGUE.population(table)),
            table.rows_per_unit,
            table.groups_per_unit,
            unique(table),
        )

    def public(table: PublicTable) -> Public:
        return Public(table.name, table.source, 1, unique(table))

    return prepare(understand(text, CATALOGUE, scan, public))


# ------------------------------------------------------------------------------------------------ people


@dataclass(frozen=True)
class Pair:
    """Two neighbouring shops, and the people that they have in common."""

    here: Shop
    there: Shop
    moved: frozenset[object]


def cells(dice: Random) -> Row:
    row = contents(dice)
    del row["person"]
    return {**row, "c": dice.choice([None, "ulm", "bonn", "", "lone", "p"])}


def rows_of(dice: Random, who: object, first_order: int, like: int) -> Shop:
    """Everything about somebody who is in the same tables as person `like` of IN_PEOPLE, IN_ORDERS and IN_ITEMS."""
    same = cells(dice) if dice.random() < 0.2 else None  # all of a person's rows tie
    orders: list[Row] = []
    items: list[Row] = []
    if like in IN_ORDERS:
        for number in range(dice.randint(1, 7)):
            oid = first_order + number if number == 0 or dice.random() < 0.9 else None
            orders.append({**(same or cells(dice)), "who": who, "oid": oid})
    if like in IN_ITEMS:
        known = [order["oid"] for order in orders if order["oid"] is not None]
        items = [{**(same or cells(dice)), "oid": dice.choice(known)} for _ in range(dice.randint(1, 9))]
    people = [{**cells(dice), "who": who}] if like in IN_PEOPLE else []
    return {"people": people, "orders": orders, "items": items}


def shop_of(parts: list[Shop]) -> Shop:
    shop: Shop = {"people": [], "orders": [], "items": [], "places": PLACES, "spots": SPOTS}
    for part in parts:
        for name, rows in part.items():
            shop[name] = shop[name] + rows
    return shop


def pair_of(mark: str, seed: int) -> Pair:
    """Two shops that differ in one person: without them (add-remove), or with another in the same tables."""
    dice = Random(seed)
    parts = {who: rows_of(dice, who, 100 * who + 100, who) for who in range(5)}
    stray: Shop = {
        "people": [{**cells(dice), "who": None}],
        "orders": [{**cells(dice), "who": None, "oid": 7}],
        "items": [{**cells(dice), "oid": oid} for oid in (None, 7, 8)],
    }
    person = dice.randrange(5)
    name = person if dice.random() < 0.7 else 77  # the same name with other rows, or another name
    other = rows_of(dice, name, dice.choice([100 * person + 100, 5000]), person)
    rest = [part for who, part in parts.items() if who != person] + [stray]
    at = dice.randint(0, len(rest))
    here = shop_of([*rest[:at], parts[person], *rest[at:]])
    there = shop_of([*rest[:at], *([other] if MARKS[mark] is Relation.REPLACE_ONE else []), *rest[at:]])
    return Pair(here, there, frozenset({person, name}))


def engine_over(shop: Shop, mark: str) -> ReferenceEngine:
    types = {**{name: kind for name, kind in TYPES.items() if name != "person"}, "c": Type.TEXT}
    own = {
        "people": {**types, "who": Type.INTEGER},
        "orders": {**types, "who": Type.INTEGER, "oid": Type.INTEGER},
        "items": {**types, "oid": Type.INTEGER},
    }
    orders = index_by_column(shop["orders"], "who", own["orders"], KEY)
    way = UnitPath(shop["orders"], orders.units, "oid", Type.INTEGER)
    owners = resolve_units(shop["items"], "oid", Type.INTEGER, way)
    indexes: dict[str, Index] = {
        f"people_{mark}": index_by_column(shop["people"], "who", own["people"], KEY),
        f"orders_{mark}": orders,
        f"items_{mark}": index_rows(shop["items"], owners, own["items"], KEY),
    }
    tables = {f"{name}_{mark}": rows for name, rows in shop.items()}
    return ReferenceEngine({**tables, "places": shop["places"], "spots": shop["spots"]}, indexes)


# ------------------------------------------------------------------------------------------------ how far it moved


@dataclass(frozen=True)
class Look:
    """What a plan says of a shop: for each statistic its cells by name, and the units of each private group."""

    cells: list[dict[object, int]]
    units: dict[object, int]


def look(engine: ReferenceEngine, plan: Group) -> Look:
    private = engine.execute(plan)
    if not plan.private_keys:
        return Look([dict(enumerate(row)) for row in reveal(private).tolist()], {})
    groups = reveal_groups(private)
    integers: list[dict[object, int]] = [{} for _ in plan.statistics]
    for group, (_, blocks) in groups.items():
        for own, block in zip(integers, blocks, strict=True):
            own |= {(group, place): number for place, number in enumerate(block)}
    return Look(integers, {group: units for group, (units, _) in groups.items()})


def moved(here: dict[object, int], there: dict[object, int]) -> Movement:
    places = sorted({*here, *there}, key=repr)
    return Movement.between([here.get(p, 0) for p in places], [there.get(p, 0) for p in places])


def breaches(plan: Group, facts: GroupFacts, here: ReferenceEngine, there: ReferenceEngine) -> list[str]:
    """What moved further than `facts` claims; empty where the claim holds."""
    left, other = look(here, plan), look(there, plan)
    messages: list[str] = []
    together, squares, parts = Fraction(0), Fraction(0), Fraction(0)
    for position, fact in enumerate(facts.statistics):
        own, claimed = moved(left.cells[position], other.cells[position]), fact.sensitivity
        for name in ("l0", "linf", "l1", "l2_squared"):
            if getattr(own, name) > getattr(claimed, name):
                messages.append(
                    f"statistic {position}: {name} moved by {getattr(own, name)}, claimed {getattr(claimed, name)}"
                )
        if claimed.l1 > 0:
            together += Fraction(own.l1) / claimed.l1
            squares += Fraction(own.l2_squared)
            parts += Fraction(own.l2_squared) / claimed.l2_squared
    if max(together, parts) > facts.max_affected:
        messages.append(
            f"together: {together}, squared {parts} of their own bounds, claimed {facts.max_affected}"
        )
    whole = facts.together([fact.sensitivity for fact in facts.statistics])
    if squares > whole.l2_squared:
        messages.append(f"l2 squared of all: {squares}, claimed {whole.l2_squared}")
    if facts.keys_per_unit is not None:
        sides = 2 if facts.rows.relation is Relation.REPLACE_ONE else 1
        units = moved(left.units, other.units)
        if units.l1 > sides * facts.keys_per_unit or units.linf > 1:
            messages.append(f"private groups: {units}, claimed {facts.keys_per_unit} of a unit, each once")
    return messages


def of_others(engine: ReferenceEngine, plan: Group, moved: frozenset[object]) -> Counter[str]:
    """The rows of everybody else that the plan counts, as they are when they are counted."""

    def shown(held: ReferenceRow) -> str:
        return repr((held.unit, sorted((name, repr(cell)) for name, cell in held.row.items()), held.weight))

    return Counter(shown(held) for held in engine._rows(plan.source) if held.unit not in moved)


# ------------------------------------------------------------------------------------------------ questions


def of(alias: str, text: str) -> str:
    """The text with its columns named as an alias's."""
    return re.sub(r"(?<!['\w.])(raw|[xyabkozfdtc])(?!['\w(])", rf"{alias}.\1", text)


@dataclass(frozen=True)
class Vocabulary:
    """What may be said about rows: a FROM clause, and pieces for the rest of the question."""

    source: str
    aggregates: st.SearchStrategy[str]
    predicates: st.SearchStrategy[str]
    groups: st.SearchStrategy[str]


SAFE_PREDICATES = PREDICATES.filter(lambda text: "person" not in text)
SAFE_AGGREGATES = AGGREGATES.filter(lambda text: "person" not in text)
SAFE_GROUPS = GROUPS.filter(lambda text: "person" not in text)


def plain(source: str, *aliases: str, units: str = "") -> Vocabulary:
    """Rows with all columns of one or several tables."""
    alias = st.sampled_from(aliases)

    def named(pieces: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(alias, pieces).map(lambda pair: of(*pair))

    counted = st.tuples(alias, st.sampled_from("ktza")).map(lambda pair: f"COUNT(DISTINCT {'.'.join(pair)})")
    people = [st.just(f"COUNT(DISTINCT {units})")] * 2 if units else []
    return Vocabulary(
        source,
        st.one_of(named(SAFE_AGGREGATES), named(SAFE_AGGREGATES), counted, *people),
        named(SAFE_PREDICATES),
        named(st.one_of(SAFE_GROUPS, SAFE_GROUPS, st.just("c"))),
    )


def made(source: str, extra: str, *, groups: str = "q.k; q.o") -> Vocabulary:
    """Rows that a sub-query made."""
    return Vocabulary(
        source, written(extra), written("q.n > 1; q.n = 1; q.s < 3; q.s IS NULL; q.n <> q.s"), written(groups)
    )


FOLDED = """COUNT(*); COUNT(q.s); SUM(CLAMP(q.n, 0, 3)); AVG(CLAMP(q.s, -4, 9)); SUM(CLAMP(q.s, -2, -1));
    COUNT(DISTINCT q.n); SUM(CASE WHEN q.n > 1 THEN -1 ELSE 2 END); COUNT(DISTINCT q.who); COUNT(DISTINCT q.n > 1);
    STDDEV(CLAMP(q.s, -4, 9)); CORR(CLAMP(q.s, -4, 9), CLAMP(q.n, 0, 3))"""


@st.composite
def sources(draw: st.DrawFn, mark: str) -> Vocabulary:
    people, orders, items = (f"{name}_{mark}" for name in ("people", "orders", "items"))
    left = draw(st.sampled_from(["JOIN", "LEFT JOIN"]))
    where = draw(st.one_of(st.just(""), SAFE_PREDICATES.map(lambda p: f" WHERE {of('w', p)}")))
    also = draw(st.sampled_from(["", " AND l.k = r.k", " AND l.oid = r.oid"]))
    having = draw(st.sampled_from(["", " HAVING COUNT(*) > 1", " HAVING SUM(w.b) < 0"]))
    by = draw(st.sampled_from(["", ", w.k", ", w.k, w.o"]))
    fold = draw(
        st.sampled_from(
            [
                "COUNT(*) AS n, SUM(w.x) AS s",
                "COUNT(w.x) AS n, AVG(w.y) AS s",
                "COUNT(DISTINCT w.k) AS n, MIN(w.b) AS s",
                "COUNT(*) FILTER (WHERE w.f) AS n, MAX(w.a) AS s",
            ]
        )
    )
    keys = "".join(f", {key} AS {key[2:]}" for key in by.split(", ") if key)
    inner = f"(SELECT w.who AS who, {fold}{keys} FROM {orders} w{where} GROUP BY w.who{by}{having})"
    membership = draw(st.sampled_from(["IN", "NOT IN"]))
    grouped = "q.k; q.k" if by else "CLAMP(q.n, 0, 2)"
    union_where = draw(st.one_of(st.just(""), SAFE_PREDICATES.map(lambda p: f" WHERE {of('w2', p)}")))
    two = draw(st.sampled_from([(orders, orders), (people, orders), (orders, people), (people, people)]))
    union = (
        f"(SELECT w.who AS who, w.a AS n, w.b AS s, w.k AS k FROM {two[0]} w{where} "
        f"UNION ALL SELECT w2.who, w2.z, w2.a, w2.k FROM {two[1]} w2{union_where})"
    )
    return draw(
        st.sampled_from(
            [
                plain(f"{orders} l", "l", units="l.who"),
                plain(f"{items} l", "l"),
                plain(f"{people} l", "l", units="l.who"),
                plain(f"{orders} l {left} {people} r ON l.who = r.who", "l", "r", units="l.who"),
                plain(f"{items} l {left} {orders} r ON l.oid = r.oid", "l", "r"),
                plain(
                    f"{items} l JOIN {orders} r ON l.oid = r.oid {left} {people} r2 ON r.who = r2.who",
                    "l",
                    "r",
                    "r2",
                ),
                plain(f"{orders} l {left} {orders} r ON l.who = r.who{also}", "l", "r", units="l.who"),
                plain(f"{orders} l {left} places g ON l.z = g.z", "l", units="l.who"),
                plain(f"{people} l {left} {orders} r ON l.who = r.who", "l", "r", units="l.who"),
                plain(f"{orders} l {left} spots g ON l.z = g.z AND l.k = g.k", "l", units="l.who"),
                plain(f"{orders} l LEFT JOIN places g ON l.z = g.z AND l.f AND g.w > 1", "l", units="l.who"),
                plain(
                    f"{people} l LEFT JOIN {orders} r ON l.who = r.who AND l.k = 'p' AND r.f",
                    "l",
                    "r",
                    units="l.who",
                ),
                plain(
                    f"(SELECT l.* FROM spots h, places g, {people} r, {orders} m, {items} l WHERE g.z = l.z AND m.who = r.who "
                    "AND m.oid = l.oid AND l.z = h.z AND h.k = r.k) l",
                    "l",
                ),
                plain(
                    f"(SELECT * FROM {orders} w WHERE w.who {membership} (SELECT w3.who FROM {people} w3)) l",
                    "l",
                    units="l.who",
                ),
                plain(
                    f"(SELECT * FROM {people} w WHERE w.who {membership} (SELECT w3.who FROM {orders} w3)) l",
                    "l",
                    units="l.who",
                ),
                made(f"{inner} q", FOLDED, groups=grouped),
                made(f"{inner} q", FOLDED, groups=grouped),
                replace(
                    plain(f"{people} l {left} {inner} q ON l.who = q.who", "l", units="l.who"),
                    aggregates=written(FOLDED + "; SUM(l.x); COUNT(DISTINCT l.k); COUNT(l.f)"),
                ),
                replace(
                    plain(f"{orders} l {left} {inner} q ON l.who = q.who", "l", units="l.who"),
                    aggregates=written(FOLDED + "; SUM(l.x); COUNT(DISTINCT l.k); COUNT(l.f)"),
                ),
                made(f"{union} q", FOLDED + "; SUM(q.n); AVG(q.s)", groups="q.k; CLAMP(q.n, 0, 2)"),
                made(f"{union} q", FOLDED + "; SUM(q.n); AVG(q.s)", groups="q.k; CLAMP(q.n, 0, 2)"),
                made(
                    f"(SELECT who, COUNT(*) AS n, SUM(CLAMP(n, -2, 3)) AS s FROM {union} v GROUP BY who) q",
                    FOLDED,
                    groups="CLAMP(q.n, 0, 2)",
                ),
            ]
        )
    )


@st.composite
def questions(draw: st.DrawFn, mark: str) -> str:
    rows = draw(sources(mark))
    groups = draw(st.one_of(st.just([]), st.lists(rows.groups, max_size=2, unique=True)))
    condition = st.one_of(st.just(""), rows.predicates.map(lambda p: f" FILTER (WHERE {p})"))
    outputs = draw(st.lists(st.tuples(rows.aggregates, condition).map("".join), min_size=1, max_size=3))
    where = draw(st.one_of(st.just(""), rows.predicates.map(lambda p: f" WHERE {p}")))
    form = draw(st.sampled_from(["{}", "{}", "{}", "ROLLUP ({})", "CUBE ({})"]))
    by = f" GROUP BY {form.format(', '.join(groups))}" if groups else ""
    limits = draw(
        st.sampled_from(
            ["", "", "", "max_rows_contributed=2", "max_groups_contributed=2", "max_groups_contributed=1"]
        )
    )
    options = f"WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, {limits}) " if limits else ""
    return f"SELECT {options}{', '.join(f'{o} AS c{i}' for i, o in enumerate(outputs))} FROM {rows.source}{where}{by}"


def reads_from(plan: Group) -> set[str]:
    return {scan.table for scan in scans_of(plan)}
