"""The heads and rules of a program, each resolved and built once.

What a part reads and writes is known from then on: what puts parts in order, splits layers or warns
looks at that and builds nothing.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from progtf.building.heads.head import build_head
from progtf.building.heads.setting import BuiltHead
from progtf.building.names import Names
from progtf.building.rules.feedforward import Built, Rules, built_rule
from progtf.building.rules.flags import Divided, divided
from progtf.building.settings import Settings
from progtf.notation import flat as f


@dataclass(frozen=True, slots=True)
class Parts:
    """What heads and rules come to, by the ``id`` of what was written.

    Attributes:
        names: what their names mean.
        settings: of the program.
        ramp: the period of the slow clock that ``nearest`` uses.
        rules: the rules.
        make: gives what a head comes to, with these names, settings and this period.
        divide: gives rules that are too much for their layer, with names and all flags, as others.
        heads: those heads that somebody has asked for.
    """

    names: Names
    settings: Settings
    ramp: float
    rules: Rules
    make: Callable[[f.Block, Names, Settings, float], BuiltHead]
    divide: Callable[[Sequence[Built], Names, Collection[str]], Divided]
    heads: dict[int, BuiltHead] = field(default_factory=dict[int, BuiltHead])

    @staticmethod
    def of(names: Names, settings: Settings, ramp: float) -> "Parts":
        """Those of one program; nothing of them has been built."""
        rules = Rules(names, settings.longest, built_rule)
        return Parts(names, settings, ramp, rules, build_head, divided)

    def __iter__(self) -> Iterator[Built | BuiltHead]:
        """All heads that are right and all rules, each with what it reads and writes."""
        right = (built for built in self.heads.values() if built.head is not None)
        heads = {id(built.head): built for built in right}  # one that moved is one
        yield from (*heads.values(), *self.rules)

    def head(self, block: f.Block) -> BuiltHead:
        """What a head comes to."""
        if id(block) not in self.heads:
            self.heads[id(block)] = self.make(block, self.names, self.settings, self.ramp)
        return self.heads[id(block)]

    def divided(
        self, group: Sequence[f.Rule], flags: dict[str, None]
    ) -> Mapping[int, tuple[f.Rule, ...]]:
        """The rules of a layer that are too much for it, by their ``id``, as what stands for them.

        Args:
            group: all rules of the layer.
            flags: all flags of the program; those that are made join them.
        """
        made = self.divide([self.rules.of(rule) for rule in group], self.names, flags)
        self.rules.replaced.update(made)
        for instead in made.values():
            for each in instead:
                self.rules.keep(each)
            flags |= dict.fromkeys(name for test in instead[:-1] for name in test.writes)
        return {rule: tuple(each.source for each in instead) for rule, instead in made.items()}

    def moved(self, block: f.Block, origin: str) -> f.Block:
        """A head, or raw weights, marked with where they come from; a head comes to the same."""
        marked = replace(block, origin=origin)
        if block.keyword == "head":
            self.heads[id(marked)] = replace(self.head(block), source=marked)
        return marked
