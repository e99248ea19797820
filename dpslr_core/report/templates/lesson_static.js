"use strict";
// The lesson without a server. LESSON, of steps.js, holds what was computed; nothing is computed anew here.

const byId = (id) => document.getElementById(id);
const chosen = LESSON.steps.map((step) => [...step.start]); // places of the controls, by step
const guessed = {}; // by step: what was said of the guess, and whether it was good
let number = 0, view = null, game = [], drawing = Promise.resolve();
window.lessonMilliseconds = []; // how long each answer of a picture took

const step = () => LESSON.steps[number];
const state = () => step().states[chosen[number].join(",")];
const text = (name) => step().texts[name][state()[name]];
const answered = () => step().name in guessed;

function rows(columns) {
  const names = Object.keys(columns);
  return names.length ? columns[names[0]].map((_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]]))) : [];
}

function datasets() {
  const hidden = !answered() && state().s !== null;
  const base = hidden ? step().hidden : step().base, changed = hidden ? state().s : state().d, all = {};
  for (const name of Object.keys(base)) {
    const more = Object.fromEntries(Object.entries(changed[name] || {}).map(([key, at]) => [key, step().columns[at]]));
    const length = (columns) => (Object.values(columns)[0] || []).length;
    all[name] = rows(length(more) && length(more) !== length(base[name]) ? more : { ...base[name], ...more });
  }
  if (step().name === "promise" && answered()) {
    all.spots = game.map((guess, i) => spot(guess, state().g[i]));
    const next = state().g[game.length];
    all.next = next ? [{ y: inside(next[0]), x: 22, x2: 41.5 }] : [];
  }
  return all;
}

const inside = (y) => Math.min(Math.max(y, LESSON.view[0]), LESSON.view[1]);
const spot = (guess, [release, moved]) => ({
  y: inside(release), x: 31.7, when: moved ? "after" : "before", shape: guess === !!moved ? "right" : "wrong",
});

// The picture: embedded once for a step, and once more with the answer; after that its data are changed.

async function embed() {
  const shape = answered() ? step().answered : step().shape;
  if (view) view.finalize();
  const spec = { ...shape, config: { ...LESSON.config, ...shape.config }, datasets: datasets() };
  const result = await vegaEmbed("#picture", sized(spec), { actions: false, renderer: "svg" });
  view = result.view;
  view.addEventListener("click", (_, item) => item && item.datum && tapped(item.datum));
}

function sized(spec) { // type as large as that of the page; its place says what is in it, its marks have no names
  const pixels = parseFloat(getComputedStyle(document.body).fontSize) * (innerWidth > 1200 ? 1 : 0.8);
  const larger = (part) => Array.isArray(part) ? part.map(larger) : part && typeof part === "object"
    ? Object.fromEntries(Object.entries(part).map(([key, value]) =>
      [key, /fontSize$/i.test(key) && typeof value === "number" ? Math.max(value, pixels) : key === "datasets" ? value : larger(value)]))
    : part;
  const config = spec.config, type = { labelFontSize: pixels, titleFontSize: pixels };
  return larger({ ...spec, config: { ...config, mark: { ...config.mark, aria: false }, axis: { ...config.axis, ...type }, legend: { ...config.legend, ...type }, text: { ...config.text, fontSize: pixels } } });
}

async function change() {
  const begun = performance.now(), all = datasets();
  for (const [name, values] of Object.entries(all)) view.data(name, values);
  await view.runAsync();
  window.lessonMilliseconds.push(performance.now() - begun);
}

const queued = (work) => (drawing = drawing.then(work));

function tapped(datum) {
  const controls = step().controls.map((control) => control.name);
  if (datum.person && controls[0] === "leaver") move(0, datum.person);
  else if (datum.person && controls[0] === "person") move(0, datum.person - 1);
  else if (datum.hours !== undefined && controls[0] === "person") {
    const nearest = (place, value) => words(place).map((stop, i) => [Math.abs(stop - value), i]).sort((a, b) => a[0] - b[0])[0][1];
    chosen[number][1] = nearest(1, datum.hours);
    move(2, nearest(2, datum.points));
  }
}

// The controls.

function words(place) {
  const control = step().controls[place];
  return control.by ? control.words[chosen[number][0]] : control.words;
}

function move(place, to) {
  const before = words(place);
  chosen[number][place] = to;
  step().controls.forEach((control, i) => { // what has other stops now: people are at their own place, a budget is whole
    if (place === 0 && control.by === "person") chosen[number][i] = ownPlace(i);
    if (place === 0 && control.by === "class_epsilon") chosen[number][i] = Math.min(chosen[number][i], words(i).length - 1);
  });
  game = [];
  tell();
  queued(change);
}

function ownPlace(place) { // the state in which nobody is moved says so in its people
  const person = step().controls[0].words[chosen[number][0]] - 1, people = step().base.people;
  return words(place).indexOf(place === 1 ? people.x[person] : people.y[person]);
}

function drawControls() {
  byId("controls").replaceChildren();
  step().controls.forEach((control, place) => {
    const label = document.createElement("label"), input = document.createElement("input"), out = document.createElement("output");
    label.append(control.label.endsWith(".") ? `${control.label} ` : `${control.label}: `, out);
    if (control.kind === "presses") {
      const once = button("Release once more", () => move(place, chosen[number][place] + 1));
      const rest = button("Spend the rest", () => move(place, words(place).length - 1));
      const none = button("Start again", () => move(place, 0));
      once.className = "main";
      byId("controls").append(label, once, " ", rest, " ", none);
      label.show = () => {
        out.textContent = words(place)[chosen[number][place]];
        once.disabled = rest.disabled = chosen[number][place] >= words(place).length - 1;
        none.disabled = chosen[number][place] === 0;
      };
    } else {
      input.type = "range";
      input.min = 0;
      input.id = control.name;
      input.addEventListener("input", () => move(place, +input.value));
      label.append(input);
      byId("controls").append(label);
      label.show = () => {
        input.max = words(place).length - 1;
        input.value = chosen[number][place];
        out.textContent = words(place)[chosen[number][place]];
        input.setAttribute("aria-valuetext", out.textContent);
      };
    }
  });
}

function button(words, act) {
  const made = document.createElement("button");
  made.textContent = words;
  made.addEventListener("click", act);
  return made;
}

// The game: ten releases, moved or not.

function drawGame() {
  byId("game").replaceChildren();
  if (step().name !== "promise" || !answered()) return;
  const { g, b } = state(), hits = game.filter((guess, i) => guess === !!g[i][1]).length, said = document.createElement("p");
  const say = (guess) => { game.push(guess); tell(); queued(change); };
  byId("game").append(said);
  if (game.length < LESSON.releases) {
    const release = g[game.length][0], beyond = inside(release) === release ? "" : ", outside the picture";
    said.textContent = `Release ${game.length + 1} of ${LESSON.releases}: ${+release.toPrecision(3)} points${beyond}.`
      + (game.length ? ` So far ${hits} of ${game.length} right.` : "");
    byId("game").append(button("Moved", () => say(true)), " ", button("Not moved", () => say(false)));
  } else {
    said.textContent = `You: ${hits} of ${LESSON.releases} right. The best rule: ${b[0]} of these, and `
      + `${Math.round(b[1])}% in the long run. No rule does better.`;
    byId("game").append(button("Play again", () => { game = []; tell(); queued(change); }));
  }
}

// Question, guess and answer.

function drawGuess() {
  const place = byId("guess_place"), unit = step().unit;
  byId("unit").textContent = unit ? `(${unit})` : "";
  const box = document.createElement(step().choices.length ? "select" : "input");
  box.id = "guess";
  if (step().choices.length) box.append(new Option("choose", ""), ...step().choices.map((choice) => new Option(choice, choice)));
  else { box.type = "text"; box.inputMode = "decimal"; }
  place.replaceChildren(box, " ");
}

function commit() {
  const said = byId("guess").value.trim(), { v, t, w } = state();
  byId("problem").textContent = "";
  if (said === "") guessed[step().name] = ["", null];
  else if (step().choices.length) {
    const far = Math.abs(step().choices.indexOf(said) - step().choices.indexOf(v));
    judge(said, said, t, far <= w);
  } else {
    const guess = Number(said.replace(",", "."));
    if (!(guess >= 0 && guess <= step().most)) {
      byId("problem").textContent = `${said} cannot be used. Allowed: numbers from 0 to ${step().most}.`;
      return;
    }
    judge(guess, `${guess}${step().unit === "%" ? "%" : ` ${step().unit}`}`, t, v !== null && Math.abs(guess - v) <= w);
  }
  tell();
  queued(embed);
}

function judge(guess, said, truth, well) {
  const [, , means] = step().wrong.find(([low, high]) => low <= guess && guess <= high) || [, , ""];
  const verdict = well ? "Well guessed." : `Not near. ${means}`.trim();
  guessed[step().name] = [`Your guess: ${said}. True: ${truth}. ${verdict}`, well];
}

function tell() { // all words of the state
  document.querySelectorAll("#controls label").forEach((label) => label.show());
  byId("headline").textContent = text("h");
  byId("question").textContent = text("q");
  byId("context").textContent = text("c");
  byId("picture").setAttribute("aria-label", text("p"));
  byId("asking").hidden = answered();
  byId("answer").replaceChildren();
  if (answered()) {
    const own = document.createElement("p"), words = document.createElement("p"), counts = document.createElement("p");
    const why = document.createElement("details"), asked = document.createElement("summary");
    asked.textContent = "Why";
    why.append(asked, text("y"));
    own.textContent = guessed[step().name][0];
    own.style.fontWeight = 650;
    words.textContent = text("a");
    counts.textContent = text("n");
    byId("answer").append(own, words, why, counts, button("Guess again", () => { delete guessed[step().name]; drawGuess(); tell(); queued(embed); }));
  }
  const told = Object.values(guessed).filter(([, well]) => well !== null), good = told.filter(([, well]) => well).length;
  byId("score").textContent = told.length && number === LESSON.steps.length - 1 ? `Guessed well: ${good} of ${told.length} steps.` : "";
  drawGame();
}

function open(to) {
  number = to;
  game = [];
  byId("problem").textContent = "";
  drawControls();
  drawGuess();
  tell();
  queued(embed);
}

byId("show").addEventListener("click", commit);
document.querySelectorAll("input[name=step]").forEach((radio) => radio.addEventListener("change", () => open(+radio.value)));
open(+(document.querySelector("input[name=step]:checked") || { value: 0 }).value);
