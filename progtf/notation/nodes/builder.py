"""Grammar rules to syntax nodes: one method per rule of ``grammar/seme.lark``.

Lark's trees and tokens end here. A method is called with the children of its rule; absent
optional parts are None. The builder is told which line is being read, so that nodes know
their place.
"""

from progtf.notation.nodes.blocks import Blocks
from progtf.notation.nodes.conditions import Conditions
from progtf.notation.nodes.entries import Entries
from progtf.notation.nodes.fields import Fields
from progtf.notation.nodes.rules import Rules
from progtf.notation.nodes.sections import Sections


class NodeBuilder(Blocks, Sections, Entries, Conditions, Fields, Rules):
    """Builds the nodes of the line that ``read`` named last."""
