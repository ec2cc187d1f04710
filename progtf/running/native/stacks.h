/* A text on its way through the layers, and through loops. */

#ifndef PROGTF_STACKS_H
#define PROGTF_STACKS_H

#include "recall.h"
#include "rules.h"

/* What some heads of a layer add, each to what stood there before any of them. */
static void heads(Run *run, const Layer *l, i64 from, i64 past, i64 turn, Residual *r,
                  const unsigned char *going, int causal) {
  for (i64 h = from; h < past; h++)
    if (run->past) follow(run, &l->head[h], turn, r);
    else attend(run, &l->head[h], r, going, causal);
  apply(run, r);
}

static void layer(Run *run, const Layer *l, i64 turn, Residual *r, const unsigned char *going,
                  int causal) {
  heads(run, l, 0, l->heads, turn, r, going, causal);
  heads(run, l, l->heads, l->heads + l->crosses, turn, r, going, causal);
  for (i64 row = 0; row < r->rows && l->block; row++)
    if (going[row]) feed(run, l->block, r, row), breathe(run, 100 + l->block->rules);
}

static void layers(Run *run, const Stack *s, i64 from, i64 to, Residual *r,
                   const unsigned char *going, int causal) {
  for (i64 i = from; i < to; i++)
    for (i64 turn = 0; turn < s->layer[i].repeat; turn++)
      layer(run, &s->layer[i], turn, r, going, causal);
}

/* Which tokens hear of a flag: of a decoder those that have it; if one does, all others. */
static void hear(Run *run, Residual *r, i64 column, int due, int causal, unsigned char *going) {
  int any = 0;
  for (i64 row = 0; row < r->rows; row++) {
    if (!is_flag(r, row, column)) leave(run->arena, ASIDE);
    any |= is_up(r, row, column);
  }
  for (i64 row = 0; row < r->rows; row++)
    going[row] &= (causal ? is_up(r, row, column) : any) == due;
}

static void loops(Run *run, const Stack *s, i64 from, i64 to, Residual *r, int causal) {
  const Loop *loop = &s->loop[s->layer[from].loop];
  unsigned char *going = r->going;
  memset(going, 1, r->rows);
  for (i64 i = 0; i < loop->asked.count; i++) hear(run, r, loop->asked.each[i], 1, causal, going);
  for (i64 round = 0; round < loop->most; round++) {
    if (!memchr(going, 1, r->rows)) return;
    for (i64 row = 0; row < r->rows; row++)
      for (i64 i = 0; i < loop->resets.count && going[row]; i++)
        put(run, r, row, loop->resets.each[i], whole(0));
    layers(run, s, from, to, r, going, causal);
    hear(run, r, loop->until, (int)loop->none, causal, going);
  }
  for (i64 row = 0; row < r->rows; row++)
    if (going[row]) put(run, r, row, loop->unfinished, whole(1));
}

static void through(Run *run, const Stack *s, Residual *r, int causal) {
  for (i64 from = 0, to; from < s->layers; from = to) {
    for (to = from + 1; to < s->layers && s->layer[to].loop == s->layer[from].loop; to++) {}
    if (s->layer[from].loop < 0) layers(run, s, from, to, r, r->all, causal);
    else loops(run, s, from, to, r, causal);
  }
}

/* One more token: what it has, and where it stands. */
static void embed(Run *run, Residual *r, i64 count, const i64 *columns, const Num *numbers) {
  const Program *p = run->program;
  i64 row = r->rows++;
  memset(r->n + row * r->width, 0, r->width * sizeof(i64));
  memset(r->d + row * r->width, 0, r->width * sizeof(i32));
  memset(r->up + row * r->words, 0, r->words * sizeof(u64));
  for (i64 i = 0; i < count; i++) {
    if (columns[i] < 0 || columns[i] >= p->width) leave(run->arena, ASIDE);
    put(run, r, row, columns[i], numbers[i]);
  }
  for (i64 t = 0; t < p->tables; t++)
    if (!run->past || p->told[t])
      put(run, r, row, p->semes + t, near_(hand(run, t, r->base + row), 0, run->arena));
}

#endif
