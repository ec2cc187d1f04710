"""The expression-pointer transformer: which symbols may come, and step by step as all at once."""

from dataclasses import replace

import pytest
import torch

from progtf.nn import Shape, Stack, Unbound, beam, stack
from progtf.nn.expressions import ExpressionSymbols, operators_next, pointable
from progtf.nn.linear_forms import Forms, says_nothing, then
from progtf.nn.operands import PointerShape, Pointing
from progtf.nn.pointers import ExpressionPointers
from progtf.nn.pooling import PooledText
from progtf.nn.text_encoders import AttentiveContext, RecurrentContext, TextEncoder

# 3 end, 4 new, 5 =, 6 + 7 -, 8 nothing, 9 10 constants, 11 .. 14 numbers, 15 .. 26 results
SYMBOLS = ExpressionSymbols(
    end=3, new=4, equals=5, arithmetic=(6, 8), nothing=8, constants=2, numbers=4, results=12
)
NEW, EQUALS, PLUS, NOTHING, CONSTANT, NUMBER, RESULT, END = 4, 5, 6, 8, 9, 11, 15, 3
PRODUCTS = replace(SYMBOLS, arithmetic=(6, 10), nothing=10)
"""The same with 8 * 9 /, and all operands two further on."""
MARK = 30
ANSWER = [
    *(NEW, NOTHING, NOTHING), *(NEW, NOTHING, NOTHING),
    *(PLUS, NUMBER, RESULT), *(EQUALS, RESULT + 2, CONSTANT),
    *(EQUALS, RESULT + 1, NUMBER + 1),
]  # fmt: skip


class Reader(torch.nn.Module):
    """Two flags, one of each mark."""

    def forward(self, source, real):
        return torch.stack([source == MARK, source == MARK + 1], dim=-1) * real[..., None].float()


def network(
    *,
    rules: bool = False,
    attentive: bool = False,
    reads: bool = False,
    symbols: ExpressionSymbols = SYMBOLS,
    pointing: Pointing = "chained",
    shared: bool = False,
) -> ExpressionPointers:
    blocks = Shape(40, d_model=12, d_ff=16, n_heads=2, norms="pre")
    context = RecurrentContext.sized(12, 2)
    if attentive:
        encoder = stack(blocks, Unbound(), 1, decoder=False)
        context = AttentiveContext(encoder, 12, longest=64)
    semes = 2 * reads
    words = TextEncoder(torch.nn.Parameter(torch.randn(36, 12)), context, semes=semes)
    decoder = stack(blocks, Unbound(), 2, decoder=True, shared=shared)
    shape = PointerShape(symbols, 12, marks=(MARK, MARK + 1), rules=rules, pointing=pointing)
    made = ExpressionPointers(shape, words, decoder, Reader() if reads else None, semes).eval()
    for part in made.parameters():
        torch.nn.init.normal_(part, std=0.5)
    return made


SOURCE = torch.tensor([[2, 28, MARK, 29, MARK, 3], [2, MARK, 28, 3, 1, 1]])


@pytest.mark.parametrize("attentive", [False, True])
@pytest.mark.parametrize("reads", [False, True])
def test_steps_give_what_the_whole_answer_gives(attentive, reads):
    model = network(attentive=attentive, reads=reads)
    given = torch.tensor([[2, *ANSWER], [2, *ANSWER]])
    whole = model(SOURCE, given)
    state, found = model.start(SOURCE), []
    for tokens in given.unbind(dim=1):
        logits, state = model.step(tokens, state)
        found.append(logits)
    torch.testing.assert_close(torch.stack(found, dim=1), whole, rtol=0, atol=1e-5)


@pytest.mark.parametrize("pointing", ["published", "plain"])
def test_other_pointing_is_the_same_step_by_step(pointing):
    model = network(pointing=pointing, shared=True)
    given = torch.tensor([[2, *ANSWER], [2, *ANSWER]])
    state, found = model.start(SOURCE), []
    for tokens in given.unbind(dim=1):
        logits, state = model.step(tokens, state)
        found.append(logits)
    whole = model(SOURCE, given)
    torch.testing.assert_close(torch.stack(found, dim=1), whole, rtol=0, atol=1e-5)


def test_published_operands_are_chosen_by_the_decoder_alone():
    """The operator, or the first operand, of the same token changes what is chained alone."""
    given = torch.tensor([[2, *ANSWER]])
    other = given.clone()
    other[0, 8] = CONSTANT  # the first operand of the third token; its second is told behind it
    for pointing, alike in (("chained", False), ("published", True), ("plain", True)):
        model = network(pointing=pointing)
        before, after = (model(SOURCE[:1], each)[0, 8] for each in (given, other))
        assert before.equal(after) == alike


def test_without_pointers_a_number_is_the_same_symbol_in_every_text():
    for pointing, alike in (("published", False), ("plain", True)):
        model = network(pointing=pointing)
        one, two = (model._read(SOURCE[n : n + 1]).keys[0][:, :3] for n in (0, 1))
        assert one.equal(two) == alike


def test_a_decoder_whose_layers_share_weights_has_those_of_one():
    shared, own = network(shared=True).decoder, network().decoder
    assert len(shared.blocks) == len(own.blocks) == 2
    count = [sum(p.numel() for p in each.blocks.parameters()) for each in (shared, own)]
    assert 2 * count[0] == count[1]


@pytest.mark.parametrize("reads", [False, True])
def test_padding_changes_nothing(reads):
    model, given = network(reads=reads), torch.tensor([[2, *ANSWER]])
    alone = model(SOURCE[1:, :4], given)
    torch.testing.assert_close(model(SOURCE[1:], given), alone, rtol=0, atol=1e-5)


def test_operands_are_constants_numbers_that_are_there_and_earlier_results_of_no_equation():
    logits = network()(SOURCE, torch.tensor([[2, *ANSWER], [2, *ANSWER]]))
    possible = logits.isfinite()
    constants, unknowns = {CONSTANT, CONSTANT + 1}, {RESULT, RESULT + 1}
    numbers = {NUMBER, NUMBER + 1}
    for row, there in enumerate((numbers, {NUMBER})):
        said = [set(each.nonzero()[:, 0].tolist()) for each in possible[row]]
        assert said[1] == said[2] == {NOTHING}
        assert said[7] == said[8] == constants | there | unknowns
        assert said[10] == constants | there | unknowns | {RESULT + 2}
        assert said[13] == said[10]  # the equation has no result


def test_operators_follow_the_grammar_of_equations():
    possible = network()(SOURCE, torch.tensor([[2, *ANSWER], [2, *ANSWER]])).isfinite()
    said = [set(each.nonzero()[:, 0].tolist()) for each in possible[0, ::3]]
    arithmetic = {PLUS, PLUS + 1, EQUALS}
    assert said == [
        {NEW}, {NEW, *arithmetic}, {NEW, *arithmetic}, arithmetic, {*arithmetic, END},
        {*arithmetic, END},
    ]  # fmt: skip


def test_with_rules_there_are_as_many_equations_as_unknowns():
    possible = network(rules=True)(SOURCE, torch.tensor([[2, *ANSWER], [2, *ANSWER]])).isfinite()
    said = [set(each.nonzero()[:, 0].tolist()) for each in possible[0, ::3]]
    arithmetic = {PLUS, PLUS + 1, EQUALS}
    assert said[4] == arithmetic
    assert said[5] == {END}


def test_with_rules_the_last_equation_waits_until_all_but_one_unknown_are_used():
    triples = torch.tensor([[[NEW, 8, 8], [NEW, 8, 8], [EQUALS, NUMBER, CONSTANT]]])
    allowed = operators_next(SYMBOLS, triples[..., 0], triples[..., 1:], rules=True)
    assert not allowed[0, 3, EQUALS]
    triples[0, 2, 1] = RESULT
    allowed = operators_next(SYMBOLS, triples[..., 0], triples[..., 1:], rules=True)
    assert allowed[0, 3, EQUALS]


def refused_behind(model: ExpressionPointers, answer: list[int]) -> set[int]:
    state = model.start(SOURCE[:1])
    for symbol in (2, *answer):
        _, state = model.step(torch.tensor([symbol]), state)
    found = model.refused(state)
    return set() if found is None else set(found[0].nonzero()[:, 0].tolist())


def test_the_last_equation_leaves_no_unknown_out_where_forms_do_not_tell():
    """`x x = a`, then `x x = ...`: what is not linear is never said to say nothing new."""
    model = network(rules=True, symbols=PRODUCTS)
    nothing, number, x = PRODUCTS.nothing, PRODUCTS.first_number, PRODUCTS.first_result
    square = [*(NEW, nothing, nothing) * 2, 8, x, x]
    assert refused_behind(model, [*square, EQUALS, x + 2]) == set()
    behind = refused_behind(model, [*square, EQUALS, x + 2, number, EQUALS, x + 2])
    assert behind == {*range(nothing, PRODUCTS.count)} - {x + 1}
    used = [*square, EQUALS, x + 2, x + 1, EQUALS, x + 2]
    assert refused_behind(model, used) == set()


def test_results_of_equations_and_padding_cannot_be_pointed_at():
    operators = torch.tensor([[NEW, PLUS, EQUALS, END, 1]])
    assert pointable(SYMBOLS, operators).tolist() == [[True, True, False, False, False]]


def test_beams_write_whole_tokens():
    for model in (network(), network(rules=True)):
        answers = beam(model, SOURCE, 30, 3)
        for answer in answers.tolist():
            until = answer.index(END) if END in answer else len(answer)
            written = answer[:until]
            assert len(written) % 3 == 0
            for first in range(0, len(written), 3):
                bare = written[first] == NEW
                assert (written[first + 1] == NOTHING) == bare == (written[first + 2] == NOTHING)


def dependent(answer: list[int]) -> bool:
    """Whether an equation of an answer says nothing new."""
    until = answer.index(END) if END in answer else len(answer)
    forms = Forms.none(1, torch.device("cpu"))
    for first in range(0, until - until % 3, 3):
        token = torch.tensor([answer[first : first + 3]])
        known = says_nothing(SYMBOLS, forms, token[:, 1])[0, token[0, 2] - NOTHING]
        if token[0, 0] == EQUALS and known:
            return True
        forms = then(SYMBOLS, forms, token)
    return False


def test_with_rules_no_equation_says_what_is_known():
    found = {False: 0, True: 0}
    for seed in range(10):
        torch.manual_seed(seed)
        model = network(rules=True)
        for refuses in found:
            refused = model.refused if refuses else None
            answers = beam(model, SOURCE, 30, 3, refused=refused).tolist()
            found[refuses] += sum(map(dependent, answers))
    assert found[True] == 0 < found[False]
    assert network().refused(network().start(SOURCE)) is None


def test_an_encoder_reads_flags_beside_words():
    real, context = SOURCE != 1, RecurrentContext.sized(12, 1)
    encoder = TextEncoder(torch.nn.Parameter(torch.randn(36, 12)), context, semes=2).eval()
    vectors = encoder(SOURCE, real, Reader()(SOURCE, real))
    assert vectors.shape == (2, 6, 12)
    assert not torch.allclose(vectors, encoder(SOURCE, real, torch.zeros(2, 6, 2)))


def test_a_whole_text_is_known_by_which_semes_there_are_and_how_often():
    whole = PooledText(3, semes=2)
    vectors, real = torch.zeros(3, 4, 3), torch.ones(3, 4).bool()
    semes = torch.zeros(3, 4, 2)
    semes[1, :3, 0], semes[2, 1, 0] = 1, 1
    found = whole(vectors, real, semes) - whole(vectors, real)
    bias, most, often = whole.written.bias, *whole.written.weight[::2]
    due = torch.stack([bias, bias + most + 3 * often, bias + most + often])
    torch.testing.assert_close(found, due)


def test_the_second_operand_depends_on_the_first():
    model = network()
    one = torch.tensor([[2, NEW, NOTHING, NOTHING, PLUS, NUMBER, RESULT]])
    other = torch.tensor([[2, NEW, NOTHING, NOTHING, PLUS, NUMBER + 1, RESULT]])
    mine, theirs = (model(SOURCE[:1], given)[0] for given in (one, other))
    torch.testing.assert_close(mine[:5], theirs[:5])
    assert not torch.allclose(mine[5], theirs[5])


def test_words_behind_the_table_are_unknown_ones():
    encoder = TextEncoder(torch.nn.Parameter(torch.randn(36, 12)), RecurrentContext.sized(12, 1))
    known, far = SOURCE.clone(), SOURCE.clone()
    known[0, 1], far[0, 1] = 0, 99
    torch.testing.assert_close(encoder(far, far != 1), encoder(known, known != 1))


def test_widths_that_two_directions_cannot_share_and_texts_past_all_places_are_refused():
    with pytest.raises(ValueError, match="do not share a width of 7"):
        RecurrentContext.sized(7, 1)
    context = AttentiveContext(Stack([]), 12, longest=4)
    with pytest.raises(ValueError, match="6 words are past"):
        context(torch.zeros(1, 6, 12), torch.ones(1, 6).bool())
