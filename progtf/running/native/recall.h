/* What heads of a decoder remember of all that was written: kinds of keys, and no places.

   Tokens with equal keys score alike for any reader, but for how near they stand. So a head keeps of
   each kind the last token, or the sum of all, and a query is held against each kind once: what it
   found is remembered, and later on held against those kinds alone that came since. */

#ifndef PROGTF_RECALL_H
#define PROGTF_RECALL_H

#include "attention.h"

enum { FEWEST = 4, FEW_ALIKE = 16, MOST_ASKED = 1 << 16 };

typedef struct {
  i64 kind;
  double value, off;
} Candidate;

/* A query, what may answer it, and how many kinds it was held against; -1: too many may. */
typedef struct {
  i64 held, count;
  double top; /* one scores that much at least */
  Candidate some[FEWEST];
} Asked;

/* Rows of numbers that are found by their content. */
typedef struct {
  i64 count, room, slots, *slot;
  double *rows; /* `width` of each, the first of which */
  i64 width, told; /* tell most of them apart */
} Rows;

typedef struct Trail {
  struct Trail *next;
  Rows keys, queries; /* keys: of each feature the number, how far it lies off, and if it does, n and d */
  i64 *members, *latest; /* of each kind how many there are, and where the last one stands */
  Num *fillers;          /* of the last one where a head asks for the nearest, else the sum */
  Asked *asked;
  Num *ring; /* of a head that looks at one place: the fillers of the last tokens */
  double *key, *query;
  Look look; /* of the reader, */
  Num *told, *role;
  int broken; /* whether any breaks a promise */
  Found *found; /* of a head that scans: all keys */
} Trail;

static void *grown(Run *run, void *old, i64 count, size_t size) {
  if (size && (size_t)count > SIZE_MAX / 2 / size) leave(run->arena, MEMORY);
  void *made = realloc(old, (size_t)count * size + 16);
  if (!made) leave(run->arena, MEMORY);
  return made;
}

static u64 digest(const double *row, i64 width) {
  u64 found = 0x9e3779b97f4a7c15;
  for (i64 i = 0; i < width; i++) {
    u64 bits;
    memcpy(&bits, &row[i], 8);
    found = (found ^ bits) * 0xff51afd7ed558ccd;
    found ^= found >> 32;
  }
  return found;
}

/* The slot of a row: where its number stands, or -1 where it may be put. */
static i64 *slot_of(const Rows *rows, const double *row) {
  u64 at = digest(row, rows->told) & (u64)(rows->slots - 1);
  size_t bytes = (size_t)rows->width * sizeof(double);
  while (rows->slot[at] >= 0 && memcmp(rows->rows + rows->slot[at] * rows->width, row, bytes))
    at = (at + 1) & (u64)(rows->slots - 1);
  return &rows->slot[at];
}

/* The number of a row, which is new if it is `count`; NULL rows are made at first. */
static i64 numbered(Run *run, Rows *rows, const double *row, i64 *fresh) {
  if (2 * (rows->count + 1) > rows->slots) {
    rows->slots = rows->slots ? 2 * rows->slots : 64;
    rows->slot = grown(run, rows->slot, rows->slots, sizeof(i64));
    for (i64 i = 0; i < rows->slots; i++) rows->slot[i] = -1;
    for (i64 i = 0; i < rows->count; i++) *slot_of(rows, rows->rows + i * rows->width) = i;
  }
  i64 *slot = slot_of(rows, row);
  *fresh = *slot < 0;
  if (!*fresh) return *slot;
  if (rows->count == rows->room) {
    i64 room = rows->room ? 2 * rows->room : 32;
    rows->rows = grown(run, rows->rows, room * rows->width, sizeof(double));
    rows->room = room;
  }
  memcpy(rows->rows + rows->count * rows->width, row, (size_t)rows->width * sizeof(double));
  return *slot = rows->count++;
}

static Trail *trail(Run *run, const Head *h) {
  Trail *t = calloc(1, sizeof(Trail));
  if (!t) leave(run->arena, MEMORY);
  t->next = run->trails, run->trails = t;
  t->keys.width = 4 * h->features;
  t->keys.told = t->queries.told = t->queries.width = h->features;
  t->key = grown(run, NULL, 4 * h->features, sizeof(double));
  t->query = grown(run, NULL, h->features, sizeof(double));
  t->told = take(run->arena, h->channels, sizeof(Num));
  t->role = take(run->arena, h->channels, sizeof(Num));
  t->look = look_of(run, h, 1);
  i64 back = h->addresses == 1 ? -h->address[0].offset : 0;
  if (h->kept == ONE_PLACE && back >= 0)
    t->ring = grown(run, NULL, (back + 1) * h->channels, sizeof(Num));
  return t;
}

static void forget(Trail *t) {
  for (Trail *next; t; t = next) {
    next = t->next;
    free(t->keys.slot), free(t->keys.rows), free(t->queries.slot), free(t->queries.rows);
    free(t->members), free(t->latest), free(t->fillers), free(t->asked), free(t->ring);
    free(t->key), free(t->query), free(t);
  }
}

/* The key of the token that stands there now, but for how near it is; of ONE_PLACE it is the same
   everywhere. Two of which float64 does not tell whether they are equal are not. */
static void key_of(Run *run, const Head *h, Trail *t, const Residual *here) {
  for (i64 i = 0; i < 4 * h->features; i++) t->key[i] = 0;
  i64 read = gather(run, &h->key, here, 0);
  for (i64 k = 0; k < read; k++) {
    i64 i = run->list[k];
    if (i == h->ramp) continue;
    const Num *each = &run->sums[i];
    double *key = t->key + i, *off = key + h->features;
    *key = as_double(*each, off) + 0.0;
    if (*off == 0) continue;
    memcpy(off + h->features, each->d ? &each->n : &here->base, sizeof(i64));
    memcpy(off + 2 * h->features, &each->d, sizeof(i64));
  }
}

static void filler_into(Run *run, const Head *h, const Residual *here, Num *into, int add) {
  if (!add)
    for (i64 c = 0; c < h->channels; c++) into[c] = whole(0);
  i64 read = gather(run, &h->filler, here, 0);
  for (i64 k = 0; k < read; k++) {
    i64 c = run->list[k];
    into[c] = add ? plus(into[c], run->sums[c], run->arena) : run->sums[c];
  }
}

/* Remembers the token that stands there. */
static void remember(Run *run, const Head *h, Trail *t, const Residual *here) {
  i64 C = h->channels, place = here->base, fresh;
  if (h->kept == ONE_PLACE) {
    if (t->ring) filler_into(run, h, here, t->ring + place % (1 - h->address[0].offset) * C, 0);
    return;
  }
  key_of(run, h, t, here);
  i64 room = t->keys.room, kind = numbered(run, &t->keys, t->key, &fresh);
  if (t->keys.room != room) {
    t->members = grown(run, t->members, t->keys.room, sizeof(i64));
    t->latest = grown(run, t->latest, t->keys.room, sizeof(i64));
    t->fillers = grown(run, t->fillers, t->keys.room * C, sizeof(Num));
  }
  if (fresh) t->members[kind] = 0;
  filler_into(run, h, here, t->fillers + kind * C, !fresh && h->ramp < 0);
  t->members[kind]++, t->latest[kind] = place;
}

/* What a kind scores for a query, but for how near it stands. */
static Candidate held(const Head *h, const Look *look, const double *key, i64 kind) {
  double value = 0, size = 0, spread = 0;
  const double *miss = key + h->features;
  int rough = 0;
  for (i64 j = 0; j < look->lives; j++) {
    i64 i = look->live[j];
    double query = look->query[i], missed = look->missed[i], term = query * key[i];
    value += term, size += (fabs(query) + missed) * (fabs(key[i]) + miss[i]);
    spread += missed * (fabs(key[i]) + miss[i]) + fabs(query) * miss[i];
    rough |= missed != 0 || miss[i] != 0 || query != rint(query) || key[i] != rint(key[i]);
  }
  if (!rough && size < WIDEST) return (Candidate){kind, value, 0};
  double unit = (double)(h->features + 4) * UNIT;
  return (Candidate){kind, value, spread * (1 + 0x1p-40) + unit * size + (size > 0 ? TINY : 0)};
}

/* Holds a query against the kinds that it was not held against yet. Nearness adds less than 1. */
static void search(Run *run, const Head *h, Trail *t, const Look *look, Asked *a) {
  double margin = h->ramp < 0 ? 0 : 1;
  for (; a->held >= 0 && a->held < t->keys.count; a->held++) {
    Candidate each = held(h, look, t->keys.rows + a->held * t->keys.width, a->held);
    if (!(fabs(each.value) < 1e300)) leave(run->arena, ASIDE);
    if (each.value + each.off + margin < a->top) continue;
    a->top = more(a->top, each.value - each.off);
    i64 kept = 0;
    for (i64 i = 0; i < a->count; i++)
      if (a->some[i].value + a->some[i].off + margin >= a->top) a->some[kept++] = a->some[i];
    a->count = kept;
    if (kept == FEWEST) {
      a->held = -1;
      return;
    }
    a->some[a->count++] = each;
  }
}

/* All that may answer a query. */
static i64 candidates(Run *run, const Head *h, Trail *t, const Look *look, const Candidate **found) {
  int sure = 1;
  for (i64 i = 0; i < h->features; i++) t->query[i] = 0;
  for (i64 j = 0; j < look->lives; j++) {
    i64 i = look->live[j];
    t->query[i] = look->query[i] + 0.0, sure &= look->missed[i] == 0;
  }
  double least = h->has_null ? h->level - h->level_off : -HUGE_VAL;
  Asked once = {0, 0, least, {{0, 0, 0}}}, *a = &once;
  if (sure && t->queries.count < MOST_ASKED) {
    i64 room = t->queries.room, fresh, number = numbered(run, &t->queries, t->query, &fresh);
    if (t->queries.room != room)
      t->asked = grown(run, t->asked, t->queries.room, sizeof(Asked));
    a = &t->asked[number];
    if (fresh) *a = once;
  }
  if (a->held >= 0) breathe(run, (t->keys.count - a->held) * (look->lives + 1));
  search(run, h, t, look, a);
  if (a->held >= 0 && a != &once) {
    *found = a->some;
    return a->count;
  }
  /* Many score alike, or the query is not sure: all are looked at. */
  breathe(run, t->keys.count * (look->lives + 1));
  Candidate *each = take(run->arena, t->keys.count, sizeof(Candidate));
  double top = least, margin = h->ramp < 0 ? 0 : 1;
  i64 count = 0;
  for (i64 kind = 0; kind < t->keys.count; kind++) {
    each[kind] = held(h, look, t->keys.rows + kind * t->keys.width, kind);
    if (!(fabs(each[kind].value) < 1e300)) leave(run->arena, ASIDE);
    top = more(top, each[kind].value - each[kind].off);
  }
  for (i64 kind = 0; kind < t->keys.count; kind++)
    if (each[kind].value + each[kind].off + margin >= top) each[count++] = each[kind];
  *found = each;
  return count;
}

/* How near a place is: the slow sine of `nearest`, which grows from place to place. */
static double nearness(const Head *h, i64 place, double *off) {
  *off = 0x1p-49;
  return sin(2 * 3.14159265358979323846 * (double)place / h->period);
}

/* Of what scores alike but for its place the last one, in front; returns how many are left. */
static i64 nearest_alike(const Trail *t, Candidate *some, i64 count) {
  i64 kept = 0;
  for (i64 i = 0; i < count; i++) {
    i64 like = 0;
    while (like < kept && (some[like].value != some[i].value || some[like].off || some[i].off)) like++;
    if (like == kept) some[kept++] = some[i];
    else if (t->latest[some[i].kind] > t->latest[some[like].kind]) some[like] = some[i];
  }
  return kept;
}

/* Reads what the best kinds hold, as `choose` and `retrieve` do place by place. */
static void recalled(Run *run, const Head *h, Trail *t, i64 dst, Look *look, Num *found,
                     const Num *role) {
  const Candidate *given;
  i64 C = h->channels, count = candidates(run, h, t, look, &given), kept = 0, unsure = 0;
  Candidate *some = take(run->arena, count, sizeof(Candidate));
  memcpy(some, given, (size_t)count * sizeof(Candidate));
  if (h->ramp >= 0 && count <= FEW_ALIKE) count = nearest_alike(t, some, count);
  double top = h->has_null ? h->level - h->level_off : -HUGE_VAL, off;
  for (i64 i = 0; i < count; i++) {
    if (h->ramp >= 0) {
      some[i].value += nearness(h, t->latest[some[i].kind], &off);
      some[i].off += off + UNIT * fabs(some[i].value) * 2;
    }
    top = more(top, some[i].value - some[i].off);
  }
  for (i64 i = 0; i < count; i++)
    if (some[i].value + some[i].off >= top) unsure += some[i].off != 0, some[kept++] = some[i];
  count = kept;
  look->rests = h->has_null && h->level + h->level_off >= top;
  int sure = !unsure && !(look->rests && h->level_off > 0);
  if (!sure && count + look->rests > 1) leave(run->arena, ASIDE);
  if (count && asked_members(h, look) > 1) leave(run->arena, ASIDE);
  i64 readers = look->rests, far = 0;
  for (i64 i = 0; i < count; i++) readers += h->ramp < 0 ? t->members[some[i].kind] : 1;
  if (!readers || (look->rests && readers == 1 && !h->fills)) return;
  for (i64 c = 0; c < C; c++) found[c] = look->rests && h->fills ? h->null[c] : whole(0);
  for (i64 i = 0; i < count; i++) {
    const Num *held_ = t->fillers + some[i].kind * C;
    for (i64 c = 0; c < C; c++) found[c] = plus(found[c], held_[c], run->arena);
    far = t->latest[some[i].kind] - dst;
  }
  for (i64 c = 0; c < C && readers > 1; c++)
    if (!is_zero(found[c])) {
      if (!found[c].d) leave(run->arena, ASIDE);
      found[c] = ratio(found[c].n, (wide)found[c].d * readers, run->arena);
    }
  if (h->tabled && count && readers > 1) leave(run->arena, ASIDE); /* one distance is promised */
  tell(run, h, count ? far : 0, (int)count, found);
  for (i64 c = 0; c < C; c++)
    if (!is_zero(found[c])) write_one(run, h, 0, c, found[c], role);
}

/* Reads the one place that an address names, if it scores more than the null key there. */
static void fetched(Run *run, const Head *h, Trail *t, i64 dst, Look *look, Num *found,
                    const Num *role) {
  const Address *address = &h->address[0];
  i64 src = dst + address->offset, C = h->channels;
  int there = src >= 0 && t->ring && allowed(h, address->offset, 1);
  if (look->lives) { /* all keys are alike but for where they stand */
    Candidate each = held(h, look, t->key, 0);
    double off = each.off + address->off[0] + h->level_off + 0x1p-49 * (fabs(each.value) + 1);
    double above = each.value + address->table[0] - h->level;
    if (each.value + each.off > 0 || fabs(above) <= off) leave(run->arena, ASIDE);
    there = there && above > 0;
  }
  if (!there && !h->fills) return;
  memcpy(found, there ? t->ring + src % (1 - address->offset) * C : h->null, (size_t)C * sizeof(Num));
  tell(run, h, address->offset, there, found);
  for (i64 c = 0; c < C; c++)
    if (!is_zero(found[c])) write_one(run, h, 0, c, found[c], role);
}

/* Reads any place of those that are kept, all of which are looked at. */
static void scanned(Run *run, const Head *h, Found *f, const Residual *here, Look *look, Num *found,
                    const Num *role) {
  i64 dst = here->base;
  keeps_theirs(run, h, f, here, dst, 1);
  Reach some = reach(h, dst, f->count, 1);
  ask(h, f, look, some.from);
  score(h, f, dst, some, look, run->arena);
  choose(run, h, f, some, look);
  if (asked_members(h, look) > 1 && look->count) leave(run->arena, ASIDE);
  breathe(run, f->count * (h->features + 1));
  retrieve(run, h, f, here, dst, 0, look, found, role);
}

static int keeps_to_theirs(Run *run, const Head *h, const Residual *here) {
  return are_flags(run, &h->theirs, here, 0) && keep(run, &h->offered, here, 0);
}

static void forget_all(Rows *rows) {
  for (i64 i = 0; i < rows->slots; i++) rows->slot[i] = -1;
  rows->count = 0;
}

/* What one head adds to the token that is being read, behind all that were. */
static void follow(Run *run, const Head *h, i64 turn, const Residual *here) {
  Trail **kept = &run->past[h->number * run->turns + turn], *own = *kept, *t = own;
  if (h->crosses && !run->memory) leave(run->arena, ASIDE);
  if (!t) *kept = t = own = trail(run, h), key_of(run, h, t, here);
  if (h->shares != h->number) t = run->past[h->shares * run->turns];
  if (h->crosses || h->kept == EVERY_PLACE) {
    i64 rows = h->crosses ? run->memory->rows : here->base + 1;
    if (!t->found) t->found = nothing_found(run, h, h->crosses ? rows : 64);
    if (t->found->room < rows) t->found = roomier(run, h, t->found);
  }
  Mark mark = marked(run->arena);
  if (h->crosses) {
    bind(run, h, t->found, here, run->memory, here->all, 1);
    rewound(run->arena, mark);
    return;
  }
  int behind = h->look == BEFORE || h->look == NOTSELF; /* the token itself is not read */
  int keeps = h->look != AFTER && h->shares == h->number && h->kept != EVERY_PLACE;
  if (h->look == SELF) forget_all(&t->keys), forget_all(&t->queries), t->broken = 0;
  if (h->kept == EVERY_PLACE) find(run, h, t->found, here, 1);
  else if (keeps && !behind) t->broken |= !keeps_to_theirs(run, h, here), remember(run, h, t, here);
  if (h->bias.count) change(run, 0, &h->bias, whole(1));
  Num *role = h->bound ? own->role : NULL;
  if (reading(run, h, here, 0, role)) {
    Look *look = &own->look;
    keeps_its_own(run, h, here, 0);
    if (t->broken) leave(run->arena, ASIDE);
    queried(run, h, here, 0, look);
    if (h->kept == EVERY_PLACE) {
      Look every = look_of(run, h, t->found->count);
      queried(run, h, here, 0, &every);
      scanned(run, h, t->found, here, &every, own->told, role);
    } else if (h->kept == ONE_PLACE) fetched(run, h, t, here->base, look, own->told, role);
    else recalled(run, h, t, here->base, look, own->told, role);
  }
  if (keeps && behind) t->broken |= !keeps_to_theirs(run, h, here), remember(run, h, t, here);
  rewound(run->arena, mark);
}

#endif
