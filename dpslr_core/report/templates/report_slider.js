"use strict";
// Another stop of the slider is another sentence and other rows in a picture that stays; all were computed before.
(() => {
  const { picture, stops } = JSON.parse(document.getElementById("moving").textContent);
  const slider = document.getElementById("stop"), place = document.getElementById("picture");
  const sentences = [...document.querySelectorAll(".said > p")];
  let view = null;
  window.slowest = 0; // milliseconds from a move to the picture

  function say() {
    sentences.forEach((sentence, i) => sentence.classList.toggle("chosen", i === +slider.value));
    slider.setAttribute("aria-valuetext", stops[slider.value].said);
    place.setAttribute("aria-label", stops[slider.value].shows);
  }

  function move() {
    const begun = performance.now(), { rows, order } = stops[slider.value];
    say();
    view.signal("order", order).data("rows", rows.map((row) => ({ ...row }))).run();
    window.slowest = Math.max(window.slowest, performance.now() - begun);
  }

  document.body.classList.add("moves");
  say();
  const width = () => Math.max(place.clientWidth - 12, 0); // axes are inside; what is not shown has none
  vegaEmbed(place, { ...picture, width: width() }, { actions: false, renderer: "svg", ast: true }).then((result) => {
    view = result.view;
    slider.addEventListener("input", move);
    addEventListener("resize", () => width() && view.width(width()).run());
    move(); // a page that is opened again keeps the slider where it was
  });
})();
