"""The survey page in a real browser: what it asks, draws, keeps, sends and shows."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lapcat.core.exact import exact_text
from lapcat.local import Numbers, Survey, choose, read_survey
from lapcat.local.base import possible
from lapcat.session.local import estimate_answers
from tests.browser.chromium import ENTER, SPACE, TAB, Browser
from tests.browser.collector import Collector

VECTORS = Path(__file__).parents[1] / "local" / "vectors.json"
FEW, MANY = 250, 2000  # people who answer; `make slow` waits for the many
CANARY = "kanarienvogel"

QUESTIONS = f"""
title = "Habits"
about = "Three questions."
send_to = "ADDRESS"

[[questions]]
name = "smokes"
ask = "Did you smoke this week?"
values = ["{CANARY}-yes", "{CANARY}-no"]
epsilon = 1

[[questions]]
name = "fruit"
ask = "Which fruit do you like best?"
values = [{", ".join(f'"{CANARY}-{i}"' for i in range(14))}]
epsilon = 2

[[questions]]
name = "age"
ask = "How old are you?"
low = 18
high = 100
epsilon = 1
"""
LETTERS = re.compile(r"[a-z]+")


def survey_to(collector: Collector | None) -> Survey:
    address = "" if collector is None else f'send_to = "{collector.address}/answers"'
    return read_survey(QUESTIONS.replace('send_to = "ADDRESS"', address))


@pytest.fixture
def survey(collector: Collector, browser: Browser) -> Survey:
    """Served, and open in the browser of somebody who was never here."""
    survey = survey_to(collector)
    collector.pages = {"/survey.html": survey.page(), "/": "<title>before</title>"}
    browser.open(collector.address + "/")
    browser.forget()
    browser.requests()
    browser.open(collector.address + "/survey.html")
    return survey


FILL = """
for (const [name, value] of Object.entries(arguments[0])) {
  const at = document.querySelector(`[name="${name}"][value="${value}"]`) ?? document.querySelector(`[name="${name}"]`);
  if (at.type === "radio") at.click();
  else { at.value = value; at.dispatchEvent(new Event("change", {bubbles: true})); }
}
"""
ANSWER = {"smokes": f"{CANARY}-no", "fruit": f"{CANARY}-7", "age": "41"}


def fill(browser: Browser, answer: dict[str, str], *, consent: bool = True) -> None:
    browser.run(FILL, answer)
    if consent:
        browser.run("document.querySelector('[name=consent]').click()")


def submit(browser: Browser) -> None:
    browser.run("document.querySelector('button[type=submit]').click()")


def test_the_script_and_python_agree_on_every_vector(survey: Survey, browser: Browser) -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    made = browser.run(
        "return arguments[0].map((v) => lapcat.encode(v.protocol, v.parameters, v.value, v.words.map(BigInt)))",
        vectors,
    )
    assert len(vectors) > 200 and {v["protocol"] for v in vectors} >= {
        "response",
        "unary",
        "hashing",
        "hybrid",
    }
    assert made == [vector["report"] for vector in vectors]


def test_numbers_have_the_same_place_in_the_script_and_in_python(survey: Survey, browser: Browser) -> None:
    age = survey.protocols[2]
    cases = [(age, ["18", "17.9", "20.5", "41", "99.49999", "100", "1e9", "-5", "63.50000001"])]
    for low, high in (
        (2**50, 2**50 + 9),
        (-(2**50) - 9, -(2**50)),
        ("0", "1e-90"),
        ("-1e100", "1e100"),
        ("0.1", "0.7"),
    ):
        protocol = choose(domain=Numbers(low, high), epsilon=1).protocol  # type: ignore[arg-type]
        assert isinstance(protocol.domain, Numbers)
        steps = protocol.domain.steps
        places = range(steps + 1) if steps < 10 else (0, 1, steps // 3, steps - 1, steps)
        exactly = [exact_text(protocol.domain.low + place * protocol.domain.step) for place in places]
        assert protocol.places(exactly).tolist() == list(places), "a double holds every step that is accepted"
        cases.append((protocol, exactly))
    for protocol, numbers in cases:
        made = browser.run(
            "return arguments[1].map((x) => lapcat.place(arguments[0], x))",
            protocol.domain.as_json(),
            numbers,
        )
        assert made == protocol.places(numbers).tolist()


def test_nothing_but_the_report_leaves_and_it_is_what_is_shown(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    fill(browser, ANSWER)
    submit(browser)
    shown = browser.wait("document.getElementById('sent')?.textContent")
    (sent,) = collector.answers
    assert shown == sent
    assert json.loads(sent).keys() == {"survey", "reports"} and json.loads(sent)["survey"] == survey.id
    assert {name: set(report) for name, report in json.loads(sent)["reports"].items()} == {
        "smokes": {"said"},
        "fruit": {"said"},
        "age": {"said"},
    }
    post = next(request for request in collector.requests if request.method == "POST")
    assert not {"Cookie", "Referer", "Authorization"} & set(post.headers)
    asked = [(request["method"], request["url"]) for request in browser.requests()]
    assert asked == [
        ("GET", collector.address + "/survey.html"),
        ("GET", "data:,"),
        ("POST", collector.address + "/answers"),
    ] or asked == [
        ("GET", collector.address + "/survey.html"),
        ("POST", collector.address + "/answers"),
    ]
    for request in collector.requests:
        assert CANARY not in request.path + request.body + str(request.headers)


def test_thanks_are_said_in_words_and_the_exact_text_is_folded_away(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    fill(browser, ANSWER)
    submit(browser)
    sent = browser.wait("document.getElementById('sent')?.textContent")
    words = browser.run("return document.getElementById('state').innerText")
    assert "Thank you" in words and "{" not in words and all(ask in words for ask in survey.asked)
    assert "54.6 times as likely" in words and "epsilon 4" in words and "have not left this browser" in words
    smokes = survey.protocols[0].domain.texts[json.loads(sent)["reports"]["smokes"]["said"]]  # type: ignore[union-attr]
    assert browser.run("return document.querySelector('dd').innerText") == smokes
    assert browser.run("return document.querySelector('details').open") is False
    browser.run("document.querySelector('summary').click()")
    assert sent in browser.run("return document.getElementById('state').innerText")
    before = browser.run("return localStorage.getItem(arguments[0])", f"lapcat survey {survey.id}")
    browser.run("document.querySelector('#state button').click()")
    copy = browser.downloads / f"answer-{survey.id}.json"
    end = time.monotonic() + 30
    while not copy.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert copy.read_text(encoding="utf-8") == sent and len(collector.answers) == 1
    after = browser.run("return localStorage.getItem(arguments[0])", f"lapcat survey {survey.id}")
    assert before == after, "a copy is no second way to leave"
    copy.unlink()


@pytest.mark.parametrize("name", ["response", "unary", "hashing", "hadamard", "duchi", "piecewise", "hybrid"])
def test_every_kind_of_report_is_told_in_words(name: str, collector: Collector, browser: Browser) -> None:
    asks = (
        "low = 0\nhigh = 9" if name in ("duchi", "piecewise", "hybrid") else 'values = ["a", "b", "c", "d"]'
    )
    page = read_survey(
        f'send_to = "{collector.address}/answers"\n[[questions]]\nname = "q"\nepsilon = 1\nprotocol = "{name}"\n{asks}\n'
    ).page()
    collector.pages = {"/survey.html": page, "/": "<title>before</title>"}
    browser.open(collector.address + "/")
    browser.forget()
    browser.open(collector.address + "/survey.html")
    fill(browser, {"q": "b" if "values" in asks else "4"})
    submit(browser)
    browser.wait("document.getElementById('sent')")
    text = browser.run("return document.querySelector('dd').innerText")
    assert re.fullmatch(
        "[abcd]|marked: .*|nothing marked|answer [1-4] of 4 to .*|(yes|no) to .*|a coin that .*|place .* along the scale",
        text,
    )


def test_the_odds_and_consent_come_before_the_draw(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    text = browser.run("return document.querySelector('form').innerText")
    assert "73.1 times in 100" in text and "2.72 times as likely" in text and "epsilon 4" in text
    fill(browser, ANSWER, consent=False)
    submit(browser)
    assert browser.run("return localStorage.getItem('lapcat memo')") is None
    assert browser.run("return document.querySelector(':invalid[name=consent]') !== null")
    assert collector.answers == []


def test_nothing_is_drawn_twice(survey: Survey, collector: Collector, browser: Browser) -> None:
    fill(browser, ANSWER)
    submit(browser)
    first = browser.wait("document.getElementById('sent')?.textContent")
    browser.open(collector.address + "/survey.html")
    assert browser.wait("document.getElementById('sent')?.textContent") == first
    assert browser.run("return document.getElementById('form').hidden")
    assert len(collector.answers) == 1


def test_another_survey_with_the_same_question_gets_the_same_report(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    """Whatever is answered then: a second report would reveal that somebody has changed."""
    fill(browser, ANSWER)
    submit(browser)
    first = json.loads(browser.wait("document.getElementById('sent')?.textContent"))
    again = read_survey(
        QUESTIONS.replace("ADDRESS", collector.address + "/answers").replace('"Habits"', '"Habits, again"')
    )
    assert again.id != survey.id
    collector.pages["/again.html"] = again.page()
    browser.open(collector.address + "/again.html")
    fill(browser, {"smokes": f"{CANARY}-yes", "fruit": f"{CANARY}-2", "age": "77"})
    submit(browser)
    second = json.loads(browser.wait("document.getElementById('sent')?.textContent"))
    assert second["reports"] == first["reports"] and second["survey"] == again.id


def in_wave(collector: Collector, name: str) -> Survey:
    """The same questions, asked again with permanent reports."""
    lasting = QUESTIONS.replace("ADDRESS", collector.address + "/answers").replace(
        "epsilon =", "permanent = 3\nepsilon ="
    )
    return read_survey(f'wave = "{name}"\n{lasting}')


def test_a_permanent_report_is_kept_and_told_anew_in_each_wave(
    collector: Collector, browser: Browser
) -> None:
    surveys = {f"/{n}.html": in_wave(collector, str(n)) for n in range(8)}
    collector.pages = {
        "/": "<title>before</title>",
        **{path: survey.page() for path, survey in surveys.items()},
    }
    browser.open(collector.address + "/")
    browser.forget()
    reports, memos = [], []
    for path in surveys:
        browser.open(collector.address + path)
        assert "the same privacy cost again" in browser.run("return document.querySelector('form').innerText")
        fill(browser, ANSWER)
        submit(browser)
        reports.append(json.loads(browser.wait("document.getElementById('sent')?.textContent"))["reports"])
        memos.append(json.loads(browser.run("return localStorage.getItem('lapcat memo')")))
    kept = [survey["kept"] for survey in surveys["/0.html"]._data()["questions"]]
    for lasting, place in zip(kept, ("1", "7", "23"), strict=True):
        permanent = memos[0][lasting["memo"]]
        assert list(permanent) == [place] and all(memo[lasting["memo"]] == permanent for memo in memos)
    assert len({json.dumps(report) for report in reports}) > 1, "alike but for one chance in ten million"


def test_a_changed_answer_is_told_with_the_same_hash(collector: Collector, browser: Browser) -> None:
    """Another hash would tell of the change for certain."""
    asks = 'name = "q"\nepsilon = 1\npermanent = 3\nprotocol = "hashing"\nvalues = ["a", "b", "c", "d", "e", "f", "g", "h"]'
    surveys = {
        f"/{n}.html": read_survey(
            f'wave = "{n}"\nsend_to = "{collector.address}/answers"\n[[questions]]\n{asks}\n'
        )
        for n in range(4)
    }
    collector.pages = {
        "/": "<title>before</title>",
        **{path: survey.page() for path, survey in surveys.items()},
    }
    browser.open(collector.address + "/")
    browser.forget()
    hashes = set()
    for path, answer in zip(surveys, "aabh", strict=True):
        browser.open(collector.address + path)
        fill(browser, {"q": answer})
        submit(browser)
        report = json.loads(browser.wait("document.getElementById('sent')?.textContent"))["reports"]["q"]
        assert possible(surveys[path].protocols[0].randomiser, report)  # type: ignore[arg-type]
        hashes.add(tuple(report[name] for name in report if name != "said"))
    memo = json.loads(browser.run("return localStorage.getItem('lapcat memo')"))
    kept = memo[surveys["/0.html"]._data()["questions"][0]["kept"]["memo"]]  # type: ignore[index]
    assert len(hashes) == 1 and sorted(kept) == ["0", "1", "7"]


def test_an_answer_that_is_none_of_the_choices_is_not_drawn(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    fill(browser, ANSWER)
    browser.run("document.querySelector('[name=smokes]:checked').value = 'something else'")
    submit(browser)
    browser.wait("document.getElementById('state').innerText.includes('Nothing was drawn')")
    assert browser.run("return localStorage.getItem('lapcat memo')") is None and collector.answers == []


def test_a_report_that_cannot_be_sent_is_kept_unseen_and_sent_later_as_it_is(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    fill(browser, ANSWER)
    browser.offline(True)
    submit(browser)
    browser.wait("document.getElementById('state').innerText.includes('could not be sent')")
    assert browser.run("return document.getElementById('sent')") is None
    kept = json.loads(browser.run(f"return localStorage.getItem('lapcat survey {survey.id}')"))["body"]
    assert kept not in browser.run("return document.body.innerText")
    browser.offline(False)
    browser.run(
        "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Send it again').click()"
    )
    assert browser.wait("document.getElementById('sent')?.textContent") == kept == collector.answers[0]


def test_a_collector_that_refuses_is_not_taken_for_one_that_has_it(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    fill(browser, ANSWER)
    collector.refuses = True
    submit(browser)
    browser.wait("document.getElementById('state').innerText.includes('could not be sent')")
    collector.refuses = False
    browser.open(collector.address + "/survey.html")
    assert browser.run("return document.getElementById('form').hidden")
    browser.run("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Send it').click()")
    assert browser.wait("document.getElementById('sent')?.textContent") == collector.answers[-1]


@pytest.fixture
def page_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "survey.html"
    path.write_text(survey_to(None).page(), encoding="utf-8")
    yield path


def test_it_works_offline_from_a_file_and_saves_the_report(page_file: Path, browser: Browser) -> None:
    browser.open(page_file.as_uri())
    browser.forget()
    browser.offline(True)
    browser.open(page_file.as_uri())
    browser.requests()
    fill(browser, ANSWER)
    submit(browser)
    shown = browser.wait("document.getElementById('sent')?.textContent")
    assert {request["url"].split(":")[0] for request in browser.requests()} <= {"blob", "data"}
    saved = browser.downloads / f"answer-{survey_to(None).id}.json"
    for _ in range(200):
        if saved.exists():
            break
        browser.run("return 1")
    assert saved.read_text(encoding="utf-8") == shown
    browser.open(page_file.as_uri())
    buttons = browser.run("return [...document.querySelectorAll('#state button')].map((b) => b.textContent)")
    assert buttons == ["Save the file again"], "a file that got lost can be saved again, as it was"


def focused(browser: Browser) -> str:
    return browser.run(
        "const at = document.activeElement; return at.name ? `${at.name} ${at.type}` : at.id || at.type || at.tagName"
    )


def test_a_keyboard_is_enough_and_the_focus_goes_from_top_to_bottom(
    survey: Survey, collector: Collector, browser: Browser
) -> None:
    lasting = in_wave(collector, "1")  # a browser keeps no other answer than those of permanent reports
    collector.pages["/wave.html"] = lasting.page()
    browser.open(collector.address + "/wave.html")
    browser.press(TAB)
    order = [focused(browser)]
    browser.press(SPACE, TAB)
    order.append(focused(browser))
    browser.press("k", *"anarienvogel-3", TAB)
    order.append(focused(browser))
    browser.press(*"41", TAB)
    order.append(focused(browser))
    browser.press(SPACE, TAB)
    order.append(focused(browser))
    browser.press(ENTER)
    assert order == ["smokes radio", "fruit select-one", "age number", "consent checkbox", "submit"]
    browser.wait("document.getElementById('sent')")
    assert focused(browser) == "state", "a screen reader is taken to what happened"
    memo = json.loads(browser.run("return localStorage.getItem('lapcat memo')"))
    kept = [memo[question["kept"]["memo"]] for question in lasting._data()["questions"]]
    assert [list(drawn) for drawn in kept] == [["0"], ["3"], ["23"]], "what was typed is what was meant"
    assert len(collector.answers) == 1


def test_a_screen_reader_hears_questions_odds_and_choices(survey: Survey, browser: Browser) -> None:
    nodes = browser.devtools("Accessibility.getFullAXTree")["nodes"]
    heard = [
        (
            node["role"]["value"],
            node.get("name", {}).get("value", ""),
            node.get("description", {}).get("value", ""),
        )
        for node in nodes
        if not node["ignored"]
    ]
    groups = {name: description for role, name, description in heard if role == "group"}
    for protocol, ask in zip(survey.protocols, survey.asked, strict=True):
        assert "times" in groups[ask], f"the odds of {protocol.question} are told with it"
    named = {(role, name) for role, name, _ in heard}
    assert {("radio", f"{CANARY}-yes"), ("radio", f"{CANARY}-no"), ("heading", "Habits")} <= named
    assert ("spinbutton", "A number from 18 to 100") in named
    assert any(role == "combobox" and name.startswith("Your answer") for role, name in named)
    assert ("checkbox", "I have read the odds, and agree to one draw, whatever its result.") in named
    assert ("button", "Randomise and send") in named
    unnamed = [
        role
        for role, name in named
        if role in ("radio", "checkbox", "button", "combobox", "spinbutton") and not name
    ]
    assert unnamed == []
    assert browser.run("return document.documentElement.lang") == "en"


CROWD = """
const [people, done] = arguments;
const frame = document.createElement("iframe");
document.body.append(frame);
const loaded = () => new Promise((go) => { frame.onload = go; frame.src = "/survey.html"; });
const pause = () => new Promise((go) => setTimeout(go, 1));
(async () => {
  const shown = [];
  let again = 0;
  for (const answer of people) {
    localStorage.clear();
    await loaded();
    const page = frame.contentDocument;
    for (const [name, value] of Object.entries(answer)) {
      const at = page.querySelector(`[name="${name}"][value="${value}"]`) ?? page.querySelector(`[name="${name}"]`);
      if (at.type === "radio") at.click(); else at.value = value;
    }
    page.querySelector("[name=consent]").click();
    page.querySelector("button[type=submit]").click();
    while (!page.getElementById("sent")) {
      const retry = [...page.querySelectorAll("#state button")].find((b) => b.textContent === "Send it again");
      if (retry) { again += 1; retry.click(); }
      await pause();
    }
    shown.push(page.getElementById("sent").textContent);
  }
  frame.remove();
  done({ shown, again });
})();
"""
AT_ONCE = 250  # people whom one call to the browser brings in


@pytest.mark.parametrize("respondents", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_crowd_answers_and_the_estimate_is_within_its_interval(
    respondents: int, collector: Collector, browser: Browser, tmp_path: Path
) -> None:
    survey = survey_to(collector)
    collector.pages = {"/survey.html": survey.page(), "/": "<title>crowd</title><body></body>"}
    browser.open(collector.address + "/")
    chance = random.Random(88)
    people = [
        {
            "smokes": f"{CANARY}-{'yes' if chance.random() < 0.3 else 'no'}",
            "fruit": f"{CANARY}-{chance.choice([0, 0, 0, 1, 1, 2, 13])}",
            "age": str(chance.randint(20, 60)),
        }
        for _ in range(respondents)
    ]
    shown: list[str] = []
    again = 0
    for start in range(0, respondents, AT_ONCE):
        done = browser.run_until_done(CROWD, people[start : start + AT_ONCE])
        shown, again = shown + done["shown"], again + done["again"]
    # On a busy machine somebody may not hear that their answer arrived, and sends the same again.
    assert len(shown) == respondents and set(shown) == set(collector.answers)
    assert again or shown == collector.answers
    for request in collector.requests:
        assert CANARY not in request.path + request.body + str(request.headers)
        assert request.method == "GET" or set(LETTERS.findall(request.body)) <= _words_of(survey)
    answers, questions = tmp_path / "answers.jsonl", tmp_path / "questions.toml"
    answers.write_text("\n".join(shown), encoding="utf-8")
    questions.write_text(QUESTIONS.replace("ADDRESS", collector.address + "/answers"), encoding="utf-8")
    # The draws are fresh: at this confidence 17 intervals all hold but for two runs in ten million.
    answered = estimate_answers([answers], questions, "0.99999999")
    smokes, fruit, age = answered.estimates
    assert answered.left_out == 0
    for (protocol, n, estimate), name in ((smokes, "smokes"), (fruit, "fruit")):
        assert n == respondents
        for text, share in zip(protocol.domain.texts, estimate.estimates, strict=True):
            true = sum(person[name] == text for person in people) / n
            assert share.low <= true <= share.high and share.high - share.low < 0.6 * (2000 / n) ** 0.5
    mean = sum(int(person["age"]) for person in people) / respondents
    assert age[2].low <= mean <= age[2].high and age[2].high - age[2].low <= 82


def _words_of(survey: Survey) -> set[str]:
    """What the letters in an answer may be: its own keys, and hexadecimal digits of the survey's public name."""
    return {"survey", "reports", "said", *(p.question for p in survey.protocols), *LETTERS.findall(survey.id)}
