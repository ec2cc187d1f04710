"""What all widgets share: the front-end, its data, and a still picture for where it cannot run."""

import os
import uuid
from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets
from IPython.core.getipython import get_ipython

from progtf.views.page import MIMETYPE, asset
from progtf.views.still import with_images

Data = dict[str, Any]


LIVE = "PROGTF_FIGURES"
"""A variable of the environment: ``live`` where figures are live though nobody runs the cells."""


def is_watched() -> bool:
    """Whether somebody is there to act on a figure.

    Nobody is where a notebook is executed as a whole, by ``jupyter nbconvert --execute`` and its
    like: they let no cell ask for input. What runs a notebook so and shows it then with its kernel,
    as Voilà and ``progtf export`` do, is an exception.
    """
    if os.environ.get(LIVE) == "live" or os.environ.get("SERVER_SOFTWARE", "").startswith("voila"):
        return True
    kernel: Any = getattr(get_ipython(), "kernel", None)
    asked: Any = None if kernel is None else kernel.get_parent("shell")
    return not asked or bool(asked.get("content", {}).get("allow_stdin", True))


def is_served() -> bool:
    """Whether cells are shown in the page of a Jupyter server: JupyterLab, or Notebook."""
    return "JPY_SESSION_NAME" in os.environ and "VSCODE_PID" not in os.environ


class Widget(anywidget.AnyWidget):
    """A view of the front-end.

    Attributes:
        kind: which view it is.
        data: what it shows now; saved notebooks and pages that are loaded again show it as well.
        place: where its still picture stands in a page, what no other widget has.
    """

    _esm = asset(
        "widget.js"
    )  # small, for anywidget waits two seconds; it loads `front` once a page
    _css = asset("progtf.css")
    front = traitlets.Unicode(asset("progtf.js")).tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    place = traitlets.Unicode().tag(sync=True)

    def __init__(self, kind: str, data: Data) -> None:
        super().__init__(kind=kind, data=data, place=uuid.uuid4().hex)
        self.on_msg(self._message)

    def open(self) -> None:
        """Tells the front-end of the widget, if somebody is there."""
        if is_watched():
            super().open()

    def still(self) -> str:
        """HTML without scripts that shows what the widget shows now."""
        return ""

    def hear(self, message: Data) -> None:
        """Told about every message of the front-end."""

    def _message(self, _widget: object, message: object, _buffers: object) -> None:
        if isinstance(message, Mapping):
            self.hear(dict(message))

    def _repr_mimebundle_(self, **options: Any) -> tuple[Data, Data]:
        """The live widget, and for printed notebooks and mails the still one.

        Where nobody is there, and in JupyterLab, it is the still one alone: a notebook that is
        opened later, without the kernel that ran it, shows a widget's view before all else, and has
        none. In JupyterLab the front-end puts the live figure in the place of the still one.
        """
        if not is_watched() or is_served():
            still = self.still() or "<p>There was nothing to show yet when this cell ran.</p>"
            html = f'<div id="progtf-{self.place}">{with_images(still)}</div>'
            return {"text/plain": f"{type(self).__name__}()", "text/html": html}, {}
        made = super()._repr_mimebundle_(**options)
        shown, about = (made or ({}, {})) if made is None or isinstance(made, tuple) else (made, {})
        extra = {"text/html": self.still(), MIMETYPE: {"kind": self.kind, "data": self.data}}
        return {**shown, **extra}, about
