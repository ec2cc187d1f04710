"""What `mkdocs.yml` adds to `docs/`: the README as home, the API, figures, files that are linked.

A link from a page to a file of the checkout that is no page leads to a copy of that file.
"""

import re
from html import escape
from pathlib import Path
from shutil import rmtree

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from progtf.cli.site import Docs, write_site
from progtf.views.page import asset
from progtf.widgets.examples import essay
from scripts.site_figures import FOLDER, HOME, PLACE, PLAY, PYTHON, Shelf

ROOT = Path(__file__).parents[1]
PAGES = {"index.md": "README.md", "examples.md": "examples/README.md", "changes.md": "CHANGELOG.md"}
"""Page of the site -> the file of the checkout that it is."""
OFFERED = (
    "progtf.api", "progtf.exact.check", "progtf.exact.Report", "progtf.program.outcome.Outcome",
    "progtf.network.model.Model", "progtf.running.interpret.Interpreter",
    "progtf.program.answers.Answer", "progtf.weights.weights.Weights",
    "progtf.nn.attention", "progtf.nn.transformer",
)  # fmt: skip
FIGURES = re.compile(r"\]\(((?:article|attention|binding|algorithms)/\w+\.seme)\)")
LAST = ("math/place_value.seme", "language/grammaticality.seme")
"""The examples that are figures of the site: these of their list, in its order, and the largest."""
BLANK = ROOT / "docs" / "blank.seme"
"""A program to start from."""
TASKS = sorted((ROOT / "examples" / "class").glob("*.toml"))
"""The tasks of a class."""
PREVIEW = "images/playground.png"
"""The picture of a page in previews; with `site_url` of `mkdocs.yml` its whole address."""
SHELF = Shelf()
FENCE = re.compile(r"^```seme\S*.*$", re.MULTILINE)
"""Our tests read more behind the language of a fragment than renderers do."""
LINK = re.compile(r"(\]\()(?!https?:|#|mailto:)([^)\s]+)(\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are no files of `docs/`."""
    for name, source in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, "api.md", content=_api()))
    files.append(File.generated(config, "favicon.svg", content=asset("favicon.svg")))
    return files


def _api() -> str:
    parts = "\n\n".join(f"::: {name}" for name in OFFERED)
    return (
        f"# Python, name by name\n\n[From Python](python.md) shows how they are used.\n\n{parts}\n"
    )


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Leads links to where their files are on the site."""
    home = Path(PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}")).parent

    def led(match: re.Match[str]) -> str:
        path, hash_, place = match[2].partition("#")
        target = (ROOT / home / path).resolve()
        found = _on_site(target, files, config) if path else None
        if found is None:
            return match[0]
        up = "../" * page.file.src_uri.count("/")
        return f"{match[1]}{up}{found}{hash_}{place}{match[3]}"

    page.meta.setdefault("description", _about(markdown))
    markdown = SHELF.with_figures(page.file.src_uri, markdown)
    if page.file.src_uri == "examples.md":
        title, newline, rest = markdown.partition("\n")
        markdown = f"{title}{newline}\n{PLAY}\n{rest}"
    if page.file.src_uri == HOME:
        page.meta["hide"] = ["toc"]  # what opens there is wide
    return LINK.sub(led, FENCE.sub("```seme", markdown))


def _about(markdown: str) -> str:
    """The first sentences of a page, as text, for search engines and previews."""
    first = next((one for one in markdown.split("\n\n") if one[:1].isalpha()), "")
    return " ".join(re.sub(r"\[([^]]+)\]\([^)]*\)|[*`]", r"\1", first).split())


def _on_site(target: Path, files: Files, config: MkDocsConfig) -> str | None:
    """Where a file of the checkout is on the site, put there if it was not; None: nowhere."""
    if not target.is_relative_to(ROOT) or not target.exists():
        return None
    inside = target.relative_to(ROOT).as_posix()
    for name, source in PAGES.items():
        if inside == source:
            return name
    if target.is_dir():
        first = sorted(target.glob("*.md")) or sorted(target.iterdir())
        return first[0].relative_to(ROOT / "docs").as_posix() if first else None
    if inside.startswith("docs/"):
        return inside.removeprefix("docs/")
    copy = f"files/{inside}" + ".txt" * (target.suffix == ".md")  # of Markdown it made a page
    if files.get_file_from_path(copy) is None:
        files.append(File.generated(config, copy, abs_src_path=str(target)))
    return copy


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Puts figures into their places, and names what the theme leaves without a name."""
    output = output.replace('role="dialog"', 'role="dialog" aria-label="search"')
    output = output.replace("</head>", f"{_preview(page, config)}</head>", 1)
    figures = SHELF.figures.get(page.file.src_uri)
    if not figures:
        return output
    for number, figure in enumerate(figures):
        output = output.replace(PLACE.format(number), f'<div class="progtf-place">{figure}</div>')
    link = f'<link rel="stylesheet" href="{PYTHON}progtf.css"></head>'
    script = f'<script defer src="{PYTHON}progtf.js"></script></body>'
    return output.replace("</head>", link, 1).replace("</body>", script, 1)


def _preview(page: Page, config: MkDocsConfig) -> str:
    """What messengers and search engines show of a page that somebody links to."""
    here = config.site_url or "../" * page.file.src_uri.count("/")
    told = {
        "title": f"{page.title} - {config.site_name}",
        "description": str(page.meta["description"])[:200],
        "type": "website",
        "image": f"{here}{PREVIEW}",
    }
    return "".join(
        f'<meta property="og:{name}" content="{escape(text)}">' for name, text in told.items()
    )


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Lists the decisions behind what is said of how it is made."""
    pages = [file.page or Page(None, file, config) for file in files.documentation_pages()]
    decisions = [each for each in pages if each.file.src_uri.startswith("decisions/")]
    nav.items.append(Section("Decisions", decisions))
    return nav


def on_post_build(config: MkDocsConfig) -> None:
    """Writes the essay, the figures and the programs of pages beside the pages."""
    listed = FIGURES.findall((ROOT / PAGES["examples.md"]).read_text(encoding="utf-8"))
    programs = [ROOT / "examples" / name for name in (*dict.fromkeys(listed), *LAST)]
    programs += [BLANK, *TASKS]
    docs = Docs(home="../", language="language.html", programs=SHELF.programs)
    write_site([*essay(), *programs], Path(config.site_dir) / FOLDER, docs=docs)
    rmtree(SHELF.folder)
