"""The sections of a flat program, by keyword."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from progtf.notation import flat as f


@dataclass(frozen=True)
class Sections:
    """The sections of one program; those of one keyword read as one."""

    flat: f.Flat

    def blocks(self, *keywords: str) -> Sequence[f.Block]:
        """The sections with one of these keywords."""
        found = (s for s in self.flat.statements if isinstance(s, f.Block))
        return [block for block in found if block.keyword in keywords]

    def children(self, keyword: str) -> Iterator[f.Statement]:
        """What stands in the sections with this keyword."""
        for block in self.blocks(keyword):
            yield from block.children
