// The theme that was chosen in the documentation around a page, before the page is painted.
const { home } = document.currentScript.dataset;
const key = `${new URL(home, location).pathname}.__palette`; // where its theme, Material for MkDocs, keeps it
const themes = { default: "light", slate: "dark" };

function follow() {
  try {
    const theme = themes[JSON.parse(localStorage.getItem(key))?.color?.scheme];
    if (theme) document.documentElement.dataset.theme = theme;
  } catch {
    // nothing is kept here: the system's theme it is
  }
}

addEventListener("storage", follow);
follow();
