/* What a program answers, computed exactly: the arrays of progtf/running as one plain loop.

   A number is a whole number or a fraction of 64 bits, or, where hands of clocks come in, a float64
   with a bound. Whatever is left undecided, is too large, or breaks a promise of the program ends
   the run with ASIDE: then the arrays of numpy go through the text again, find words for it, and
   compute in fractions where that is needed. So nothing here rounds a decision. */

#include "stacks.h"

/* The first of the greatest scores, and how far it lies above the next; a tie goes aside. */
static i64 best(Run *run, const Num *scores, i64 count, double *gap) {
  i64 found = 0;
  for (i64 i = 1; i < count; i++)
    if (compare(scores[i], scores[found], run->arena) > 0) found = i;
  *gap = HUGE_VAL;
  for (i64 i = 0; i < count; i++) {
    if (i == found) continue;
    if (compare(scores[i], scores[found], run->arena) == 0) leave(run->arena, ASIDE);
    Num apart = plus(scores[found], minus(scores[i]), run->arena); /* rounded once */
    *gap = fmin(*gap, shown(apart, run->arena));
  }
  return found;
}

static void keeps_the_answer(Run *run, const Residual *r, i64 row) {
  if (!keep(run, &run->program->answering, r, row)) leave(run->arena, ASIDE);
}

static void pool(Run *run, const Residual *r, Residual *into) {
  const Program *p = run->program;
  for (i64 column = 0; column < p->width; column++) {
    Num found = cell(r, p->pool == LAST ? r->rows - 1 : 0, column);
    for (i64 row = 1; row < r->rows && p->pool > LAST; row++) {
      Num each = cell(r, row, column);
      if (p->pool != MAX) found = plus(found, each, run->arena);
      else if ((!found.d || !each.d) && column >= p->semes) continue;
      else if (compare(each, found, run->arena) > 0) found = each;
    }
    if (p->pool == MEAN && r->rows > 1 && found.d)
      found = ratio(found.n, (wide)found.d * r->rows, run->arena);
    else if (p->pool == MEAN && r->rows > 1 && column < p->semes) leave(run->arena, ASIDE);
    put(run, into, 0, column, found);
  }
  into->rows = 1;
}

typedef struct {
  i64 tokens;
  const i64 *starts, *columns; /* what each token has, one after another */
  const Num *numbers;
  const i32 *inner;            /* which tokens the answer is read off */
} Text;

typedef struct {
  double *residual, *scores, gap; /* the encoder's last residual; scores of classes or of tokens */
  i64 *best, *written, writes;    /* of each token, or what is written, and how much */
  i64 unfinished;                 /* which loop of a decoder that writes anew did not end, -1: none */
  i64 strange;                    /* whether the encoder left a seme outside its range, or a loop */
  i64 width, outputs, rows, longest; /* for how much there is room */
} Answer;

static void write_out(Run *run, const Text *text, Residual *memory, Answer *answer) {
  const Program *p = run->program;
  i64 given = memory ? 0 : text->tokens, room = given + p->longest + 3, read = 0, length = given;
  i64 bos = p->outputs, *said = answer->written;
  Residual r = residual(run, room);
  run->room = room;
  Num *scores = take(run->arena, p->outputs, sizeof(Num));
  run->memory = memory;
  if (memory && p->tokens != p->outputs + 1) leave(run->arena, ASIDE);
  answer->gap = HUGE_VAL, answer->writes = 0;
  if (p->kind == WRITES) {
    i64 turns = 1;
    for (i64 i = 0; i < p->decoder.layers; i++)
      if (p->decoder.layer[i].repeat > turns) turns = p->decoder.layer[i].repeat;
    run->turns = turns;
    run->past = cleared(run->arena, p->heads * turns, sizeof(Found *));
  }
  if (memory) length = 1;
  while (answer->writes <= p->longest) {
    if (p->kind == REWRITES) { /* all anew */
      for (i64 i = 0; i < r.rows; i++) r.odd[i].count = 0;
      r.rows = read = 0;
    }
    while (r.rows < length) {
      i64 row = r.rows, own = row - given;
      if (own < 0) {
        i64 from = text->starts[row];
        embed(run, &r, text->starts[row + 1] - from, text->columns + from, text->numbers + from);
        continue;
      }
      i64 token = memory ? (own ? said[own - 1] : bos) : said[own];
      const Vector *v = &p->vocabulary[token];
      embed(run, &r, v->count, v->columns, v->numbers);
    }
    through(run, &p->decoder, &r, read, 1);
    keeps_the_answer(run, &r, r.rows - 1);
    for (i64 i = 0; i < p->outputs; i++) scores[i] = valued(run, &p->score[i], &r, r.rows - 1);
    double gap;
    i64 token = best(run, scores, p->outputs, &gap);
    answer->gap = fmin(answer->gap, gap);
    said[answer->writes++] = token;
    read = length++;
    if (token == p->ends) break;
  }
  answer->unfinished = -1;
  for (i64 i = 0; i < p->unheard.count && answer->unfinished < 0; i++)
    for (i64 row = 0; row < r.rows; row++)
      if (shown(cell(&r, row, p->unheard.each[i]), run->arena) > 0.5) answer->unfinished = i;
}

/* Whether a seme lies outside of its range, flags among them, or a loop did not end. */
static int strange(Run *run, const Residual *r) {
  const Program *p = run->program;
  for (i64 row = 0; row < r->rows; row++)
    for (i64 w = 0; w * 64 < p->semes; w++)
      for (u64 left = r->up[row * r->words + w] | p->looked[w]; left; left &= left - 1) {
        i64 c = w * 64 + __builtin_ctzll(left);
        if (c >= p->semes) break;
        double value = shown(cell(r, row, c), run->arena);
        if (value < p->low[c] || value > p->high[c]) return 1;
      }
  return 0;
}

static void answered(Run *run, const Text *text, Answer *answer) {
  const Program *p = run->program;
  i64 writes = p->kind >= WRITES;
  if (answer->residual && answer->width != p->width) leave(run->arena, ASIDE);
  if (p->kind > TELLS_NOTHING && !writes && answer->outputs != p->outputs) leave(run->arena, ASIDE);
  if (writes != (answer->longest > 0)) leave(run->arena, ASIDE);
  if (writes && (p->longest < 0 || p->longest + 1 > answer->longest)) leave(run->arena, ASIDE);
  if (p->kind == TELLS_CLASS && answer->rows != 1) leave(run->arena, ASIDE);
  if (p->kind == TELLS_TOKENS && answer->rows != text->tokens) leave(run->arena, ASIDE);
  run->sums = take(run->arena, p->sums, sizeof(Num));
  run->list = take(run->arena, p->sums, sizeof(i64));
  run->quick = take(run->arena, p->sums, sizeof(i64));
  run->places = take(run->arena, p->reads, sizeof(i64));
  run->state = cleared(run->arena, p->sums, 1);
  Residual r = residual(run, text->tokens);
  for (i64 i = 0; i < text->tokens && p->encodes; i++) {
    i64 from = text->starts[i];
    embed(run, &r, text->starts[i + 1] - from, text->columns + from, text->numbers + from);
  }
  if (p->encodes) {
    through(run, &p->encoder, &r, 0, 0);
    answer->strange = strange(run, &r);
    for (i64 i = 0; i < r.rows && answer->residual; i++)
      for (i64 c = 0; c < p->width; c++) {
        answer->residual[i * p->width + c] = 0;
        if (rests_at(&r, i, c)) continue;
        Num each = cell(&r, i, c);
        if (p->kind == TELLS_NOTHING && !each.d && each.e != 0) leave(run->arena, ASIDE);
        answer->residual[i * p->width + c] = shown(each, run->arena);
      }
  }
  if (p->kind >= WRITES) {
    write_out(run, text, p->encodes ? &r : NULL, answer);
    return;
  }
  answer->gap = HUGE_VAL;
  if (p->kind == TELLS_NOTHING) return;
  for (i64 i = 0; i < r.rows; i++)
    if (text->inner[i]) keeps_the_answer(run, &r, i);
  Residual pooled = residual(run, 1);
  if (p->kind == TELLS_CLASS) pool(run, &r, &pooled);
  Residual *read = p->kind == TELLS_CLASS ? &pooled : &r;
  Num *scores = take(run->arena, p->outputs, sizeof(Num));
  for (i64 row = 0; row < read->rows; row++) {
    for (i64 i = 0; i < p->outputs; i++) {
      scores[i] = valued(run, &p->score[i], read, row);
      if (!scores[i].d && scores[i].e != 0) leave(run->arena, ASIDE);
      answer->scores[row * p->outputs + i] = shown(scores[i], run->arena);
    }
    answer->best[row] = 0;
    double gap = HUGE_VAL;
    if (p->outputs && (p->kind == TELLS_CLASS || text->inner[row]))
      answer->best[row] = best(run, scores, p->outputs, &gap);
    answer->gap = fmin(answer->gap, gap);
  }
}

Arena *progtf_room(void) { return calloc(1, sizeof(Arena)); }

void progtf_leave(Arena *arena) {
  if (arena) release(arena);
  free(arena);
}

/* One text: DONE; ASIDE where something else must answer it; STOPPED by the host. */
i64 progtf_answer(const Program *p, Arena *arena, const Text *text, Answer *answer,
                  const Host *host) {
  arena->now = arena->first;
  if (arena->now) arena->now->used = 0;
  Run run = {.program = p, .arena = arena, .turns = 1, .host = host};
  if (host) arena->thread = host->pause();
  int why = setjmp(arena->out);
  if (!why) answered(&run, text, answer);
  lighten(arena);
  if (host) host->resume(arena->thread);
  return why;
}

#ifndef SOURCE
#define SOURCE ""
#endif

/* The digest of the source that this was made of. */
const char *progtf_source(void) { return SOURCE; }
