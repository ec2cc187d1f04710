// A link to a figure as it stands: copied, or shown as a code that a telephone reads.

import "./link.css";
import { h } from "./dom.js";

const SHOWN = 1500; // ms that a button says what came of it

/** What a button does that copies a text, and says so. */
export function copier(label, text) {
  return async ({ currentTarget: button }) => {
    try {
      await navigator.clipboard.writeText(await text());
      button.textContent = "copied";
    } catch {
      button.textContent = "not allowed here";
    }
    setTimeout(() => (button.textContent = label), SHOWN);
  };
}

/**
 * Buttons for the link to a figure.
 * @param links what a host has of them: `to` gives the address of an edit, `squares` those of its code; missing where there is no address
 */
export function linkTools(store, links) {
  if (!links) return [];
  const here = () => links.to({ text: store.text, input: store.input });
  const show = async () => {
    const address = await here();
    const dialog = framed(address, await links.squares(address));
    store.root.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.showModal();
  };
  return [
    h("button", { class: "ptf-button", title: "copy the address of this figure as it stands", onclick: copier("copy link", here) }, "copy link"),
    h("button", { class: "ptf-button", title: "the address as a code for a telephone", onclick: show }, "QR code"),
  ];
}

function framed(address, squares) {
  const close = h("button", { class: "ptf-button", onclick: () => dialog.close() }, "close");
  const seen = squares ? drawn(squares) : h("p", {}, "This address is too long for a QR code: copy the link instead.");
  const dialog = h("dialog", { class: "ptf-qr", "aria-label": "link to this figure" }, seen, h("p", {}, h("a", { href: address }, address)), close);
  return dialog;
}

function drawn(squares) {
  const dark = squares.flatMap((row, y) => row.map((on, x) => (on ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return h("svg", { viewBox: `0 0 ${squares.length} ${squares.length}`, role: "img", "aria-label": "QR code of the link", "shape-rendering": "crispEdges" }, h("path", { d: dark }));
}
