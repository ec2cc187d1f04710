// What goes on by itself, a step at a time, until it is over or somebody stops it.

import { h } from "./dom.js";

const PACE = 1500; // ms

/**
 * A button that plays what is in an element and stops it again.
 * @param body only while it is seen does it go on
 * @param walk `begin` shows the first step and `next` another one; `ended` tells whether there is one; `end` shows that it stands
 */
export function player(body, { begin, next, ended, end }) {
  const playing = { on: false };
  let timer = null;
  const halt = () => {
    clearInterval(timer);
    playing.on = false;
  };
  playing.stop = () => {
    if (!playing.on) return;
    halt();
    end();
  };
  const step = () => {
    if (!body.checkVisibility()) return playing.stop();
    next();
    if (ended()) playing.stop();
    return undefined;
  };
  const play = () => {
    playing.on = true;
    timer = setInterval(step, PACE);
    begin();
  };
  playing.button = () => h("button", { class: "ptf-button", "data-key": "play", "data-testid": "play", title: playing.on ? "stop; Escape stops, too" : "one step after another, by itself", onclick: () => (playing.on ? playing.stop() : play()) }, playing.on ? "■ stop" : "▶ play");
  return playing;
}
