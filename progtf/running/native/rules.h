/* What rules and raw units add to each token by itself. */

#ifndef PROGTF_RULES_H
#define PROGTF_RULES_H

#include "attention.h"

static Num along(const Curve *c, Num x, i64 at, Arena *arena) {
  if (is_zero(c->slope[at])) return c->height[at];
  Num more = times(c->slope[at], plus(x, minus(c->place[at]), arena), arena);
  return plus(c->height[at], more, arena);
}

/* What a curve comes to where it certainly is flat, before its bends or past them; else NULL. */
static inline const Num *flat(const Curve *c, Num x) {
  double off, v = as_double(x, &off), slack = 2 * off + 0x1p-50 * fabs(v);
  if (v - slack > c->quiet_from && v + slack < c->quiet_to) return c->height;
  if (v - slack > c->past_from && v + slack < c->past_to) return c->height + c->stretches - 1;
  return NULL;
}

/* A curve at some number. */
static Num bent(const Curve *c, Num x, Arena *arena) {
  const Bends *b = x.d ? &c->exact : &c->rough;
  const Num *found = flat(c, x);
  if (found) return *found;
  if (compare(x, b->low, arena) < 0 || compare(x, b->high, arena) > 0) leave(arena, ASIDE);
  for (i64 i = 0; i < c->steps; i++)
    if (compare(x, b->under[i], arena) > 0 && compare(x, b->over[i], arena) < 0)
      leave(arena, ASIDE);
  i64 at = 0;
  for (i64 i = 0; i < c->stretches - 1; i++) at += compare(x, b->knot[i], arena) >= 0;
  return along(c, x, at, arena);
}

/* The same at a whole number, of a curve whose bends are whole numbers. */
static Num bent_at(const Curve *c, i64 x, Arena *arena) {
  const i64 *ends = c->ends, *steps = ends + c->stretches + 1;
  if (x < ends[0] || x > ends[1]) leave(arena, ASIDE);
  for (i64 i = 0; i < c->steps; i++)
    if (x > steps[2 * i] && x < steps[2 * i + 1]) leave(arena, ASIDE);
  i64 at = 0;
  for (i64 i = 2; i <= c->stretches; i++) at += x >= ends[i];
  return along(c, whole(x), at, arena);
}

/* What was last read for a curve at a token: comparisons of one number share it. */
typedef struct {
  i64 family;
  Num read;
} Shared;

static Num curved(Run *run, const Curve *c, const Residual *r, i64 row, Shared *shared) {
  if (c->settled && rests(&c->form, r, row)) return c->at_rest;
  if (shared->family != c->family)
    *shared = (Shared){c->family, valued(run, &c->form, r, row)};
  if (c->ends && shared->read.d == 1) return bent_at(c, shared->read.n, run->arena);
  return bent(c, shared->read, run->arena);
}

static void fire(Run *run, const FeedForward *b, const Rule *rule, const Residual *r, i64 row,
                 Shared *shared) {
  if (rule->range >= 0) {
    if (!keeps(run, &b->range[rule->range], r, row)) leave(run->arena, ASIDE);
  } else if (rule->curve < 0) change(run, row, &rule->writes, whole(1));
  else change(run, row, &rule->writes, curved(run, &b->curve[rule->curve], r, row, shared));
}

static int opens(const Rule *rule, const Residual *r, i64 row) {
  for (i64 i = 0; i < rule->positive.count; i++)
    if (!is_up(r, row, rule->positive.each[i])) return 0;
  for (i64 i = 0; i < rule->negative.count; i++)
    if (is_up(r, row, rule->negative.each[i])) return 0;
  return 1;
}

/* The same where some cell is no flag: that counts unless another flag closes the gate. */
static int opens_oddly(Run *run, const Rule *rule, const Residual *r, i64 row) {
  int odd = 0, closed = 0;
  double violations = (double)rule->positive.count;
  for (int side = 0; side < 2; side++) {
    List some = side ? rule->negative : rule->positive;
    for (i64 i = 0; i < some.count; i++) {
      double off, value = as_double(cell(r, row, some.each[i]), &off);
      if (off != 0) leave(run->arena, ASIDE);
      violations += side ? value : -value;
      if (value != 0 && value != 1) odd = 1;
      else if (value != side) continue;
      else closed = 1;
    }
  }
  if (!odd) return !closed;
  if (!closed || violations < 1.0) leave(run->arena, ASIDE);
  return 0;
}

static int any_odd(const FeedForward *b, Residual *r, i64 row) {
  Bag *bag = &r->odd[row];
  i64 kept = 0;
  int found = 0;
  for (i64 i = 0; i < bag->count; i++) {
    if (is_flag(r, row, bag->each[i])) continue;
    found |= b->read[bag->each[i]];
    bag->each[kept++] = bag->each[i];
  }
  bag->count = kept;
  return found;
}

/* The rules that may write something: which sleep, and those that were woken and none guards. */
typedef struct {
  unsigned char *sleeps;
  const unsigned char *free, *sleep;
  i64 count, *woken;
} Awake;

static void wake(Awake *awake, i64 rule) {
  awake->sleeps[rule] = 0;
  if (!awake->free[rule] || !awake->sleep[rule]) return;
  i64 to = awake->count++;
  for (; to && awake->woken[to - 1] > rule; to--) awake->woken[to] = awake->woken[to - 1];
  awake->woken[to] = rule;
}

/* Wakes those rules of a bundle of which the curve may be something but 0: the sums as float64, with
   bounds as in `roughly`. */
static void quiet(Run *run, const Bundle *b, const Residual *r, i64 row, Awake *awake) {
  i64 count = b->count, up = !b->rests;
  for (i64 k = 0; k < b->reads && !up; k++) up = !rests_at(r, row, b->columns[k]);
  if (!up) return;
  double *restrict sum = take(run->arena, count, sizeof(double));
  double *restrict miss = take(run->arena, count, sizeof(double));
  double unit = (double)(b->reads + 8) * UNIT;
  for (i64 k = b->reads; k >= 0; k--) {
    const double *restrict factor = b->factor + k * count, *restrict slip = b->slip + k * count;
    double off = 0, x = 1;
    if (k < b->reads) {
      if (rests_at(r, row, b->columns[k])) continue;
      x = as_double(cell(r, row, b->columns[k]), &off);
    }
    double wide_ = fabs(x) + off, part = off + unit * wide_;
    if (k == b->reads)
      for (i64 m = 0; m < count; m++) sum[m] = factor[m], miss[m] = fabs(factor[m]) * unit + slip[m];
    else
      for (i64 m = 0; m < count; m++)
        sum[m] += factor[m] * x, miss[m] += fabs(factor[m]) * part + slip[m] * wide_;
  }
  for (i64 m = 0; m < count; m++) {
    double e = 2 * (miss[m] * (1 + 0x1p-40) + TINY), low = sum[m] - e, high = sum[m] + e;
    const double *zone = b->zones + 4 * m;
    int past = (low > zone[0]) & (high < zone[1]), over = (low > zone[2]) & (high < zone[3]);
    if (!(past | over)) wake(awake, b->rules[m]);
    else awake->sleeps[b->rules[m]] = 1;
  }
}

/* Which rules write nothing at a token, because nothing that they read is there. */
static void sleeping(Run *run, const FeedForward *b, const Residual *r, i64 row, Awake *awake) {
  memcpy(awake->sleeps, b->sleeps, (size_t)b->rules);
  i64 there = gather(run, &b->sums, r, row);
  for (i64 k = 0; k < there; k++) {
    i64 rule = b->summed[run->list[k]];
    const Num *found = flat(&b->curve[b->rule[rule].curve], run->sums[run->list[k]]);
    if (!found || !is_zero(*found)) wake(awake, rule);
  }
  for (i64 i = 0; i < b->bundles; i++) quiet(run, &b->bundle[i], r, row, awake);
}

static void feed(Run *run, const FeedForward *b, Residual *r, i64 row) {
  Mark mark = marked(run->arena);
  Shared shared = {-1, whole(0)};
  Awake awake = {take(run->arena, b->rules, 1), b->free, b->sleeps, 0,
                 take(run->arena, b->rules, sizeof(i64))};
  const unsigned char *sleeps = awake.sleeps;
  sleeping(run, b, r, row, &awake);
  if (any_odd(b, r, row)) {
    for (i64 i = 0; i < b->rules; i++)
      if (opens_oddly(run, &b->rule[i], r, row)) fire(run, b, &b->rule[i], r, row, &shared);
  } else {
    i64 woken = 0, always = 0;
    while (woken < awake.count || always < b->always.count) { /* in their order */
      int next = woken < awake.count &&
                 (always == b->always.count || awake.woken[woken] < b->always.each[always]);
      i64 i = next ? awake.woken[woken++] : b->always.each[always++];
      if (!sleeps[i] && opens(&b->rule[i], r, row)) fire(run, b, &b->rule[i], r, row, &shared);
    }
    i64 there = present(&b->guards, r, row, run->places); /* all read here are flags */
    for (i64 g = 0; g < there; g++) {
      const List *some = &b->guarded[run->places[g]];
      for (i64 i = 0; i < some->count; i++) {
        const Rule *rule = &b->rule[some->each[i]];
        if (!sleeps[some->each[i]] && opens(rule, r, row)) fire(run, b, rule, r, row, &shared);
      }
    }
  }
  for (i64 i = 0; i < b->units; i++) {
    Num read = valued(run, &b->unit[i], r, row);
    if (compare(read, whole(0), run->arena) > 0) change(run, row, &b->written[i], read);
  }
  if (b->bias.count) change(run, row, &b->bias, whole(1));
  rewound(run->arena, mark);
  apply(run, r);
}

#endif
