"""axe-core, which looks for what keeps people out of a page; `npm ci --prefix js` brings it."""

from pathlib import Path

import pytest

CODE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
TARGETS = (Path(__file__).parent / "targets.js").read_text(encoding="utf-8")
RUN = """async () => {
  const { violations } = await axe.run(document, { rules: { "target-size": { enabled: true } } });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}"""


def violations(page):
    """What axe finds on a page, a line for each place; all its rules are asked."""
    if not CODE.is_file():
        pytest.skip("axe-core is not there, so it was not asked: npm ci --prefix js brings it")
    page.evaluate(CODE.read_text(encoding="utf-8"))
    return page.evaluate(RUN)
