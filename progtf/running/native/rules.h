/* What rules and raw units add to each token by itself. */

#ifndef PROGTF_RULES_H
#define PROGTF_RULES_H

#include "attention.h"

static Num along(const Curve *c, Num x, i64 at, Arena *arena) {
  if (is_zero(c->slope[at])) return c->height[at];
  Num more = times(c->slope[at], plus(x, minus(c->place[at]), arena), arena);
  return plus(c->height[at], more, arena);
}

/* A curve at some number. */
static Num bent(const Curve *c, Num x, Arena *arena) {
  if (compare(x, c->low, arena) < 0 || compare(x, c->high, arena) > 0) leave(arena, ASIDE);
  for (i64 i = 0; i < c->steps; i++)
    if (compare(x, c->under[i], arena) > 0 && compare(x, c->over[i], arena) < 0)
      leave(arena, ASIDE);
  i64 at = 0;
  for (i64 i = 0; i < c->stretches - 1; i++) at += compare(x, c->knot[i], arena) >= 0;
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

static Num curved(Run *run, const Curve *c, const Residual *r, i64 row) {
  if (c->settled && rests(&c->form, r, row)) return c->at_rest;
  i64 x;
  if (c->ends && counts(&c->form, r, row, &x)) return bent_at(c, x, run->arena);
  return bent(c, valued(run, &c->form, r, row), run->arena);
}

static void fire(Run *run, const FeedForward *b, const Rule *rule, const Residual *r, i64 row) {
  if (rule->range >= 0) {
    if (!keeps(run, &b->range[rule->range], r, row)) leave(run->arena, ASIDE);
  } else if (rule->curve < 0) change(run, row, &rule->writes, whole(1));
  else change(run, row, &rule->writes, curved(run, &b->curve[rule->curve], r, row));
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

static void feed(Run *run, const FeedForward *b, Residual *r, i64 row) {
  if (any_odd(b, r, row)) {
    for (i64 i = 0; i < b->rules; i++)
      if (opens_oddly(run, &b->rule[i], r, row)) fire(run, b, &b->rule[i], r, row);
  } else {
    for (i64 i = 0; i < b->always.count; i++) {
      const Rule *rule = &b->rule[b->always.each[i]];
      if (opens(rule, r, row)) fire(run, b, rule, r, row);
    }
    for (i64 g = 0; g < b->guards.count; g++) {
      if (!is_up(r, row, b->guards.each[g])) continue;
      const List *some = &b->guarded[g];
      for (i64 i = 0; i < some->count; i++) {
        const Rule *rule = &b->rule[some->each[i]];
        if (opens(rule, r, row)) fire(run, b, rule, r, row);
      }
    }
  }
  for (i64 i = 0; i < b->units; i++) {
    Num read = valued(run, &b->unit[i], r, row);
    if (compare(read, whole(0), run->arena) > 0) change(run, row, &b->written[i], read);
  }
  if (b->bias.count) change(run, row, &b->bias, whole(1));
  apply(run, r);
}

#endif
