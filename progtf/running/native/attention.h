/* What heads add: hard attention (Eq. 3 to 6). A reader reads the keys with the highest score. */

#ifndef PROGTF_ATTENTION_H
#define PROGTF_ATTENTION_H

#include "residual.h"

static int allowed(const Head *h, i64 far, int causal) {
  if (h->crosses) return 1;
  if (causal && far > 0) return 0;
  switch (h->look) {
    case BEFORE: return far < 0;
    case UPTO: return far <= 0;
    case AFTER: return far > 0;
    case SELF: return far == 0;
    case NOTSELF: return far != 0;
    default: return 1;
  }
}

typedef struct {
  i64 from, past;
} Reach;

/* Between which places all lies that a reader may read. */
static Reach reach(const Head *h, i64 dst, i64 count, int causal) {
  Reach found = {0, count};
  if (h->crosses) return found;
  if (h->look == AFTER) found.from = dst + 1;
  if (h->look == SELF) found.from = dst;
  if (h->look == BEFORE && found.past > dst) found.past = dst;
  int upto = causal || h->look == UPTO || h->look == SELF;
  if (upto && found.past > dst + 1) found.past = dst + 1;
  if (found.from > found.past) found.from = found.past;
  return found;
}

/* Room for what a head finds. */
static Found *nothing_found(Run *run, const Head *h, i64 room) {
  Found *f = cleared(run->arena, 1, sizeof(Found));
  f->room = room, f->exact = 1;
  f->keys = cleared(run->arena, room * h->features, sizeof(double));
  f->misses = cleared(run->arena, room * h->features, sizeof(double));
  f->broken = take(run->arena, room, 1);
  f->fillers = take(run->arena, room * h->channels, sizeof(Num));
  f->lists = take(run->arena, room * h->channels, sizeof(i64));
  f->listed = take(run->arena, room, sizeof(i64));
  f->filled = cleared(run->arena, room, 1);
  return f;
}

/* The same with more room. */
static Found *roomier(Run *run, const Head *h, const Found *old) {
  Found *f = nothing_found(run, h, 2 * old->room);
  i64 count = f->count = old->count, C = h->channels;
  f->most = old->most, f->exact = old->exact, f->from = old->from, f->past = old->past;
  for (i64 i = 0; i < h->features; i++) {
    memcpy(f->keys + i * f->room, old->keys + i * old->room, (size_t)count * sizeof(double));
    memcpy(f->misses + i * f->room, old->misses + i * old->room, (size_t)count * sizeof(double));
  }
  memcpy(f->broken, old->broken, (size_t)count), memcpy(f->filled, old->filled, (size_t)count);
  memcpy(f->fillers, old->fillers, (size_t)(count * C) * sizeof(Num));
  memcpy(f->lists, old->lists, (size_t)(count * C) * sizeof(i64));
  memcpy(f->listed, old->listed, (size_t)count * sizeof(i64));
  return f;
}

/* What some place gives: the channels in which that is not 0, and what it is there. */
static const Num *filler(Run *run, const Head *h, Found *f, const Residual *there, i64 src) {
  Num *found = f->fillers + src * h->channels;
  if (f->filled[src]) return found;
  i64 *list = f->lists + src * h->channels, count = 0;
  i64 read = gather(run, &h->filler, there, src - there->base);
  for (i64 i = 0; i < read; i++) {
    i64 c = run->list[i];
    if (!is_zero(run->sums[c])) found[c] = run->sums[c], list[count++] = c;
  }
  f->listed[src] = count, f->filled[src] = 1;
  return found;
}

/* Notes the keys of what stands there from where it has come to on. */
static void find(Run *run, const Head *h, Found *f, const Residual *there, int fill) {
  for (i64 src = f->count; src < there->base + there->rows; src++) {
    i64 row = src - there->base, read = gather(run, &h->key, there, row);
    for (i64 k = 0; k < read; k++) {
      i64 i = run->list[k];
      double off, key = as_double(run->sums[i], &off);
      f->keys[i * f->room + src] = key, f->misses[i * f->room + src] = off;
      f->most = more(f->most, fabs(key));
      if (off != 0 || !(fabs(key) < WIDEST) || key != (double)(i64)key) f->exact = 0;
    }
    int fine = are_flags(run, &h->theirs, there, row);
    if (fill) {
      fine = fine && keep(run, &h->offered, there, row);
      filler(run, h, f, there, src);
    }
    f->broken[src] = !fine;
  }
  f->count = there->base + there->rows;
}

typedef struct {
  double *value, *off, *size, *query, *missed;
  i64 *chosen, count, *live, lives; /* live: the features of which the query is not 0, */
  i64 *live_before, lives_before;   /* and of the query before, and what that was there, */
  double *before;                   /* unless that was not sure */
  int rests, whole;                 /* whole: so are query and keys, and what they can come to */
  Reach seen;                       /* among what was chosen; none of it scores more than */
  double top, most;                 /* top at least, and than most at most */
} Look;

/* A query is asked of nothing yet. */
static void ask(const Head *h, const Found *f, Look *look, i64 from) {
  double most = 0;
  int sure = 1;
  look->count = 0, look->whole = f->exact;
  for (i64 j = 0; j < look->lives; j++) {
    i64 i = look->live[j];
    most = more(most, fabs(look->query[i]));
    sure &= look->missed[i] == 0;
    look->whole &= look->missed[i] == 0 && look->query[i] == rint(look->query[i]);
    look->live_before[j] = i, look->before[j] = look->query[i];
  }
  look->lives_before = sure ? look->lives : -1;
  look->whole &= (double)h->features * most * f->most < WIDEST;
  look->seen = (Reach){from, from};
  look->top = look->most = -HUGE_VAL;
  if (h->has_null) look->top = h->level - h->level_off;
}

/* The scores of some keys for one reader, -infinity of what it may not read: a feature after the
   other, and then what they lie off at most. */
static void score(const Head *h, const Found *f, i64 dst, Reach some, Look *look, Arena *arena) {
  double *value = look->value, *off = look->off, most = 0;
  for (i64 src = some.from; src < some.past; src++) value[src] = off[src] = 0;
  for (i64 j = 0; j < look->lives; j++) {
    const double *key = f->keys + look->live[j] * f->room, query = look->query[look->live[j]];
    for (i64 src = some.from; src < some.past; src++) value[src] += query * key[src];
  }
  if (!look->whole) {
    double *size = look->size, *spread = off;
    for (i64 src = some.from; src < some.past; src++) size[src] = 0;
    for (i64 j = 0; j < look->lives; j++) {
      const double *keys = f->keys + look->live[j] * f->room;
      const double *misses = f->misses + look->live[j] * f->room;
      double query = fabs(look->query[look->live[j]]), missed = look->missed[look->live[j]];
      for (i64 src = some.from; src < some.past; src++) {
        double key = fabs(keys[src]), miss = misses[src];
        size[src] += (query + missed) * (key + miss);
        spread[src] += missed * (key + miss) + query * miss;
      }
    }
    double unit = (double)(h->features + 4) * UNIT;
    for (i64 src = some.from; src < some.past; src++)
      off[src] = spread[src] * (1 + 0x1p-40) + unit * size[src] + (size[src] > 0 ? TINY : 0);
  }
  for (i64 a = 0; a < h->addresses; a++) {
    const Address *address = &h->address[a];
    for (i64 src = some.from; src < some.past; src++) {
      i64 away = src - dst - address->offset;
      if (away < 0) away = -away;
      if (away >= address->size) leave(arena, ASIDE);
      value[src] += address->table[away];
      off[src] += address->off[away] + UNIT * fabs(value[src]) * 2;
    }
  }
  for (i64 src = some.from; src < some.past; src++) most = more(most, fabs(value[src]));
  if (!(most < 1e300)) leave(arena, ASIDE);
  if (h->look == NOTSELF && !h->crosses && dst >= some.from && dst < some.past)
    value[dst] = -HUGE_VAL, off[dst] = 0;
}

static int same_keys(const Head *h, const Found *f, i64 one, i64 other) {
  for (i64 i = 0; i < h->features; i++)
    if (f->keys[i * f->room + one] != f->keys[i * f->room + other]) return 0;
  return 1;
}

/* Which keys have the best score, some of them having been seen; several that may be the best must
   be equal. */
static void choose(Run *run, const Head *h, const Found *f, Reach some, Look *look) {
  for (i64 src = some.from; src < some.past; src++) {
    double least = look->value[src] - look->off[src], most = look->value[src] + look->off[src];
    if (!(most >= look->top) || most == -HUGE_VAL) continue;
    if (least > look->most) look->count = 0; /* more than all before */
    look->top = more(look->top, least), look->most = more(look->most, most);
    look->chosen[look->count++] = src;
  }
  i64 count = 0, unsure = 0;
  for (i64 i = 0; i < look->count; i++) {
    i64 src = look->chosen[i];
    if (look->value[src] + look->off[src] < look->top) continue;
    look->chosen[count++] = src, unsure += look->off[src] != 0;
  }
  look->count = count;
  double level = h->has_null ? h->level : -HUGE_VAL, off = h->has_null ? h->level_off : 0;
  look->rests = h->has_null && level + off >= look->top;
  int sure = !unsure && !(look->rests && off > 0);
  if (sure || look->count + look->rests <= 1) return;
  if (look->rests || h->addresses) leave(run->arena, ASIDE);
  for (i64 i = 0; i < look->count * h->features; i++)
    if (f->misses[i % h->features * f->room + look->chosen[i / h->features]] != 0)
      leave(run->arena, ASIDE);
  for (i64 i = 1; i < look->count; i++)
    if (!same_keys(h, f, look->chosen[0], look->chosen[i])) leave(run->arena, ASIDE);
}

static void write_one(Run *run, const Head *h, i64 row, i64 channel, Num found, const Num *role) {
  Num bound = role ? times(found, role[channel], run->arena) : found;
  change(run, row, &h->channel[channel].writes, bound);
}

/* What a hand is at some place, or so far away. */
static double hand(Run *run, i64 table, i64 place) {
  const Program *p = run->program;
  if (p->turn[table]) place %= p->turn[table];
  if (place >= p->table_size) leave(run->arena, ASIDE);
  return p->table[table * p->table_size + place];
}

/* How far away a head reads, as hands; 0 where it reads nothing. */
static void tell(Run *run, const Head *h, i64 far, int reads, Num *found) {
  for (i64 c = 0; c < h->channels && h->tabled; c++) {
    const Channel *each = &h->channel[c];
    if (each->table < 0) continue;
    found[c] = whole(0);
    if (!reads) continue;
    double told = hand(run, each->table, far < 0 ? -far : far) * each->sign;
    found[c] = near_(each->turns ? told * ((far > 0) - (far < 0)) : told, 0, run->arena);
  }
}

/* Writes what is read, the mean of what is chosen, times the role if there is one (Eq. 4 to 6). */
static void retrieve(Run *run, const Head *h, Found *f, const Residual *there, i64 dst, i64 row,
                     Look *look, Num *found, const Num *role) {
  i64 count = look->count + look->rests;
  if (!h->tabled && count <= 1 && !(look->rests && h->fills)) {
    if (!look->count) return;
    i64 src = look->chosen[0];
    const Num *given = filler(run, h, f, there, src);
    const i64 *list = f->lists + src * h->channels;
    for (i64 i = 0; i < f->listed[src]; i++) write_one(run, h, row, list[i], given[list[i]], role);
    return;
  }
  for (i64 c = 0; c < h->channels; c++) found[c] = whole(0);
  for (i64 i = 0; i < look->count; i++) {
    i64 src = look->chosen[i];
    const Num *given = filler(run, h, f, there, src);
    const i64 *list = f->lists + src * h->channels;
    for (i64 j = 0; j < f->listed[src]; j++)
      found[list[j]] = plus(found[list[j]], given[list[j]], run->arena);
  }
  if (look->rests && h->fills)
    for (i64 c = 0; c < h->channels; c++) found[c] = plus(found[c], h->null[c], run->arena);
  if (count > 1)
    for (i64 c = 0; c < h->channels; c++)
      if (!is_zero(found[c])) {
        if (!found[c].d) leave(run->arena, ASIDE);
        found[c] = ratio(found[c].n, (wide)found[c].d * count, run->arena);
      }
  if (h->tabled && look->count && count > 1) leave(run->arena, ASIDE); /* one distance is promised */
  tell(run, h, look->count ? look->chosen[0] - dst : 0, look->count > 0, found);
  for (i64 c = 0; c < h->channels; c++)
    if (!is_zero(found[c])) write_one(run, h, row, c, found[c], role);
}

static void keeps_its_own(Run *run, const Head *h, const Residual *here, i64 dst) {
  if (!are_flags(run, &h->mine, here, dst)) leave(run->arena, ASIDE);
  if (!keep(run, &h->asked, here, dst)) leave(run->arena, ASIDE);
}

/* Promises of what a reader may read. */
static void keeps_theirs(Run *run, const Head *h, Found *f, const Residual *there, i64 dst,
                         int causal) {
  Reach some = reach(h, dst, f->count, causal);
  if (some.from >= f->from && some.past <= f->past) return;
  for (i64 src = some.from; src < some.past; src++) {
    if ((src >= f->from && src < f->past) || !allowed(h, src - dst, causal)) continue;
    if (f->broken[src]) leave(run->arena, ASIDE);
    if (!f->filled[src] && !keep(run, &h->offered, there, src)) leave(run->arena, ASIDE);
  }
  if (h->look == NOTSELF && !h->crosses) return;
  if (f->from == f->past) f->from = some.from, f->past = some.past;
  else if (some.from <= f->past && some.past >= f->from) { /* no gap lies between them */
    if (some.from < f->from) f->from = some.from;
    if (some.past > f->past) f->past = some.past;
  }
}

static void queried(Run *run, const Head *h, const Residual *here, i64 dst, Look *look) {
  for (i64 j = 0; j < look->lives; j++) look->query[look->live[j]] = look->missed[look->live[j]] = 0;
  i64 read = gather(run, &h->query, here, dst);
  look->lives = 0;
  for (i64 k = 0; k < read; k++) {
    i64 i = run->list[k];
    look->query[i] = as_double(run->sums[i], &look->missed[i]);
    if (look->query[i] != 0 || look->missed[i] != 0) look->live[look->lives++] = i;
  }
}

/* Whether the query is that before. */
static int asked_again(const Look *look) {
  if (look->lives != look->lives_before) return 0;
  for (i64 j = 0; j < look->lives; j++) {
    i64 i = look->live[j];
    if (i != look->live_before[j] || look->query[i] != look->before[j] || look->missed[i] != 0) return 0;
  }
  return 1;
}

static Look look_of(Run *run, const Head *h, i64 sources) {
  Look look;
  look.value = take(run->arena, sources, sizeof(double));
  look.off = take(run->arena, sources, sizeof(double));
  look.chosen = take(run->arena, sources, sizeof(i64));
  look.query = cleared(run->arena, h->features, sizeof(double));
  look.missed = cleared(run->arena, h->features, sizeof(double));
  look.live = take(run->arena, h->features, sizeof(i64));
  look.live_before = take(run->arena, h->features, sizeof(i64));
  look.before = take(run->arena, h->features, sizeof(double));
  look.lives_before = -1;
  look.size = take(run->arena, sources, sizeof(double));
  look.count = look.lives = 0, look.rests = look.whole = 0;
  look.seen = (Reach){0, 0}, look.top = look.most = -HUGE_VAL;
  return look;
}

/* How many members of what it matches a reader may have; one is promised where it finds something. */
static i64 asked_members(const Head *h, const Look *look) {
  i64 members = 0;
  for (i64 i = 0; i < h->members.count; i++) {
    i64 each = h->members.each[i];
    members += look->query[each] != 0 || look->missed[each] != 0;
  }
  return members;
}

/* What each token divides among those that read it: `normalize: queries`. */
static void divide(Run *run, const Head *h, Found *f, const Residual *here, const Residual *there,
                   const unsigned char *going, int causal, const Num *roles) {
  i64 rows = here->rows, sources = f->count;
  double *value = take(run->arena, rows * sources, sizeof(double));
  double *off = take(run->arena, rows * sources, sizeof(double));
  Num *sum = take(run->arena, rows * h->channels, sizeof(Num));
  for (i64 i = 0; i < rows * h->channels; i++) sum[i] = whole(0);
  Look look = look_of(run, h, sources);
  unsigned char *several = cleared(run->arena, rows, 1);
  for (i64 dst = 0; dst < rows; dst++) {
    breathe(run, sources * (h->features + 1));
    queried(run, h, here, dst, &look);
    several[dst] = asked_members(h, &look) > 1;
    Reach some = reach(h, dst, sources, causal);
    ask(h, f, &look, some.from);
    score(h, f, dst, some, &look, run->arena);
    for (i64 src = 0; src < sources; src++) {
      int scored = src >= some.from && src < some.past;
      value[dst * sources + src] = scored ? look.value[src] : -HUGE_VAL;
      off[dst * sources + src] = scored ? look.off[src] : 0;
    }
  }
  i64 *chosen = take(run->arena, rows, sizeof(i64));
  for (i64 src = 0; src < sources; src++) {
    double top = -HUGE_VAL;
    for (i64 dst = 0; dst < rows; dst++)
      top = more(top, value[dst * sources + src] - off[dst * sources + src]);
    if (top == -HUGE_VAL) continue;
    i64 count = 0;
    int sure = 1;
    for (i64 dst = 0; dst < rows; dst++)
      if (value[dst * sources + src] + off[dst * sources + src] >= top)
        chosen[count++] = dst, sure &= off[dst * sources + src] == 0;
    if (count > 1 && !sure) leave(run->arena, ASIDE);
    for (i64 i = 0; i < count; i++)
      if (several[chosen[i]]) leave(run->arena, ASIDE);
    if (h->tabled) leave(run->arena, ASIDE); /* how far away each stands */
    const Num *given = filler(run, h, f, there, src);
    for (i64 j = 0; j < f->listed[src]; j++) {
      i64 c = f->lists[src * h->channels + j];
      if (!given[c].d && count > 1) leave(run->arena, ASIDE);
      Num share = count > 1 ? ratio(given[c].n, (wide)given[c].d * count, run->arena) : given[c];
      for (i64 i = 0; i < count; i++) {
        Num *into = &sum[chosen[i] * h->channels + c];
        *into = plus(*into, share, run->arena);
      }
    }
  }
  for (i64 dst = 0; dst < rows; dst++)
    for (i64 c = 0; c < h->channels && going[dst]; c++)
      write_one(run, h, dst, c, sum[dst * h->channels + c], roles ? roles + dst * h->channels : NULL);
}

/* Whether a reader reads: it has the flags that are asked for, and a role that is not 0. */
static int reading(Run *run, const Head *h, const Residual *here, i64 row, Num *role) {
  for (i64 i = 0; i < h->required.count && !h->divides; i++)
    if (rests_at(here, row, h->required.each[i])) return 0;
  if (!h->bound) return 1;
  int counts = 0;
  i64 read = gather(run, &h->role, here, row);
  for (i64 c = 0; c < h->channels && (read || h->divides); c++) role[c] = whole(0);
  for (i64 k = 0; k < read; k++) {
    role[run->list[k]] = run->sums[run->list[k]];
    counts |= !is_zero(role[run->list[k]]);
  }
  return counts;
}

/* Whether only the place that an address names is read: no feature of the query tells of keys. */
static int points(const Head *h, const Look *look) {
  return h->addresses == 1 && h->address[0].sharp && !h->divides && !look->lives;
}

/* What the readers of a head add: filler times role (Eq. 3 to 6); f: what it has found, if that stays. */
static void bind(Run *run, const Head *h, Found *f, const Residual *here, const Residual *there,
                 const unsigned char *going, int causal) {
  i64 rows = here->rows, C = h->channels, readers = 0;
  Num *role = h->bound ? take(run->arena, rows * C, sizeof(Num)) : NULL;
  unsigned char *reads = cleared(run->arena, rows, 1), *matters = cleared(run->arena, rows, 1);
  for (i64 row = 0; row < rows; row++) {
    if (!going[row]) continue;
    if (h->bias.count) change(run, row, &h->bias, whole(1));
    matters[row] = (unsigned char)reading(run, h, here, row, role ? role + row * C : NULL);
    readers += reads[row] = (unsigned char)(matters[row] || h->divides);
  }
  if (!readers) return;
  if (!f) f = nothing_found(run, h, there->rows);
  find(run, h, f, there, 0);
  int promised = h->theirs.set.words || h->offered.count;
  for (i64 row = 0; row < rows; row++)
    if (reads[row] && matters[row]) {
      keeps_its_own(run, h, here, row);
      if (promised) keeps_theirs(run, h, f, there, row + here->base, causal);
    }
  if (h->divides) {
    divide(run, h, f, here, there, going, causal, role);
    return;
  }
  Look look = look_of(run, h, f->count);
  Num *found = take(run->arena, C, sizeof(Num));
  int alike = !h->addresses && h->look != NOTSELF; /* one query scores alike anywhere */
  int down = alike && h->look == AFTER && !h->crosses; /* what may be read grows from its end */
  for (i64 each = 0; each < rows; each++) {
    i64 row = down ? rows - 1 - each : each, dst = row + here->base;
    if (!reads[row]) continue;
    queried(run, h, here, row, &look);
    if (points(h, &look)) {
      i64 src = dst + h->address[0].offset;
      int there_ = src >= 0 && src < f->count && allowed(h, src - dst, causal);
      look.count = there_, look.rests = !there_, look.chosen[0] = src;
    } else {
      Reach some = reach(h, dst, f->count, causal);
      int grown = down ? some.past == look.seen.past && some.from <= look.seen.from
                       : some.from == look.seen.from && some.past >= look.seen.past;
      if (!alike || !grown || !asked_again(&look)) ask(h, f, &look, down ? some.past : some.from);
      Reach left = {down ? some.from : look.seen.past, down ? look.seen.from : some.past};
      score(h, f, dst, left, &look, run->arena);
      choose(run, h, f, left, &look);
      look.seen = some;
      if (asked_members(h, &look) > 1 && look.count && matters[row]) leave(run->arena, ASIDE);
    }
    breathe(run, f->count * (h->features + 1));
    retrieve(run, h, f, there, dst, row, &look, found, role ? role + row * C : NULL);
  }
}

/* What one head adds, noted as changes. */
static void attend(Run *run, const Head *h, const Residual *here, const unsigned char *going,
                   int causal) {
  const Residual *there = h->crosses ? run->memory : here;
  if (!there) leave(run->arena, ASIDE);
  Mark mark = marked(run->arena);
  bind(run, h, NULL, here, there, going, causal);
  rewound(run->arena, mark);
}

#endif
