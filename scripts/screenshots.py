"""Pictures of what people see: python scripts/screenshots.py OUT [NAME ...] [--kind lab]

Every notebook of the tour in a real JupyterLab, as a page of `progtf export`, and as the HTML of
nbconvert; each at 1200 and 800 pixels, in the light and the dark theme, in pieces of a screen.
`--kind docs` makes the pictures of docs/images instead; OUT is that folder then.
A NAME is a part of the name of a notebook, or of a program below examples/.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from tests.widgets.lab import FLAGS, chromium, jupyterlab, open_and_run  # noqa: E402

HERE = {**os.environ, "PYTHONPATH": str(ROOT)}
KINDS = ("lab", "export", "static")
DOCS = {  # picture: notebook, which of its figures, theme, keys in the attention map
    "playground": ("08_attention_with_clocks", 0, "Light", ["ArrowDown"]),
    "grammar": ("12_grammaticality", 0, "Light", []),
    "translation": ("13_translation", 1, "Dark", ["ArrowDown"] * 2 + ["ArrowRight"] * 4),
    "training": ("11_hybrid", 0, "Light", []),
    "learned": ("11_hybrid", 2, "Dark", []),
}
WIDTHS = (1200, 800)
SCREEN = 1400
TALL = {"width": 1200, "height": 2400}
PROGRAMS = ("article/attention_with_positions", "article/sentiment", "math/place_value")
DONE = """() => [...jupyterapp.shell.currentWidget.content.widgets].every(
  cell => cell.model.type !== "code" || !cell.model.sharedModel.source.trim()
    || cell.model.executionState === "idle" && cell.model.executionCount > 0)"""
HIGH = """() => document.querySelector(".jp-WindowedPanel-viewport").scrollHeight
  + document.querySelector(".jp-WindowedPanel-outer").getBoundingClientRect().top + 60"""
TOP = """() => document.querySelectorAll(".jp-WindowedPanel-outer, .jp-Notebook")
  .forEach(panel => { panel.scrollTop = 0; })"""
IDLE = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main(out: Path, names: list[str], kinds: list[str]) -> None:
    """Writes the pictures of what was named, or of everything."""
    out.mkdir(parents=True, exist_ok=True)
    notebooks = [p for p in sorted((ROOT / "notebooks").glob("*.ipynb")) if wanted(p.stem, names)]
    programs = [name for name in PROGRAMS if wanted(name, names)]
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as home:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        if "export" in kinds:
            for path in [*(ROOT / "examples" / f"{name}.seme" for name in programs), *notebooks]:
                files(browser, exported(path, Path(home)), out)
        if "static" in kinds:
            for path in notebooks:
                files(browser, converted(path, Path(home)), out)
        if "docs" in kinds:
            documented(browser, notebooks, Path(home) / "lab", out)
        if "lab" in kinds and notebooks:
            live(browser, notebooks, Path(home) / "lab", out)
        browser.close()


def wanted(name: str, names: list[str]) -> bool:
    """Whether one of the given parts of names is in a name."""
    return not names or any(part in name for part in names)


def exported(path: Path, folder: Path) -> Path:
    """The page that `progtf export` makes of a program or a notebook."""
    made = folder / f"{path.stem}.export.html"
    command = [sys.executable, "-m", "progtf", "export", str(path), "-o", str(made)]
    subprocess.run(command, check=True, cwd=ROOT, env=HERE, stdout=subprocess.DEVNULL)
    return made


def converted(path: Path, folder: Path) -> Path:
    """What nbconvert makes of a notebook: still pictures."""
    made = f"{path.stem}.static"
    command = [sys.executable, "-m", "jupyter", "nbconvert", "--log-level=ERROR", "--to=html"]
    command += ["--execute", "--ExecutePreprocessor.store_widget_state=False"]
    command += [f"--output-dir={folder}", f"--output={made}", str(path)]
    subprocess.run(command, check=True, cwd=ROOT, env=HERE)
    return folder / f"{made}.html"


def files(browser: Browser, path: Path, out: Path) -> None:
    """A page from a file, with no network."""
    for theme in ("light", "dark"):
        context = browser.new_context(color_scheme=theme, offline=True)
        page = context.new_page()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": SCREEN})
            page.goto(path.as_uri(), wait_until="domcontentloaded")
            high = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({"width": width, "height": high})
            page.evaluate(IDLE)
            pieces(page, out / f"{path.stem}-{width}-{theme}")
            report(page, path.stem, width)
        context.close()


def live(browser: Browser, notebooks: list[Path], home: Path, out: Path) -> None:
    """Notebooks in JupyterLab."""
    home.mkdir()
    with jupyterlab(home) as lab:
        for path in notebooks:
            page = browser.new_page(viewport={"width": 1200, "height": SCREEN})
            run(page, lab, path)
            for theme in ("Light", "Dark"):
                change_theme(page, theme)
                for width in WIDTHS:
                    name = f"{path.stem}.lab-{width}-{theme.lower()}"
                    page.set_viewport_size({"width": width, "height": SCREEN})
                    page.evaluate(IDLE)
                    page.set_viewport_size({"width": width, "height": int(page.evaluate(HIGH))})
                    page.evaluate(TOP)
                    page.evaluate(IDLE)
                    pieces(page, out / name)
            page.close()


def documented(browser: Browser, notebooks: list[Path], home: Path, out: Path) -> None:
    """The pictures of the documentation: single figures, in few colours to be small."""
    home.mkdir()
    with jupyterlab(home) as lab:
        for path in notebooks:
            mine = {name: rest for name, (stem, *rest) in DOCS.items() if stem == path.stem}
            if not mine:
                continue
            page = browser.new_page(viewport=TALL, device_scale_factor=1.5)
            run(page, lab, path)
            for name, (figure, theme, keys) in mine.items():
                change_theme(page, theme)
                shown = page.locator(".progtf").nth(figure)
                shown.scroll_into_view_if_needed()
                for key in keys:
                    shown.get_by_test_id("board").press(key)
                page.evaluate("document.activeElement.blur()")
                page.evaluate(IDLE)
                shown.screenshot(path=out / f"{name}.png")
                with Image.open(out / f"{name}.png") as picture:
                    few = picture.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE)
                few.save(out / f"{name}.png", optimize=True)
            page.close()


def run(page: Page, lab: tuple[str, str, Path], path: Path) -> None:
    """Runs a notebook in JupyterLab, without the list of files beside it."""
    shutil.copy(path, lab[2])
    open_and_run(page, lab, path.name)
    page.wait_for_function(DONE, timeout=300_000)
    page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")


def change_theme(page: Page, theme: str) -> None:
    """Light or Dark."""
    change = "name => jupyterapp.commands.execute('apputils:change-theme', {theme: name})"
    page.evaluate(change, f"JupyterLab {theme}")
    page.evaluate(IDLE)


def pieces(page: Page, stem: Path) -> None:
    """The page as pictures that are no higher than a screen."""
    whole = stem.with_name(stem.name + ".png")
    page.screenshot(path=whole)
    with Image.open(whole) as picture:
        for place, top in enumerate(range(0, picture.height, SCREEN)):
            box = (0, top, picture.width, min(top + SCREEN, picture.height))
            picture.crop(box).save(stem.with_name(f"{stem.name}-{place}.png"))
    whole.unlink()


def report(page: Page, name: str, width: int) -> None:
    """Says it where a page is wider than the window."""
    if page.evaluate("document.documentElement.scrollWidth") > width:
        print(f"{name} is wider than {width} pixels")


if __name__ == "__main__":
    options = ArgumentParser(description=__doc__)
    options.add_argument("out", type=Path)
    options.add_argument("names", nargs="*")
    options.add_argument("--kind", nargs="+", choices=[*KINDS, "docs"], default=KINDS)
    given = options.parse_args()
    main(given.out, given.names, given.kind)
