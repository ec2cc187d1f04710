/* The residual of a text: its cells, the sums that are read off it, and what is added to it. */

#ifndef PROGTF_RESIDUAL_H
#define PROGTF_RESIDUAL_H

#include "reading.h"

typedef struct {
  i64 count, room, *each;
} Bag;

typedef struct {
  i64 rows, width, words, base; /* base: at which place of the text the first row stands */
  u64 *up;  /* of each row a bit for each column: whether it is not 0 */
  i64 *n;   /* numerators; of what is no fraction the bits of a float64 */
  i32 *d;   /* denominators less 1; -1: no fraction */
  double *e;
  Bag *odd; /* of each row columns of flags that may be neither 0 nor 1 */
  unsigned char *all, *going; /* which rows are computed: every one, and those of a loop */
} Residual;

typedef struct {
  double *keys, *misses; /* of each feature side by side, `room` of them */
  unsigned char *broken; /* whether what stands there breaks a promise of the head, */
  Num *fillers; /* where they are not 0: */
  i64 *lists, *listed; /* at each place the channels of these, and how many */
  char *filled;
  i64 count, room, from, past; /* from, past: between which all are known to be kept */
  double most;
  int exact;
} Found;

typedef struct {
  i64 row, column;
  Num amount;
} Change;

/* Python, in which this runs: gives its lock back, takes it, and hears signals. */
typedef struct {
  void *(*pause)(void);
  void (*resume)(void *thread);
  int (*signals)(void);
  const volatile i32 *stop; /* not 0 if nobody waits any more */
} Host;

typedef struct {
  const Program *program;
  Arena *arena;
  Residual *memory;
  struct Trail **past; /* what heads remember, by head and turn; NULL: all is computed at once */
  struct Trail *trails; /* all of these */
  i64 turns;
  i64 changes;
  const Host *host;
  i64 work;
  Num *sums; /* what was read together, */
  i64 *list, *quick, *places; /* which of it is not 0 */
  unsigned char *state;
} Run;

/* Asks, after much work, whether to go on; signals are the host's, and heard under its lock. */
static inline void breathe(Run *run, i64 work) {
  run->work += work;
  if (run->work < BREATH) return;
  run->work = 0;
  if (!run->host) return;
  if (run->host->stop && *run->host->stop) leave(run->arena, STOPPED);
  run->host->resume(run->arena->thread);
  int raised = run->host->signals();
  run->arena->thread = run->host->pause();
  if (raised) leave(run->arena, STOPPED);
}

/* Room for a text, of which each row is cleared when its token comes. */
static Residual residual(Run *run, i64 room) {
  i64 width = run->program->width;
  Residual found = {.width = width, .words = (width + 63) / 64};
  found.up = cleared(run->arena, room * found.words, sizeof(u64));
  found.n = take(run->arena, room * width, sizeof(i64));
  found.d = take(run->arena, room * width, sizeof(i32));
  found.e = take(run->arena, room * width, sizeof(double));
  found.odd = cleared(run->arena, room, sizeof(Bag));
  found.all = memset(take(run->arena, room, 1), 1, room);
  found.going = take(run->arena, room, 1);
  return found;
}

static inline Num cell(const Residual *r, i64 row, i64 column) {
  i64 at = row * r->width + column;
  if (r->d[at] >= 0) return (Num){r->n[at], (i64)r->d[at] + 1, 0, 0};
  double v;
  memcpy(&v, &r->n[at], 8);
  return (Num){0, 0, v, r->e[at]};
}

static void put_in(Run *run, Bag *bag, i64 column) {
  if (bag->count && bag->each[bag->count - 1] == column) return;
  if (bag->count == bag->room) {
    i64 room = bag->room ? 2 * bag->room : 8, *each = take(run->arena, room, sizeof(i64));
    if (bag->count) memcpy(each, bag->each, bag->count * sizeof(i64));
    bag->each = each, bag->room = room;
  }
  bag->each[bag->count++] = column;
}

static void put(Run *run, Residual *r, i64 row, i64 column, Num a) {
  i64 at = row * r->width + column;
  if (is_zero(a)) a = whole(0);
  if (a.d) r->n[at] = a.n, r->d[at] = (i32)(a.d - 1);
  else memcpy(&r->n[at], &a.v, 8), r->d[at] = -1, r->e[at] = a.e;
  u64 *word = &r->up[row * r->words + column / 64], bit = (u64)1 << column % 64;
  *word = r->n[at] | r->d[at] ? *word | bit : *word & ~bit;
  if (run->program->flags[column] && (a.d != 1 || (a.n != 0 && a.n != 1)))
    put_in(run, &r->odd[row], column);
}

static inline int is_flag(const Residual *r, i64 row, i64 column) {
  i64 at = row * r->width + column;
  return r->d[at] == 0 && (r->n[at] == 0 || r->n[at] == 1);
}

static inline int is_up(const Residual *r, i64 row, i64 column) {
  return r->n[row * r->width + column] == 1 && r->d[row * r->width + column] == 0;
}

/* Whether a sum is of whole numbers alone, and what it comes to then. */
static inline int counts(const Form *f, const Residual *r, i64 row, i64 *found) {
  const i64 *n = r->n + row * r->width;
  const i32 *d = r->d + row * r->width;
  i64 sum = f->bias;
  if (f->given || f->parts != 1) return 0;
  for (i64 i = 0; i < f->entries; i++) {
    i64 column = f->columns[i], term;
    if (d[column]) return 0;
    if (__builtin_mul_overflow(f->factors[i], n[column], &term)) return 0;
    if (__builtin_add_overflow(sum, term, &sum)) return 0;
  }
  *found = sum;
  return sum > -INT64_MAX;
}

/* Whether what stands there is 0. */
static inline int rests_at(const Residual *r, i64 row, i64 column) {
  return !(r->up[row * r->words + column / 64] >> column % 64 & 1);
}

static inline i64 ones(u64 word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  return (i64)(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

/* Which columns of a set are not 0, in order: their places in it. */
static inline i64 present(const Columns *some, const Residual *r, i64 row, i64 *places) {
  const u64 *up = r->up + row * r->words;
  i64 count = 0;
  for (i64 w = 0; w < some->words; w++)
    for (u64 left = up[some->word[w]] & some->mask[w]; left; left &= left - 1)
      places[count++] = some->base[w] + ones(some->mask[w] & ((left & (~left + 1)) - 1));
  return count;
}

/* Whether all that must be flags are. */
static int are_flags(Run *run, const Flags *some, const Residual *r, i64 row) {
  i64 count = some->set.words ? present(&some->set, r, row, run->places) : 0;
  for (i64 k = 0; k < count; k++)
    if (!is_up(r, row, some->each[run->places[k]])) return 0;
  return 1;
}

/* Whether all that a sum reads is 0. */
static inline int rests(const Form *f, const Residual *r, i64 row) {
  const i64 *n = r->n + row * r->width;
  const i32 *d = r->d + row * r->width;
  for (i64 i = 0; i < f->entries; i++)
    if (n[f->columns[i]] | d[f->columns[i]]) return 0;
  return 1;
}

/* A sum of what is no fraction: float64, with a bound (Higham 2002, section 3.1). */
static Num roughly(Run *run, const Form *f, const Residual *r, i64 row) {
  double sum = f->real[f->entries], missed = f->slip[f->entries], size = fabs(sum);
  i64 terms = sum != 0, copies = sum == 0;
  for (i64 i = 0; i < f->entries; i++) {
    double off, x = as_double(cell(r, row, f->columns[i]), &off);
    if (x == 0 && off == 0) continue;
    double factor = f->real[i], slip = f->slip[i], term = factor * x;
    sum += term, size += fabs(term), terms++;
    missed += fabs(factor) * off + fabs(x) * slip + off * slip;
    copies &= fabs(factor) == 1 && slip == 0;
  }
  if (terms == 0) return whole(0);
  if (terms == 1 && copies) return near_(sum, missed, run->arena);
  double e = missed * (1 + 8 * UNIT) + (double)(terms + 4) * UNIT * size + TINY;
  return near_(sum, e, run->arena);
}

static Num valued(Run *run, const Form *f, const Residual *r, i64 row) {
  const i64 *n = r->n + row * r->width;
  const i32 *d = r->d + row * r->width;
  i64 quick;
  if (counts(f, r, row, &quick)) return whole(quick);
  if (!f->given) {
    wide sum = f->bias;
    i64 i = 0;
    for (; i < f->entries && d[f->columns[i]] == 0; i++) sum += (wide)f->factors[i] * n[f->columns[i]];
    if (i == f->entries)
      return f->parts == 1 ? whole(narrow(sum, run->arena)) : ratio(sum, f->parts, run->arena);
  }
  int rough = f->given != NULL;
  for (i64 i = 0; i < f->entries && !rough; i++) rough = d[f->columns[i]] < 0;
  if (rough) return roughly(run, f, r, row);
  Num total = f->given ? f->given[f->entries] : ratio(f->bias, f->parts, run->arena);
  for (i64 i = 0; i < f->entries; i++) {
    Num read = cell(r, row, f->columns[i]);
    if (is_zero(read)) continue;
    Num factor = f->given ? f->given[i] : ratio(f->factors[i], f->parts, run->arena);
    total = plus(total, times(factor, read, run->arena), run->arena);
  }
  return total;
}

/* Reads sums together, into `sums`; returns how many are not untouched and 0, and `list` has them
   in order. */
static i64 gather(Run *run, const Panel *p, const Residual *r, i64 row) {
  enum { NEW, WHOLE, HARD };
  const i64 *n = r->n + row * r->width;
  const i32 *d = r->d + row * r->width;
  i64 *list = run->list, *quick = run->quick, *places = run->places, count = 0;
  unsigned char *state = run->state;
  for (; count < p->biased; count++) {
    i64 i = p->always[count];
    list[count] = i, state[i] = p->hard[i] ? HARD : WHOLE, quick[i] = p->each[i]->bias;
  }
  i64 there = present(&p->columns, r, row, places);
  for (i64 k = 0; k < there; k++) {
    i64 column = p->column[places[k]], value = n[column], whole_ = d[column] == 0, term;
    for (i64 at = p->starts[places[k]]; at < p->starts[places[k] + 1]; at++) {
      i64 i = p->into[at];
      if (state[i] == NEW) {
        i64 to = count++;
        for (; to && list[to - 1] > i; to--) list[to] = list[to - 1];
        list[to] = i, state[i] = p->hard[i] ? HARD : WHOLE, quick[i] = 0;
      }
      if (state[i] == HARD) continue;
      if (!whole_ || __builtin_mul_overflow(p->factors[at], value, &term) ||
          __builtin_add_overflow(quick[i], term, &quick[i]))
        state[i] = HARD;
    }
  }
  for (i64 k = 0; k < count; k++) {
    i64 i = list[k];
    int sure = state[i] == WHOLE && quick[i] > -INT64_MAX;
    state[i] = NEW;
    run->sums[i] = sure ? whole(quick[i]) : valued(run, p->each[i], r, row);
  }
  return count;
}

static void changes(Run *run, i64 row, const Writes *writes, Num amount);

static inline void change(Run *run, i64 row, const Writes *writes, Num amount) {
  if (!is_zero(amount)) changes(run, row, writes, amount);
}

static void changes(Run *run, i64 row, const Writes *writes, Num amount) {
  for (i64 i = 0; i < writes->count; i++) {
    if (run->changes == run->arena->room) {
      i64 room = run->arena->room ? 2 * run->arena->room : 1024;
      void *each = realloc(run->arena->changes, (size_t)room * sizeof(Change));
      if (!each) leave(run->arena, MEMORY);
      run->arena->changes = each, run->arena->room = room;
    }
    Num added = times(writes->each[i].factor, amount, run->arena);
    ((Change *)run->arena->changes)[run->changes++] = (Change){row, writes->each[i].column, added};
  }
}

static void apply(Run *run, Residual *r) {
  for (i64 i = 0; i < run->changes; i++) {
    const Change *each = (const Change *)run->arena->changes + i;
    Num sum = plus(cell(r, each->row, each->column), each->amount, run->arena);
    put(run, r, each->row, each->column, sum);
  }
  run->changes = 0;
}

/* Whether a sum is one of the values that it promised to be. */
static int keeps(Run *run, const Range *range, const Residual *r, i64 row) {
  Num value = valued(run, &range->form, r, row);
  if (compare(value, range->low, run->arena) < 0) return 0;
  if (compare(value, range->high, run->arena) > 0) return 0;
  if (is_zero(range->step)) return 1;
  if (!value.d || !range->low.d || !range->step.d) leave(run->arena, ASIDE);
  Num above = plus(value, minus(range->low), run->arena), step = range->step;
  return (wide)above.n * step.d % ((wide)above.d * step.n) == 0;
}

static int keep(Run *run, const Ranges *ranges, const Residual *r, i64 row) {
  int fine = 1;
  for (i64 i = 0; i < ranges->count && fine; i++) fine = keeps(run, &ranges->each[i], r, row);
  return fine;
}

#endif
