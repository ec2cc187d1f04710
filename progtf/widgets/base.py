"""What all widgets share: the front-end, its data, and a still picture for where it cannot run."""

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from progtf.views.page import MIMETYPE, asset

Data = dict[str, Any]


class Widget(anywidget.AnyWidget):
    """A view of the front-end.

    Attributes:
        kind: which view it is.
        data: what it shows now; saved notebooks and pages that are loaded again show it as well.
    """

    _esm = asset(
        "widget.js"
    )  # small, for anywidget waits two seconds; it loads `front` once a page
    _css = asset("progtf.css")
    front = traitlets.Unicode(asset("progtf.js")).tag(sync=True)
    kind = traitlets.Unicode().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)

    def __init__(self, kind: str, data: Data) -> None:
        super().__init__(kind=kind, data=data)
        self.on_msg(self._message)

    def still(self) -> str:
        """HTML without scripts that shows what the widget shows now."""
        return ""

    def hear(self, message: Data) -> None:
        """Told about every message of the front-end."""

    def _message(self, _widget: object, message: object, _buffers: object) -> None:
        if isinstance(message, Mapping):
            self.hear(dict(message))

    def _repr_mimebundle_(self, **options: Any) -> tuple[Data, Data]:
        """The live widget, and for printed notebooks and mails the still one."""
        made = super()._repr_mimebundle_(**options)
        shown, about = (made or ({}, {})) if made is None or isinstance(made, tuple) else (made, {})
        extra = {"text/html": self.still(), MIMETYPE: {"kind": self.kind, "data": self.data}}
        return {**shown, **extra}, about
