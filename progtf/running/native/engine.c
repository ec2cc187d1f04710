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
  const i64 *const *vectors; /* what each token has: how much, in which columns, and the numbers */
  const i32 *inner;          /* which tokens the answer is read off, where there are scores */
} Text;

typedef struct {
  double *residual, *scores, gap; /* the encoder's last residual; scores of classes or of tokens */
  u64 *up;                        /* of each column whether it is not 0 at some token */
  i64 *best, *written, writes;    /* of each token, or what is written, and how much */
  i64 unfinished;                 /* which loop of a decoder that writes anew did not end, -1: none */
  i64 strange;                    /* whether the encoder left a seme outside its range, or a loop */
  i64 width, outputs, rows, longest; /* for how much there is room */
} Answer;

/* The next token: the first of the greatest scores, as `best` finds it; what are lines over one whole
   number are only looked at where they are highest. */
static i64 spoken(Run *run, const Residual *r, i64 row, Num *scores, double *gap) {
  const Program *p = run->program;
  const Lines *lines = &p->lines;
  i64 x = 0, count = 0, *outputs = run->list;
  i64 at = row * r->width + (lines->count ? lines->column : 0);
  int whole_ = lines->count && !r->d[at] && r->n[at] > -(1 << 30) && r->n[at] < 1 << 30;
  if (whole_) {
    x = r->n[at];
    i64 low = 0, high = lines->count - 1;
    while (low < high) { /* the last line that is above the one before it */
      i64 middle = (low + high + 1) / 2;
      i64 above = (lines->slope[middle] - lines->slope[middle - 1]) * x + lines->height[middle] -
                  lines->height[middle - 1];
      if (above > 0) low = middle;
      else high = middle - 1;
    }
    for (i64 i = low > 0 ? low - 1 : 0; i <= low + 1 && i < lines->count; i++)
      scores[count] = whole(lines->slope[i] * x + lines->height[i]), outputs[count++] = lines->each[i];
  }
  for (i64 i = 0; i < (whole_ ? p->rest.count : p->outputs); i++) {
    i64 output = whole_ ? p->rest.each[i] : i;
    scores[count] = valued(run, &p->score[output], r, row), outputs[count++] = output;
  }
  return outputs[best(run, scores, count, gap)];
}

/* A program at work; of a decoder that writes what it was at when it last had no more room. */
typedef struct {
  Run run;
  Arena own; /* where nobody lends one */
  Residual text, row; /* what the encoder has found; the token that a decoder reads */
  Num *scores;
  i64 token, begun, done; /* what was written last, and whether that is the end */
} Writer;

static void embed_given(Run *run, Residual *r, const Text *text, i64 place) {
  const i64 *v = text->vectors[place];
  embed(run, r, v[0], v + 1, (const Num *)(v + 1 + v[0]));
}

static void embed_next(Writer *w, const Text *text) {
  Run *run = &w->run;
  const Program *p = run->program;
  Residual *r = &w->row;
  i64 place = r->base, given = run->memory ? 0 : text->tokens;
  r->rows = 0, r->odd[0].count = 0;
  if (place < given) {
    embed_given(run, r, text, place);
    return;
  }
  const Vector *v = &p->vocabulary[run->memory && !place ? p->outputs : w->token];
  embed(run, r, v->count, v->columns, v->numbers);
}

/* Begins to write; a memory: what is read besides, and then the text does not stand before it. */
static void begin(Writer *w, Residual *memory) {
  Run *run = &w->run;
  const Program *p = run->program;
  run->memory = memory, run->turns = 1;
  for (i64 i = 0; i < p->decoder.layers; i++)
    if (p->decoder.layer[i].repeat > run->turns) run->turns = p->decoder.layer[i].repeat;
  run->past = cleared(run->arena, p->heads * run->turns, sizeof(Trail *));
  w->row = residual(run, 1);
  w->scores = take(run->arena, p->outputs, sizeof(Num));
}

/* Reads what is left of the text, and writes as many tokens as there is room for, to the end at most. */
static void go_on(Writer *w, const Text *text, i64 most, Answer *answer) {
  Run *run = &w->run;
  const Program *p = run->program;
  Residual *r = &w->row;
  i64 last = run->memory ? 0 : text->tokens - 1; /* the last token before what is written */
  answer->gap = HUGE_VAL, answer->writes = 0;
  while (!w->done && answer->writes < most) {
    double gap;
    do {
      embed_next(w, text);
      through(run, &p->decoder, r, 1);
    } while (r->base++ < last);
    breathe(run, 100 + p->outputs);
    keeps_the_answer(run, r, 0);
    w->token = spoken(run, r, 0, w->scores, &gap);
    answer->gap = fmin(answer->gap, gap);
    answer->written[answer->writes++] = w->token;
    w->done = w->token == p->ends || r->base - last > p->longest;
  }
}

/* Writes all, each token with all that stands before it computed anew. */
static void rewrite(Run *run, const Text *text, Residual *memory, Answer *answer) {
  const Program *p = run->program;
  i64 given = memory ? 0 : text->tokens, length = memory ? 1 : given, *said = answer->written;
  Residual r = residual(run, given + p->longest + 3);
  Num *scores = take(run->arena, p->outputs, sizeof(Num));
  run->memory = memory;
  answer->gap = HUGE_VAL, answer->writes = 0;
  while (answer->writes <= p->longest) {
    for (i64 i = 0; i < r.rows; i++) r.odd[i].count = 0;
    r.rows = 0;
    while (r.rows < length) {
      i64 row = r.rows, own = row - given;
      if (own < 0) {
        embed_given(run, &r, text, row);
        continue;
      }
      const Vector *v = &p->vocabulary[memory ? (own ? said[own - 1] : p->outputs) : said[own]];
      embed(run, &r, v->count, v->columns, v->numbers);
    }
    through(run, &p->decoder, &r, 1);
    keeps_the_answer(run, &r, r.rows - 1);
    double gap;
    said[answer->writes] = spoken(run, &r, r.rows - 1, scores, &gap);
    answer->gap = fmin(answer->gap, gap);
    length++;
    if (said[answer->writes++] == p->ends) break;
  }
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

/* Room for what is read together, and what the encoder finds in a text. */
static void encode(Writer *w, const Text *text, Answer *answer) {
  Run *run = &w->run;
  const Program *p = run->program;
  Residual *r = &w->text;
  run->sums = take(run->arena, p->sums, sizeof(Num));
  run->list = take(run->arena, p->sums, sizeof(i64));
  run->quick = take(run->arena, p->sums, sizeof(i64));
  run->places = take(run->arena, p->reads, sizeof(i64));
  run->state = cleared(run->arena, p->sums, 1);
  if (!p->encodes) return;
  *r = residual(run, text->tokens);
  for (i64 i = 0; i < text->tokens; i++) embed_given(run, r, text, i);
  through(run, &p->encoder, r, 0);
  answer->strange = strange(run, r);
  for (i64 w = 0; w < r->words && answer->up; w++) {
    answer->up[w] = 0;
    for (i64 i = 0; i < r->rows; i++) answer->up[w] |= r->up[i * r->words + w];
  }
  for (i64 i = 0; i < r->rows && answer->residual; i++)
    for (i64 c = 0; c < p->width; c++) {
      answer->residual[i * p->width + c] = 0;
      if (rests_at(r, i, c)) continue;
      Num each = cell(r, i, c);
      if (p->kind == TELLS_NOTHING && !each.d && each.e != 0) leave(run->arena, ASIDE);
      answer->residual[i * p->width + c] = shown(each, run->arena);
    }
}

static void scored(Writer *w, const Text *text, Answer *answer) {
  Run *run = &w->run;
  const Program *p = run->program;
  Residual *r = &w->text, pooled = residual(run, 1);
  for (i64 i = 0; i < r->rows; i++)
    if (text->inner[i]) keeps_the_answer(run, r, i);
  if (p->kind == TELLS_CLASS) pool(run, r, &pooled);
  Residual *read = p->kind == TELLS_CLASS ? &pooled : r;
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

/* Tells all of an answer, or so much of what is written as there is room for. */
static void answered(Writer *w, const Text *text, Answer *answer) {
  const Program *p = w->run.program;
  Arena *arena = w->run.arena;
  i64 writes = p->kind >= WRITES;
  if ((answer->residual || answer->up) && answer->width != p->width) leave(arena, ASIDE);
  if (p->kind > TELLS_NOTHING && !writes && answer->outputs != p->outputs) leave(arena, ASIDE);
  if (writes != (answer->longest > 0)) leave(arena, ASIDE);
  if (p->kind == REWRITES && (p->longest < 0 || p->longest + 1 > answer->longest)) leave(arena, ASIDE);
  if (p->kind == TELLS_CLASS && answer->rows != 1) leave(arena, ASIDE);
  if (p->kind == TELLS_TOKENS && answer->rows != text->tokens) leave(arena, ASIDE);
  if (writes && (p->encodes ? p->tokens != p->outputs + 1 : !text->tokens)) leave(arena, ASIDE);
  answer->gap = HUGE_VAL, answer->writes = 0, answer->unfinished = -1;
  Residual *memory = p->encodes ? &w->text : NULL;
  if (!w->begun) encode(w, text, answer);
  if (p->kind == WRITES) {
    if (!w->begun) begin(w, memory);
    w->begun = 1;
    go_on(w, text, answer->longest, answer);
  } else if (p->kind == REWRITES) {
    rewrite(&w->run, text, memory, answer);
    w->done = 1;
  } else if (p->kind != TELLS_NOTHING) scored(w, text, answer);
}

static i64 worked(Writer *w, const Text *text, Answer *answer, const Host *host) {
  Arena *arena = w->run.arena;
  w->run.host = host;
  if (host) arena->thread = host->pause();
  int why = setjmp(arena->out);
  if (!why) answered(w, text, answer);
  if (host) host->resume(arena->thread);
  return why;
}

Arena *progtf_room(void) { return calloc(1, sizeof(Arena)); }

void progtf_leave(Arena *arena) {
  if (arena) release(arena);
  free(arena);
}

/* What writes the answer to a text bit by bit; NULL where there is no memory for it. */
Writer *progtf_begin(const Program *p) {
  Writer *w = calloc(1, sizeof(Writer));
  if (w) w->run = (Run){.program = p, .arena = &w->own, .turns = 1};
  return w;
}

/* As much of it as there is room for; the text is the same each time. Answers like `progtf_answer`. */
i64 progtf_write(Writer *w, const Text *text, Answer *answer, const Host *host) {
  if (w->done < 0) return ASIDE;
  i64 why = worked(w, text, answer, host);
  if (why) w->done = -1;
  return why;
}

/* Whether all is written. */
i64 progtf_written(const Writer *w) { return w->done; }

void progtf_end(Writer *w) {
  if (!w) return;
  forget(w->run.trails), release(&w->own), free(w);
}

/* One text: DONE; ASIDE where something else must answer it; STOPPED by the host. */
i64 progtf_answer(const Program *p, Arena *arena, const Text *text, Answer *answer,
                  const Host *host) {
  arena->now = arena->first;
  if (arena->now) arena->now->used = 0;
  Writer *w = calloc(1, sizeof(Writer));
  if (!w) return MEMORY;
  w->run = (Run){.program = p, .arena = arena, .turns = 1};
  i64 why = worked(w, text, answer, host);
  if (!why && p->kind == WRITES && !w->done) why = ASIDE; /* there was too little room */
  lighten(arena);
  forget(w->run.trails), free(w);
  return why;
}

#ifndef SOURCE
#define SOURCE ""
#endif

/* The digest of the source that this was made of. */
const char *progtf_source(void) { return SOURCE; }
