"""Grammar rules to syntax nodes: one method per rule, or alias, of ``grammar/seme.lark``.

Lark's trees and tokens end here. A method is called with the children of its rule; absent
optional parts are None. The builder is told which line is being read, so that nodes know
their place.
"""

from progtf.notation.builders.blocks import Blocks
from progtf.notation.builders.conditions import Conditions
from progtf.notation.builders.entries import Entries
from progtf.notation.builders.fields import Fields
from progtf.notation.builders.rules import Rules
from progtf.notation.builders.sections import Sections


class NodeBuilder(Blocks, Sections, Entries, Conditions, Fields, Rules):
    """Builds the nodes of the line that ``read`` named last."""
