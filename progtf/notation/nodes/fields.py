"""Fields of heads, layers, cells and ``learn:``."""

from lark import Token

from progtf.notation import syntax as s
from progtf.notation.nodes.place import Placed, inline


@inline
class Fields(Placed):
    """``key: value`` lines."""

    def _key(self, key: Token) -> str:
        return str(key)

    model_key = map_key = position_key = condition_key = dense_key = cell_key = _key
    stack_key = _key

    def map_field(self, key: str, entries: s.Entries = ()) -> s.Statement:
        return self._field(key, entries)

    def copy_field(self, *names: s.Name) -> s.Statement:
        return self._field("copy", s.Copy(names[:-1], names[-1]))

    def learned_field(self, key: str, mark: Token) -> s.Statement:
        """``value: ?``: all of it is learned, at the usual size, which 0 stands for."""
        span = self._span(mark)
        whole = s.Term(1, s.Number(0, "", span), None, span)
        return self._field(key, (s.Entry("vector", (whole,), span, "?"),))

    def learn_semes(self, number: s.Expression) -> s.Statement:
        return self._field("semes", number)

    def learn_reads(self, entries: s.Entries = ()) -> s.Statement:
        return self._field("reads", entries)

    def learn_tokens(self, text: str) -> s.Statement:
        return self._field("tokens", text)

    def learn_protect(self, word: Token) -> s.Statement:
        return self._field("protect", str(word))

    def learn_layers(
        self,
        stack: Token,
        which: s.Expression,
        heads: s.Expression | None,
        units: s.Expression | None,
    ) -> s.Statement:
        return self._field(str(stack), s.LearnedLayers(which, heads, units))

    def position_field(self, key: str, value: s.Expression) -> s.Statement:
        return self._field(key, value)

    def condition_field(self, key: str, value: s.Condition) -> s.Statement:
        return self._field(key, value)

    def at(self, offset: s.Expression) -> s.Statement:
        return self._field("at", offset)

    def highest(self, form: s.Form, where: s.Condition | None) -> s.Statement:
        return self._field("highest", s.Extreme(form, where))

    def lowest(self, form: s.Form, where: s.Condition | None) -> s.Statement:
        return self._field("lowest", s.Extreme(form, where))

    def distance(self, name: s.Name) -> s.Statement:
        return self._field("distance", name)

    def look(self, word: Token) -> s.Statement:
        return self._field("look", str(word))

    def from_encoder(self, word: Token) -> s.Statement:
        return self._field("from", str(word))

    def sharpness(self, value: s.Expression) -> s.Statement:
        return self._field("sharpness", value)

    def normalize(self, word: Token) -> s.Statement:
        return self._field("normalize", str(word))

    def otherwise(self, value: s.Entries, below: s.Expression | None) -> s.Statement:
        return self._field("else", s.Rest(value, below))

    def relu(self, word: Token) -> s.Statement:
        return self._field("relu", str(word))

    def activation(self, word: Token) -> s.Statement:
        return self._field("activation", str(word))

    def pool(self, word: Token) -> s.Statement:
        return self._field("pool", str(word))

    def raw_field(self, key: Token, entries: s.Entries = ()) -> s.Statement:
        return self._field(str(key), entries)
