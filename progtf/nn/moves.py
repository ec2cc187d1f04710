"""Heads that look at one distance: what they read is moved there, without a softmax."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from progtf.nn.patterns import Filler, Key, Present, Query, Value
from progtf.nn.written import Led, Ready, WrittenSoftmax, scores_of

Distances = Int[Tensor, " head"]
Sources = Int[Tensor, "head dst"]
"""Which place each reader reads; behind the last one stands the null key."""
LENGTHS = 64
"""Texts of so many lengths are kept in mind."""
ROUNDINGS = 64
"""By how many units in the last place of a head's largest number queries and keys may differ."""


class WrittenByPlace(WrittenSoftmax):
    """Written heads whose queries and keys tell places alone, as those of ``at:``.

    All texts of a batch then have the same scores up to rounding (one product of many texts does
    not round each alike), so that one shows where each head looks. Where a share is 1 at one
    distance from each reader, and at the null key where nothing stands there, both to the last bit
    however the queries and keys are rounded, the softmax over all places would only copy: so that
    is done. This is found out from the numbers, and held against them each time; where it is not
    so, the softmax is computed.
    """

    def read(
        self, ready: Ready, query: Query, key: Key, value: Value, present: Present | None
    ) -> Filler:
        """What each reader finds at its distance, or in its null key."""
        if query.shape[-2] == key.shape[-2] and not (
            torch.is_grad_enabled() or torch.compiler.is_compiling()
        ):
            sources = self._sources(ready, query, key)
            if sources is not None:
                return _moved(value, ready, sources, present)
        return super().read(ready, query, key, value, present)

    def _sources(self, ready: Ready, query: Query, key: Key) -> Sources | None:
        """Where each head looks, at one distance; None: not all of them do.

        As long as queries and keys are nearly those of the last time nothing else can come out.
        """
        known = ready.places.get(n_places := key.shape[-2])
        if known is not None and _all_near(query, known.query) and _all_near(key, known.key):
            return known.sources
        if not (_all_near(query, query[:1]) and _all_near(key, key[:1])):
            return None
        if len(ready.places) == LENGTHS:
            ready.places.clear()
        mine = query[:1].clone(), key[:1].clone()
        found = self._led(ready, *mine)
        ready.places[n_places] = Led(*mine, found)
        return found

    def _led(self, ready: Ready, query: Query, key: Key) -> Sources | None:
        n_places = key.shape[-2]
        mask = ready.masks.of(n_places, n_places)
        score = scores_of(query * ready.sharp, key, mask, None)[0]
        best, found = _looked_at(score, n_places)
        least = torch.where(found, best, n_places).amin(dim=-1)
        same = ~found | (best == least[:, None])
        slack = _slack(query * ready.sharp, key)
        if not bool(same.all() & _copies(score, least, n_places, slack)):
            return None
        sources = torch.arange(n_places, device=least.device) + least[:, None]
        return sources.masked_fill_((sources < 0) | (sources >= n_places), n_places)


class WrittenForAll(WrittenSoftmax):
    """Written heads that ask the same at every place and look at all of them.

    So all readers find the same, and one of them stands for the others. This is found out from the
    numbers each time; where it is not so, each looks for itself.
    """

    def read(
        self, ready: Ready, query: Query, key: Key, value: Value, present: Present | None
    ) -> Filler:
        """What each reader finds at sources, and in its null key."""
        n_readers = query.shape[-2]
        if n_readers > 1 and not (torch.is_grad_enabled() or torch.compiler.is_compiling()):
            first = query[..., :1, :]
            if torch.equal(query, first.expand_as(query)):
                found = super().read(ready, first, key, value, present)
                return found.expand(*found.shape[:-2], n_readers, -1)
        return super().read(ready, query, key, value, present)


def _all_near(many: Tensor, one: Tensor) -> bool:
    """Whether all texts have the numbers of one, up to roundings of each head's largest."""
    if torch.equal(many, one.expand_as(many)):
        return True
    near = ROUNDINGS * torch.finfo(one.dtype).eps * _largest(one)
    return bool(((many - one).abs() <= near).all())


def _largest(each: Float[Tensor, "batch head pos d"]) -> Float[Tensor, "batch head 1 1"]:
    return each.abs().amax(dim=(-2, -1), keepdim=True)


def _slack(query: Query, key: Key) -> Float[Tensor, "head 1 1"]:
    """How far the scores of queries and keys that are near to these can lie off, at most.

    Of ``d`` products of a query and a key, each of which is off by ``ROUNDINGS``, either way
    round, and which are rounded themselves as they are added.
    """
    d_key = query.shape[-1]
    off = (2 * ROUNDINGS + d_key + 2) * torch.finfo(query.dtype).eps
    return (off * (1 + off) * d_key * _largest(query) * _largest(key))[0]


def _looked_at(
    score: Float[Tensor, "head reader wide"], n_places: int
) -> tuple[Int[Tensor, "head reader"], Bool[Tensor, "head reader"]]:
    """How far from each reader the best score stands, and whether it is that of a place."""
    best = score.argmax(dim=-1)
    return best - torch.arange(n_places, device=score.device), best < n_places


def _copies(
    score: Float[Tensor, "head reader wide"],
    distances: Distances,
    n_places: int,
    slack: Float[Tensor, "head 1 1"],
) -> Bool[Tensor, ""]:
    """Whether all shares are 1: at a distance, if that is a place, and without it at the null.

    They are also if those scores were less by ``slack``, and all others more by it.
    """
    places = torch.arange(n_places, device=score.device)
    target = places + distances[:, None]
    inside = ((target >= 0) & (target < n_places))[..., None]
    index = target.clamp(0, n_places - 1)[..., None]
    best = score.scatter_add(-1, index, (-2 * slack).expand(index.shape))
    there = best.softmax(dim=-1).gather(-1, index)
    without = score.scatter(-1, index, -torch.inf) if inside.any() else score
    without = torch.where(inside, without, score)
    without[..., n_places, None] -= 2 * slack
    rest = without.softmax(dim=-1)[..., n_places, None]
    return (((there == 1) | ~inside) & (rest == 1)).all()


def _moved(value: Value, ready: Ready, sources: Sources, present: Present | None) -> Filler:
    """The values at these places, null fillers where nothing stands, or padding."""
    heads, n_places = sources.shape
    given = functional.pad(value.permute(1, 3, 0, 2), (0, 1))  # head d batch place, as they lie
    if ready.null is not None:
        given[..., n_places] = ready.null.mT
    index = sources[:, None, None]
    if present is not None:
        real = functional.pad(present, (0, 1), value=True)[:, sources]
        index = torch.where(real, sources, n_places).permute(1, 0, 2)[:, None]
    found = given.gather(-1, index.expand(heads, given.shape[1], given.shape[2], n_places))
    return found.permute(2, 0, 3, 1)
