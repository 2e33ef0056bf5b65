"""A survey page: one HTML file that randomises answers in the participant's browser.

The page shows the odds and takes consent before the draw, draws once, stores the report, sends it, and only then shows it:
if a person could draw again, or withdraw on seeing the report, the guarantee would not hold. It loads nothing, and its
content security policy lets it send to one address at most.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import Any

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadQuery
from lapcat.local.base import read_epsilon
from lapcat.local.choose import choose
from lapcat.local.domain import Domain, Numbers, domain_of
from lapcat.local.duchi import Duchi
from lapcat.local.hadamard import Hadamard
from lapcat.local.hashing import Hashing
from lapcat.local.hybrid import Hybrid
from lapcat.local.laplace import Laplace
from lapcat.local.permanent import Permanent
from lapcat.local.piecewise import Piecewise
from lapcat.local.protocol import ForNumbers, ForValues, Protocol, protocol_of
from lapcat.local.response import Response
from lapcat.local.unary import Unary

FEW = 12  # up to this many values are shown as radio buttons, more as a list
MAX_SHOWN = 1000
KEYS = {"title", "about", "send_to", "wave", "questions"}
QUESTION_KEYS = {"name", "ask", "epsilon", "values", "low", "high", "steps", "protocol", "permanent"}


@dataclass(frozen=True, slots=True)
class Survey:
    """The questions, the randomiser of each answer, and the address of the collector."""

    title: str
    about: str
    send_to: str | None
    protocols: tuple[Protocol, ...]
    asked: tuple[str, ...]
    """The wording of each question."""

    @property
    def epsilon(self) -> Fraction:
        """The total cost of answering every question."""
        return sum((protocol.epsilon for protocol in self.protocols), Fraction(0))

    @property
    def wave(self) -> str | None:
        """The name of the wave, if the questions are repeated."""
        return self.protocols[0].wave

    @property
    def id(self) -> str:
        """A digest of the questions, by which an answer names its survey."""
        content = [
            self.title,
            [
                [p.as_json() | {"lapcat": None}, ask]
                for p, ask in zip(self.protocols, self.asked, strict=True)
            ],
        ]
        return _digest(content)

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "title": self.title,
            "send_to": self.send_to,
            "epsilon": exact_text(self.epsilon),
            "questions": [protocol.as_json() for protocol in self.protocols],
        }

    def page(self) -> str:
        """The HTML file."""
        script, style = _part("survey.js"), _part("survey.css")
        data = json.dumps(self._data(), ensure_ascii=True).replace("<", "\\u003c")
        allowed = "'none'" if self.send_to is None else self.send_to
        policy = (
            f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
            f"connect-src {allowed}; form-action 'none'; base-uri 'none'"
        )
        fields = "\n".join(
            _fieldset(protocol, ask) for protocol, ask in zip(self.protocols, self.asked, strict=True)
        )
        act = "Randomise and save" if self.send_to is None else "Randomise and send"
        leaves = "saved as a file" if self.send_to is None else f"sent to {self.send_to}"
        return _part("survey.html").format(
            policy=html.escape(policy),
            title=html.escape(self.title),
            about=html.escape(self.about),
            style=style,
            script=script,
            data=data,
            fields=fields,
            factor=self._factor,
            epsilon=html.escape(exact_text(self.epsilon)),
            leaves=html.escape(leaves),
            again=html.escape(self._again()),
            act=act,
        )

    def _again(self) -> str:
        """The sentence about repeated questions."""
        if self.wave is None:
            return (
                "If you are asked the same questions again, this browser gives the same report, whatever you answer then, at "
                "no further cost to your privacy."
            )
        lasting = any(isinstance(p.randomiser, Permanent) for p in self.protocols)
        kept = (
            " This browser keeps a first report of each answer, and randomises it again in every wave."
            if lasting
            else ""
        )
        return (
            f"These questions are asked repeatedly; this is wave {self.wave}. Every wave is randomised again, and has the same "
            f"privacy cost again.{kept}"
        )

    def _data(self) -> dict[str, object]:
        return {
            "id": self.id,
            "send_to": self.send_to,
            "factor": self._factor,
            "epsilon": exact_text(self.epsilon),
            "questions": [
                {
                    "name": protocol.question,
                    "ask": ask,
                    "protocol": protocol.randomiser.name,
                    "parameters": protocol.randomiser.parameters(),
                    "domain": protocol.domain.as_json(),
                    "memo": _digest(["report", protocol.as_json() | {"lapcat": None}]),
                    "kept": _kept(protocol),
                }
                for protocol, ask in zip(self.protocols, self.asked, strict=True)
            ],
        }

    @property
    def _factor(self) -> str:
        """e^epsilon: the largest likelihood ratio between any two sets of answers, in words."""
        return _shown(math.exp(min(float(self.epsilon), 50)))


def read_survey(text: str) -> Survey:
    """Reads a survey from its TOML text.

    >>> survey = read_survey('''
    ... title = "Habits"
    ... [[questions]]
    ... name = "smokes"
    ... ask = "Did you smoke this week?"
    ... values = ["yes", "no"]
    ... epsilon = 1
    ... ''')
    >>> survey.protocols[0].randomiser.name, survey.epsilon
    ('response', Fraction(1, 1))
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise BadQuery(
            "survey-syntax", f"the file is not valid TOML: {problem}", fix='title = "Habits"'
        ) from None
    _only(data, KEYS, "the survey")
    questions = data.get("questions")
    if not isinstance(questions, list) or not questions:
        raise _wrong("the survey has no questions", '[[questions]]\\nname = "smokes"')
    send_to = data.get("send_to")
    if send_to is not None and "@" in re.sub(r"^[a-z]*://|[/?#].*", "", str(send_to), flags=re.DOTALL):
        raise _wrong(  # the message does not quote it: it may contain a password
            "send_to contains a user name or a password, which everybody who opens the page could read",
            'send_to = "https://example.org/answers"',
        )
    if send_to is not None and not re.fullmatch(
        r"(https://|http://(127\.0\.0\.1|localhost)(?=[:/]|$))[^\s'\";,]*", str(send_to)
    ):
        raise _wrong("send_to is not an https address", 'send_to = "https://example.org/answers"')
    wave = _text(data, "wave", "") if "wave" in data else None
    read = [_question(question, wave) for question in questions]
    names = [protocol.question for protocol, _ in read]
    if len(set(names)) != len(names):
        raise _wrong("two questions have the same name", "name = …, a different one for each")
    return Survey(
        _text(data, "title", "Survey"),
        _text(data, "about", ""),
        send_to,
        tuple(protocol for protocol, _ in read),
        tuple(ask for _, ask in read),
    )


def _question(data: object, wave: str | None) -> tuple[Protocol, str]:
    if not isinstance(data, dict):
        raise _wrong("a question must be a table", "[[questions]]")
    _only(data, QUESTION_KEYS, "a question")
    name = _text(data, "name", "")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", name):
        raise _wrong(f"a question's name must be one word, not {name!r}", 'name = "smokes"')
    if "epsilon" not in data:
        raise _wrong(f"{name} has no epsilon", "epsilon = 1")
    domain = _domain(name, data)
    epsilon = read_epsilon(data["epsilon"])
    permanent = read_epsilon(data["permanent"]) if "permanent" in data else None
    if "protocol" in data:
        protocol = protocol_of(name, domain, str(data["protocol"]), epsilon, wave, permanent)
    else:
        chosen = choose(domain=domain, epsilon=epsilon, question=name, wave=wave, permanent=permanent)
        protocol = chosen.protocol
    if isinstance(protocol.randomiser, Laplace):
        raise _wrong(f"{name}: the survey page does not support Laplace noise", 'protocol = "hybrid"')
    return protocol, _text(data, "ask", name)


def _domain(name: str, data: Mapping[str, Any]) -> Domain:
    values = data.get("values")
    if isinstance(values, list) and 2 <= len(values) <= MAX_SHOWN and "low" not in data:
        texts = [str(value) for value in values]
        if not all(text.isprintable() and text.strip() for text in texts):
            raise _wrong(f"{name} has an empty or unprintable value", 'values = ["yes", "no"]')
        return domain_of(texts)
    if values is None and "low" in data and "high" in data:
        domain = Numbers(
            exact(data["low"]), exact(data["high"]), _steps(name, data)
        )  # its constructor checks that doubles can distinguish the steps
        if "/" in exact_text(domain.low) + exact_text(domain.high):
            raise _wrong(f"{name}: low and high must be decimals", "low = 0 and high = 2.5")
        return domain
    raise _wrong(f"{name} needs either values, or low and high", 'values = ["yes", "no"]')


def _steps(name: str, data: Mapping[str, object]) -> int:
    steps = data.get("steps", 0)
    if type(steps) is not int:
        raise _wrong(f"{name}: steps must be an integer", "steps = 100")
    return steps


def _kept(protocol: Protocol) -> dict[str, object] | None:
    """The randomiser of the permanent report, if any, and the key a browser stores it under."""
    randomiser = protocol.randomiser
    if not isinstance(randomiser, Permanent):
        return None
    permanent = {"protocol": randomiser.kept.name, "parameters": randomiser.kept.parameters()}
    return {**permanent, "memo": _digest(["kept", protocol.question, protocol.domain.as_json(), permanent])}


def _fieldset(protocol: Protocol, ask: str) -> str:
    """One question with its odds, accessible by mouse, keyboard and screen reader."""
    name, domain = html.escape(protocol.question), protocol.domain
    odds = f'<p class="odds" id="{name}-odds">{html.escape(odds_of(protocol))}</p>'
    if isinstance(domain, Numbers):
        low, high = exact_text(domain.low), exact_text(domain.high)
        step = exact_text(domain.step) if domain.step.denominator == 1 else "any"
        answer = (
            f"<label>A number from {low} to {high} "
            f'<input type="number" name="{name}" min="{low}" max="{high}" step="{step}" required></label>'
        )
    else:
        texts = [html.escape(text) for text in domain.given]  # type: ignore[union-attr]
        if len(texts) <= FEW:
            answer = "".join(
                f'<label><input type="radio" name="{name}" value="{text}" required> {text}</label>'
                for text in texts
            )
        else:
            options = "".join(f'<option value="{text}">{text}</option>' for text in texts)
            answer = (
                f'<label>Your answer <select name="{name}" required><option value="">choose one</option>{options}</select>'
                "</label>"
            )
    return f'<fieldset aria-describedby="{name}-odds"><legend>{html.escape(ask)}</legend>{odds}{answer}</fieldset>'


def odds_of(protocol: Protocol) -> str:
    """How an answer is randomised, in words."""
    factor = _shown(math.exp(min(float(protocol.epsilon), 50)))
    if isinstance(protocol.randomiser, Permanent):
        return f"{_odds(protocol.randomiser)} In a wave, no report is more than {factor} times as likely from one answer as from another."
    return f"{_odds(protocol.randomiser)} No report is more than {factor} times as likely from one answer as from another."  # type: ignore[arg-type]


def _odds(randomiser: ForValues | ForNumbers) -> str:
    match randomiser:
        case Response(values=2):
            return f"Your true answer is reported {_often(randomiser.holds)}, and the other one otherwise."
        case Permanent(kept=Response(holds=first)):
            return (
                f"A first report is kept: your true answer {_often(first)}. It is randomised again in every wave, so "
                f"your true answer is sent {_often(randomiser.holds)}, and each other one {_often(randomiser.others)}."
            )
        case Permanent(kept=Hashing(holds=first) | Hadamard(holds=first)):
            return (
                f"A first report is kept: the true answer {_often(first)} to a random question about yours, which has "
                f"{randomiser.again.values} possible answers. It is randomised again in every wave, so the true answer to it "
                f"is sent {_often(randomiser.holds)}. The question stays the same, so your reports of several waves can be linked."
            )
        case Response():
            return (
                f"Your true answer is reported {_often(randomiser.holds)}, and each of the {randomiser.values - 1} others "
                f"{_often(randomiser.others)}."
            )
        case Unary():
            return (
                f"Each of the {randomiser.values} answers is marked or not: yours 50 times in 100, each of the others "
                f"{_often(randomiser.others)}."
            )
        case Duchi() | Permanent():
            heads = randomiser.chance(randomiser.steps)
            return f"Only heads or tails is reported: heads {_often(heads)} at the largest number, {_often(1 - heads)} at the smallest."
        case Piecewise():
            near = Fraction(randomiser.truth * randomiser.window, 1 << 64)
            return f"A number near yours is reported {_often(near)}, and any other otherwise."
        case Hybrid():
            near = Fraction(randomiser.weight, 1 << 64)
            heads = randomiser.coin.chance(randomiser.steps)
            return (
                f"A number that may be near yours is reported {_often(near)}; otherwise heads or tails: heads {_often(heads)} at "
                f"the largest number, {_often(1 - heads)} at the smallest."
            )
    return f"A random yes-or-no question about your answer is answered truthfully {_often(randomiser.holds)}."  # type: ignore[union-attr]


def _often(chance: Fraction) -> str:
    share = float(chance * 100)
    return f"{share:.1f} times in 100" if round(share) != share else f"{share:.0f} times in 100"


def _shown(factor: float) -> str:
    return f"{factor:.3g}" if factor < 1e6 else "a million"


def _part(name: str) -> str:
    return files("lapcat.local").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The hash source of an inline script or style in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _only(data: Mapping[str, object], known: set[str], what: str) -> None:
    for key in data:
        if key not in known:
            raise _wrong(f"{what} has no {key!r}", "use one of " + ", ".join(sorted(known)))


def _text(data: Mapping[str, object], key: str, default: str) -> str:
    text = data.get(key, default)
    if not isinstance(text, str):
        raise _wrong(f"{key} must be a text", f'{key} = "…"')
    return text


def _wrong(what: str, fix: str) -> BadQuery:
    return BadQuery("survey", what, fix=fix)
