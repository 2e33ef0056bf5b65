"""Eight files made like public ones, and what a newcomer types to get from each to a grouped answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Typed:
    """A command, and what is typed when it asks."""

    command: str
    answers: Sequence[str] = ()
    code: int = 0


@dataclass(frozen=True)
class Newcomer:
    """A file, what is odd about it, and the way to an answer."""

    title: str
    about: str
    write: Callable[[Path], None]
    typed: Sequence[Typed]
    groups: Sequence[object]
    """What the last answer has a line for."""


def keys(column: str, *values: str) -> str:
    """A steward's edit as a script of sed: the public values of a column."""
    listed = ", ".join(f'"{value}"' for value in values)
    return f"'/^{column} =/s/ }}/, keys = [{listed}] }}/'"


def edit(*scripts: str) -> Typed:
    """Edits of the catalogue as one command."""
    if len(scripts) == 1:
        return Typed(f"sed -i {scripts[0]} lapcat.toml")
    return Typed("sed -i " + " \\\n    ".join(f"-e {script}" for script in scripts) + " lapcat.toml")


def _write(path: Path, rows: Sequence[Sequence[object]], delim: str = ",", encoding: str = "utf-8") -> None:
    text = "".join(delim.join(map(str, row)) + "\n" for row in rows)
    path.write_bytes(text.encode(encoding))


def adult(folder: Path) -> None:
    dice = random.Random(1)
    rows = [
        [
            dice.randrange(17, 90),
            dice.choice(["Private", "State-gov", "?"]),
            dice.choice(["Bachelors", "HS-grad"]),
            dice.choice(["Male", "Female"]),
            dice.choice(["<=50K", ">50K"]),
        ]
        for _ in range(1500)
    ]
    _write(folder / "adult.data", [*rows, []], ", ")


def scores(folder: Path) -> None:
    dice = random.Random(2)
    head = ["id", "sex", "age", "decile_score", "priors_count", "decile_score"]
    rows = [
        [i, dice.choice(["Male", "Female"]), dice.randrange(18, 80), score := dice.randrange(1, 11), 0, score]
        for i in range(1500)
    ]
    _write(folder / "scores.csv", [head, *rows])


def towns(folder: Path) -> None:
    dice = random.Random(3)
    rows = [[i, dice.choice(["Köln", "Zürich", "Málaga"]), dice.randrange(18, 90)] for i in range(2000)]
    _write(folder / "members.csv", [["member_id", "town", "age"], *rows], encoding="windows-1252")


def sales(folder: Path) -> None:
    dice = random.Random(4)
    rows = [
        [
            dice.randrange(600),
            f"{dice.randrange(1, 29):02}.{dice.randrange(1, 13):02}.2024",
            f"{dice.randrange(1, 4)}.{dice.randrange(1000):03},{dice.randrange(100):02}",
            dice.choice(["Filiale", "Versand"]),
        ]
        for _ in range(2000)
    ]
    _write(folder / "umsatz.csv", [["kunde", "tag", "betrag", "weg"], *rows], ";")


def rides(folder: Path) -> None:
    dice = random.Random(5)
    rows = [
        [
            f"r{dice.randrange(900)}",
            f"2024-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}T{dice.randrange(24):02}:15:00Z",
            dice.randrange(2, 60),
        ]
        for _ in range(2000)
    ]
    _write(folder / "rides.csv", [["user_id", "started_at", "minutes"], *rows])


def survey(folder: Path) -> None:
    dice = random.Random(6)
    head = ["respondent", *(f"q{number:02}" for number in range(1, 52)), "smokes"]
    rows = [
        [i, *(dice.randrange(1, 6) for _ in range(51)), dice.choice(["true", "false"])] for i in range(1500)
    ]
    _write(folder / "survey.csv", [head, *rows])


def workbook(folder: Path) -> None:
    import datetime

    import openpyxl

    dice = random.Random(7)
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["person_id", "site", "joined", "pay"])
    for i in range(1500):
        joined = datetime.date(2015, 1, 1) + datetime.timedelta(days=dice.randrange(3000))
        sheet.append([i, dice.choice(["Graz", "Linz"]), joined, 2000 + dice.randrange(3000) / 2])
    book.save(folder / "staff.xlsx")


def shop(folder: Path) -> None:
    dice = random.Random(8)
    customers = [[i, dice.choice(["north", "south", "west"])] for i in range(800)]
    orders = [
        [i, dice.randrange(800), f"2024-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}"]
        for i in range(2000)
    ]
    items = [[dice.randrange(2000), dice.choice(["tea", "pot"]), dice.randrange(1, 50)] for _ in range(4000)]
    _write(folder / "customers.csv", [["customer_id", "region"], *customers])
    _write(folder / "orders.csv", [["order_id", "customer_id", "ordered"], *orders])
    _write(folder / "items.csv", [["order_id", "product", "price"], *items])


REFRESH = Typed("lapcat refresh")
NEWCOMERS = {
    "no header": Newcomer(
        "A file without a header",
        "The first line is a row. `init` asks, and no cell of it reaches the catalogue, which is public.",
        adult,
        [
            Typed("lapcat init adult.data", ["n", "age,work,school,sex,income", "row", "1"]),
            edit(keys("sex", "Female", "Male")),
            REFRESH,
            Typed('lapcat ask "SELECT sex, COUNT(*) AS people\n    FROM adult GROUP BY sex" --epsilon 0.5'),
        ],
        ["Female", "Male"],
    ),
    "doubled header": Newcomer(
        "Two columns with the same name",
        "`decile_score` appears twice. The second one becomes `decile_score_1`.",
        scores,
        [
            Typed("lapcat init scores.csv", ["y", "row", "1"]),
            edit(keys("sex", "Female", "Male")),
            REFRESH,
            Typed('lapcat ask "SELECT sex, COUNT(*) AS people\n    FROM scores GROUP BY sex" --epsilon 0.5'),
        ],
        ["Female", "Male"],
    ),
    "Latin-1": Newcomer(
        "Another encoding",
        "The refusal names the line and the column, never the content, and ends with the command that reads the file.",
        towns,
        [
            Typed("lapcat init members.csv", code=1),
            Typed("lapcat init members.csv --encoding windows-1252", ["", "1", "2"]),
            edit(keys("town", "Köln", "Málaga", "Zürich")),
            REFRESH,
            Typed(
                'lapcat ask "SELECT town, COUNT(*) AS members\n    FROM members GROUP BY town" --epsilon 0.5'
            ),
        ],
        ["Köln", "Málaga", "Zürich"],
    ),
    "German decimals": Newcomer(
        "Decimal commas, and dates such as 31.12.2024",
        "`init` proposes both formats in the draft if all cells of a column fit exactly one.",
        sales,
        [
            Typed("lapcat init umsatz.csv", ["kunde", "5", "2"]),
            edit(keys("weg", "Filiale", "Versand"), "'/^betrag =/s/ }/, low = 0, high = 5000 }/'"),
            REFRESH,
            Typed('lapcat ask "SELECT weg, AVG(betrag) AS betrag\n    FROM umsatz GROUP BY weg" --epsilon 1'),
        ],
        ["Filiale", "Versand"],
    ),
    "Z timestamps": Newcomer(
        "Timestamps with a zone",
        "`2024-03-05T10:15:00Z` is a timestamp; one with an offset is converted to UTC. A quarter needs no declared values.",
        rides,
        [
            Typed("lapcat init rides.csv", ["", "5", "2"]),
            REFRESH,
            Typed(
                'lapcat ask "SELECT QUARTER(started_at) AS quarter, COUNT(*) AS rides\n    FROM rides GROUP BY 1" --epsilon 1'
            ),
        ],
        ["1", "2", "3", "4"],
    ),
    "53 columns": Newcomer(
        "53 columns",
        "Three questions, however many columns there are: the rest can wait until it is needed.",
        survey,
        [
            Typed("lapcat init survey.csv", ["respondent", "1", "1"]),
            REFRESH,
            Typed(
                'lapcat ask "SELECT smokes, COUNT(*) AS people\n    FROM survey GROUP BY smokes" --epsilon 0.5'
            ),
        ],
        ["false", "true"],
    ),
    "xlsx": Newcomer(
        "A workbook",
        "`pip install 'lapcat[excel]'` reads `.xlsx`, `.xls` and `.ods`; a workbook with several sheets names them.",
        workbook,
        [
            Typed("lapcat init staff.xlsx", ["", "1", "2"]),
            edit(keys("site", "Graz", "Linz")),
            REFRESH,
            Typed('lapcat ask "SELECT site, COUNT(*) AS people\n    FROM staff GROUP BY site" --epsilon 0.5'),
        ],
        ["Graz", "Linz"],
    ),
    "shop": Newcomer(
        "A shop of three tables",
        "`customer_id` names the same people in two tables, and an item belongs to the customer of its order: the draft suggests "
        "both from the column names, and refresh checks what it needs.",
        shop,
        [
            Typed("lapcat init customers.csv orders.csv items.csv", ["", "1", "", "5", "", "20", "2"]),
            edit(keys("region", "north", "south", "west")),
            REFRESH,
            Typed(
                'lapcat ask "SELECT c.region, COUNT(*) AS orders\n'
                "    FROM orders o JOIN customers c ON o.customer_id = c.customer_id\n"
                '    GROUP BY c.region" --epsilon 1'
            ),
        ],
        ["north", "south", "west"],
    ),
}
