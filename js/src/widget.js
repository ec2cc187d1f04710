// What anywidget loads for every figure: little, for it gives up after two seconds. The front-end comes once a page.

const KEY = Symbol.for("progtf front-ends");

function frontEnd(code) {
  const known = (globalThis[KEY] ??= new Map());
  if (!known.has(code)) known.set(code, load(code));
  return known.get(code);
}

async function load(code) {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

export default {
  initialize({ model }) {
    const attached = frontEnd(model.get("front")).then(({ attach }) => attach(model));
    return async () => (await attached)();
  },
  async render({ model, el }) {
    const { render } = await frontEnd(model.get("front"));
    return render({ model, el });
  },
};
