// The randomisers of lapcat.local, and the page around them. No dependency; every draw comes from WebCrypto.
// A report is a pure function of a value and of 64-bit words: the same words make the same report in Python.
"use strict";
(() => {
  const ONE = 1n << 64n;
  const HALF = 1n << 63n;
  const FINE = 1024; // as in piecewise.py

  const parity = (bits) => {
    let odd = 0n;
    for (; bits; bits >>= 1n) odd ^= bits & 1n;
    return odd;
  };

  const randomisers = {
    response: {
      words: () => 1,
      encode(p, value, words) {
        const lie = BigInt(p.lie);
        if (words[0] >= BigInt(p.values - 1) * lie) return { said: value };
        const other = Number(words[0] / lie);
        return { said: other >= value ? other + 1 : other };
      },
    },
    unary: {
      words: (p) => p.values,
      encode(p, value, words) {
        const lie = BigInt(p.lie);
        const columns = new Array(Math.ceil(p.values / 32)).fill(0);
        for (let i = 0; i < p.values; i++) {
          if (words[i] < (i === value ? HALF : lie)) columns[i >> 5] += 2 ** (i % 32);
        }
        return Object.fromEntries(columns.map((bits, i) => [`bits_${i}`, bits]));
      },
    },
    hashing: {
      words: (p) => p.rows + 1,
      encode(p, value, words) {
        const mask = (1n << BigInt((p.values - 1).toString(2).length)) - 1n;
        const rows = words.slice(0, p.rows).map((word) => word & mask);
        const bucket = rows.reduce((sum, row, j) => sum + (Number(parity(row & BigInt(value))) << j), 0);
        const answer = { values: 1 << p.rows, lie: p.lie };
        const said = randomisers.response.encode(answer, bucket, words.slice(p.rows));
        return { ...Object.fromEntries(rows.map((row, j) => [`row_${j}`, Number(row)])), ...said };
      },
    },
    hadamard: {
      words: () => 2,
      encode: (p, value, words) => randomisers.hashing.encode({ ...p, rows: 1 }, value, words),
    },
    duchi: {
      words: () => 1,
      encode(p, value, words) {
        const slope = BigInt(p.slope);
        const edge = HALF + slope * BigInt(2 * value - p.steps);
        return { said: words[0] < edge ? 1 : 0 };
      },
    },
    piecewise: {
      words: () => 1,
      places: (p) => Math.ceil(FINE / p.steps) * p.steps + p.window,
      encode(p, value, words) {
        const stride = Math.ceil(FINE / p.steps);
        const slide = stride * p.steps;
        const lie = BigInt(p.lie);
        const edge = BigInt(slide) * lie;
        const start = value * stride;
        if (words[0] < edge) {
          const place = Number(words[0] / lie);
          return { said: place >= start ? place + p.window : place };
        }
        const truth = (ONE - edge) / BigInt(p.window);
        return { said: start + Number((words[0] - edge) / truth) };
      },
    },
    hybrid: {
      words: () => 2,
      encode(p, value, words) {
        const rest = words.slice(1);
        if (words[0] < BigInt(p.weight)) return randomisers.piecewise.encode(p, value, rest);
        const coin = randomisers.duchi.encode(p, value, rest);
        return { said: randomisers.piecewise.places(p) + coin.said };
      },
    },
  };

  // The number of symbols of a permanent report, and the report of one wave.
  const symbols = { response: (p) => p.values, hashing: (p) => 1 << p.rows, hadamard: () => 2, duchi: () => 2 };
  const waveReport = (name, p, permanent, words) => {
    const answer = { values: symbols[name](p), lie: p.wave_lie };
    return { ...permanent, ...randomisers.response.encode(answer, permanent.said, words) };
  };
  for (const name of Object.keys(symbols)) {
    randomisers[`permanent-${name}`] = {
      words: (p) => randomisers[name].words(p) + 1,
      encode: (p, value, words) => waveReport(name, p, randomisers[name].encode(p, value, words), words.slice(-1)),
    };
  }

  const encode = (protocol, parameters, value, words) =>
    randomisers[protocol].encode(parameters, value, words);

  const freshWords = (count) => {
    const words = [];
    while (words.length < count) {
      const some = new BigUint64Array(Math.min(count - words.length, 4096)); // getRandomValues gives at most 65536 bytes
      crypto.getRandomValues(some);
      words.push(...some);
    }
    return words;
  };

  const draw = (protocol, parameters, value) =>
    encode(protocol, parameters, value, freshWords(randomisers[protocol].words(parameters)));

  const place = (domain, text) => {
    if (domain.kind === "values") return domain.values.indexOf(text);
    const low = Number(domain.low);
    const high = Number(domain.high);
    const moved = ((Math.min(Math.max(Number(text), low), high) - low) * domain.steps) / (high - low);
    return Math.min(Math.max(Math.floor(moved + 0.5), 0), domain.steps);
  };

  const size = (domain) => (domain.kind === "values" ? domain.values.length : domain.steps + 1);

  globalThis.lapcat = Object.freeze({ encode, place }); // for the test vectors; does not draw

  // ------------------------------------------------------------------------------------------------ the page

  const survey = JSON.parse(document.getElementById("survey").textContent);
  const DONE = `lapcat survey ${survey.id}`;
  const MEMO = "lapcat memo";
  const form = document.getElementById("form");
  const state = document.getElementById("state");

  const kept = (key) => JSON.parse(localStorage.getItem(key) ?? "null");
  const keep = (key, value) => localStorage.setItem(key, JSON.stringify(value));

  // One report to each question in each wave, whatever is answered later: two reports would reveal a change.
  const report = (question, value) => {
    const memo = kept(MEMO) ?? {};
    memo[question.memo] ??= drawn(question, value, memo);
    keep(MEMO, memo);
    return memo[question.memo];
  };

  // A permanent report is drawn once for each value, with the same hash for all of them.
  const permanentOf = ({ protocol, parameters }, value, others) => {
    const words = freshWords(randomisers[protocol].words(parameters));
    const rows = Object.entries(others[0] ?? {}).filter(([name]) => name !== "said");
    rows.forEach(([, row], j) => (words[j] = BigInt(row)));
    return encode(protocol, parameters, value, words);
  };

  // The permanent report itself is never sent, only the report of the wave.
  const drawn = (question, value, memo) => {
    const { kept: lasting, parameters } = question;
    if (lasting === null) return draw(question.protocol, parameters, value);
    const permanent = (memo[lasting.memo] ??= {});
    permanent[value] ??= permanentOf(lasting, value, Object.values(permanent));
    return waveReport(lasting.protocol, parameters, permanent[value], freshWords(1));
  };

  const element = (tag, text, ...children) => {
    const made = document.createElement(tag);
    made.append(...(text === null ? [] : [text]), ...children);
    return made;
  };

  const say = (text, ...more) => {
    form.hidden = true;
    state.hidden = false;
    state.replaceChildren(element("p", text), ...more);
    state.focus();
  };

  const button = (text, act) => {
    const made = element("button", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };

  // A report in words.
  const side = (said) => `a coin that shows ${said ? "heads" : "tails"}`;
  const words = {
    response: (p, domain, { said }) => domain.values[said] ?? "another answer",
    unary: (p, domain, bits) => {
      const marked = domain.values.filter((_, i) => (bits[`bits_${i >> 5}`] / 2 ** (i % 32)) & 1);
      return marked.length ? `marked: ${marked.join(", ")}` : "nothing marked";
    },
    hashing: (p, domain, { said }) => `answer ${said + 1} of ${1 << p.rows} to a random question about yours`,
    hadamard: (p, domain, { said }) => `${said ? "yes" : "no"} to a random question about your answer`,
    duchi: (p, domain, { said }) => side(said),
    piecewise: (p, domain, { said }) => `place ${said + 1} of ${randomisers.piecewise.places(p)} along the scale`,
    hybrid: (p, domain, report) => {
      const coin = report.said - randomisers.piecewise.places(p);
      return coin < 0 ? words.piecewise(p, domain, report) : side(coin);
    },
  };
  const inWords = ({ protocol, parameters, domain }, report) =>
    words[protocol.replace("permanent-", "")](parameters, domain, report);

  // Shows what was sent, how it is protected, a button to save it, and the exact text.
  const left = (body, how, greeting) => {
    const { reports } = JSON.parse(body);
    const list = element(
      "dl",
      null,
      ...survey.questions.flatMap((question) => [
        element("dt", question.ask),
        element("dd", inWords(question, reports[question.name])),
      ])
    );
    const exactly = element("pre", body);
    exactly.id = "sent";
    exactly.tabIndex = 0;
    const sent = how === "sent";
    say(
      greeting,
      element("p", sent ? "These reports were sent, and nothing else:" : "The file holds these reports, and nothing else:"),
      list,
      element(
        "p",
        "They were drawn at random with the odds you saw, so a report may or may not be what you answered. Your " +
          `answers have not left this browser. All reports together are at most ${survey.factor} times as likely as with any ` +
          `other answers (epsilon ${survey.epsilon}). This protects you no matter who reads them.`
      ),
      ...(sent ? [] : [element("p", "Please hand in the file unchanged. If you lose it, save it again: it stays the same.")]),
      button(sent ? "Save a copy" : "Save the file again", () => download(body)),
      element("details", null, element("summary", sent ? "Exactly what was sent" : "Exactly what the file holds"), exactly)
    );
  };

  const finish = (body, how) => {
    try {
      keep(DONE, { body, left: how });
    } catch {
      // It stays stored as a report that has not been sent; sending it again sends the same report.
    }
    left(body, how, how === "sent" ? "Thank you. Your reports have arrived." : "Thank you. Your reports were saved as a file.");
  };

  const download = (body) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([body], { type: "application/json" }));
    link.download = `answer-${survey.id}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000); // some browsers read it later
  };

  const save = (body) => {
    download(body);
    finish(body, "saved");
  };

  const send = async (body) => {
    try {
      const answer = await fetch(survey.send_to, {
        method: "POST",
        body,
        headers: { "Content-Type": "text/plain;charset=UTF-8" },
        credentials: "omit",
        referrerPolicy: "no-referrer",
        cache: "no-store",
        redirect: "error",
      });
      if (!answer.ok) throw new Error("refused");
    } catch {
      // Not shown yet: if a person could withdraw on seeing the report, the guarantee would not hold.
      say(
        "Your report could not be sent. It is kept in this browser, and will be shown once it has been sent or saved.",
        button("Send it again", () => send(body)),
        button("Save it as a file instead", () => save(body))
      );
      return;
    }
    finish(body, "sent");
  };

  const leave = (body) => (survey.send_to === null ? save(body) : send(body));

  const places = () => {
    const given = new FormData(form);
    return survey.questions.map((question) => place(question.domain, given.get(question.name)));
  };

  const answered = (values) => {
    const reports = survey.questions.map((question, i) => [question.name, report(question, values[i])]);
    return JSON.stringify({ survey: survey.id, reports: Object.fromEntries(reports) });
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (kept(DONE) !== null) return begin(); // another tab was first
    const values = places();
    if (!values.every((value, i) => Number.isInteger(value) && value >= 0 && value < size(survey.questions[i].domain))) {
      say("An answer is not one of the choices. Nothing was drawn, and nothing was sent.");
      return;
    }
    let body;
    try {
      body = answered(values);
      keep(DONE, { body, left: null }); // before anything is sent or shown: there is no second draw
    } catch {
      say("This browser cannot store your report, so nothing was sent. Please allow this page to store data.");
      return;
    }
    form.reset();
    leave(body);
  });

  const begin = () => {
    let done = null;
    try {
      done = kept(DONE);
      keep("lapcat", 1); // fails if the browser stores nothing
    } catch {
      say("This browser cannot store your report, so the survey cannot start. Please allow this page to store data.");
      return;
    }
    if (done === null) form.hidden = false;
    else if (done.left === null) {
      say(
        "Your report is drawn and kept in this browser. It has not been sent or saved yet.",
        ...(survey.send_to === null ? [] : [button("Send it", () => send(done.body))]),
        button("Save it as a file", () => save(done.body))
      );
    } else {
      left(done.body, done.left, "You have answered already.");
    }
  };

  begin();
})();
