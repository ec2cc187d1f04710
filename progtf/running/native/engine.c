/* What a program answers, computed exactly: the arrays of progtf/running as one plain loop.

   A number is a whole number or a fraction of 64 bits, or, where hands of clocks come in, a float64
   with a bound. Whatever is left undecided, is too large, or breaks a promise of the program ends
   the run with ASIDE: then the arrays of numpy go through the text again, find words for it, and
   compute in fractions where that is needed. So nothing here rounds a decision. */

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t i64;
typedef int32_t i32;
typedef __int128 wide;

enum { DONE = 0, ASIDE = 1, MEMORY = 2 };
#define UNIT 0x1p-53
#define TINY 1e-300
#define WIDEST 0x1p53
#define MOST_PARTS (1 << 30)
#define MOST_ROUNDS (1 << 24)

/* ---------------------------------------------------------------- memory of one run */

typedef struct Block {
  struct Block *next;
  size_t size, used;
} Block;

typedef struct {
  Block *first, *now;
  jmp_buf out;
} Arena;

static _Noreturn void leave(Arena *arena, int why) { longjmp(arena->out, why); }

static void *take(Arena *arena, size_t count, size_t size) {
  if (count && size > SIZE_MAX / 2 / count) leave(arena, MEMORY);
  size_t bytes = (count * size + 15) & ~(size_t)15;
  if (!bytes) bytes = 16;
  while (arena->now && arena->now->used + bytes > arena->now->size) {
    arena->now = arena->now->next;
    if (arena->now) arena->now->used = 0;
  }
  if (!arena->now) {
    size_t room = bytes > (1 << 20) ? bytes : (1 << 20);
    Block *made = malloc(sizeof(Block) + 16 + room);
    if (!made) leave(arena, MEMORY);
    made->next = NULL, made->size = room, made->used = 0;
    Block **end = &arena->first;
    while (*end) end = &(*end)->next;
    *end = made, arena->now = made;
  }
  char *base = (char *)(((uintptr_t)(arena->now + 1) + 15) & ~(uintptr_t)15);
  void *found = base + arena->now->used;
  arena->now->used += bytes;
  return found;
}

static void *cleared(Arena *arena, size_t count, size_t size) {
  return memset(take(arena, count, size), 0, count * size);
}

static void release(Arena *arena) {
  for (Block *each = arena->first, *next; each; each = next) next = each->next, free(each);
  arena->first = arena->now = NULL;
}

/* ---------------------------------------------------------------- numbers */

/* Where d > 0 the number is n / d, in lowest terms; where d is 0 it lies within e of v. */
typedef struct {
  i64 n, d;
  double v, e;
} Num;

static inline Num whole(i64 n) { return (Num){n, 1, 0, 0}; }

static Num near_(double v, double e, Arena *arena) {
  if (!(fabs(v) < 1e300) || !(e < 1e300)) leave(arena, ASIDE);
  if (e == 0 && fabs(v) < WIDEST && v == rint(v)) return whole((i64)v);
  return (Num){0, 0, v, e};
}

static inline int is_zero(Num a) { return a.d ? a.n == 0 : (a.v == 0 && a.e == 0); }

static i64 narrow(wide a, Arena *arena) {
  if (a > INT64_MAX || a < -INT64_MAX) leave(arena, ASIDE);
  return (i64)a;
}

static wide magnitude(wide a) { return a < 0 ? -a : a; }

static wide divisor(wide a, wide b) {
  a = magnitude(a), b = magnitude(b);
  while (b) {
    if (a <= INT64_MAX && b <= INT64_MAX) {
      i64 x = (i64)a, y = (i64)b;
      while (y) { i64 rest = x % y; x = y, y = rest; }
      return x;
    }
    wide rest = a % b;
    a = b, b = rest;
  }
  return a;
}

static Num ratio(wide n, wide d, Arena *arena) {
  if (d == 1) return whole(narrow(n, arena));
  wide common = divisor(n, d);
  if (common > 1) n /= common, d /= common;
  if (d > MOST_PARTS) leave(arena, ASIDE);
  return (Num){narrow(n, arena), (i64)d, 0, 0};
}

/* A number as float64, and by how much that misses it at most. */
static inline double as_double(Num a, double *off) {
  if (!a.d) { *off = a.e; return a.v; }
  double v = (double)a.n;
  if (a.d == 1 && fabs(v) <= WIDEST) { *off = 0; return v; }
  int halves = (a.d & (a.d - 1)) == 0 && fabs(v) <= WIDEST;
  v /= (double)a.d;
  *off = halves ? 0 : fabs(v) * 4 * UNIT;
  return v;
}

/* The float64 that is nearest to a number. */
static double shown(Num a, Arena *arena) {
  double off;
  if (a.d > 1 && (a.n > (i64)WIDEST || a.n < -(i64)WIDEST)) leave(arena, ASIDE);
  return as_double(a, &off);
}

static Num plus(Num a, Num b, Arena *arena) {
  if (a.d == 1 && b.d == 1) {
    i64 sum;
    if (__builtin_add_overflow(a.n, b.n, &sum)) leave(arena, ASIDE);
    return whole(sum);
  }
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (a.d && b.d) {
    if (a.d == b.d) return ratio((wide)a.n + b.n, a.d, arena);
    return ratio((wide)a.n * b.d + (wide)b.n * a.d, (wide)a.d * b.d, arena);
  }
  double one, two, x = as_double(a, &one), y = as_double(b, &two), sum = x + y;
  return near_(sum, (one + two) * (1 + 8 * UNIT) + UNIT * fabs(sum) + TINY, arena);
}

static Num minus(Num a) { return (Num){-a.n, a.d, -a.v, a.e}; }

static Num times(Num a, Num b, Arena *arena) {
  if (a.d == 1 && b.d == 1) return whole(narrow((wide)a.n * b.n, arena));
  if (is_zero(a) || is_zero(b)) return whole(0);
  if (a.d == 1 && (a.n == 1 || a.n == -1)) return a.n > 0 ? b : minus(b);
  if (b.d == 1 && (b.n == 1 || b.n == -1)) return b.n > 0 ? a : minus(a);
  if (a.d && b.d) {
    wide one = divisor(a.n, b.d), two = divisor(b.n, a.d);
    return ratio((wide)(a.n / one) * (b.n / two), (wide)(a.d / two) * (b.d / one), arena);
  }
  double one, two, x = as_double(a, &one), y = as_double(b, &two), v = x * y;
  double e = one * fabs(y) + fabs(x) * two + one * two;
  return near_(v, e * (1 + 8 * UNIT) + UNIT * fabs(v) + TINY, arena);
}

/* -1, 0 or 1: how a lies to b; what float64 does not tell goes aside. */
static int compare(Num a, Num b, Arena *arena) {
  if (a.d && b.d) {
    if (a.d == b.d) return (a.n > b.n) - (a.n < b.n);
    wide x = (wide)a.n * b.d, y = (wide)b.n * a.d;
    return (x > y) - (x < y);
  }
  double one, two, x = as_double(a, &one), y = as_double(b, &two);
  if (one == 0 && two == 0) return (x > y) - (x < y);
  double off = (one + two) * (1 + 8 * UNIT) + UNIT * (fabs(x) + fabs(y)) + TINY;
  if (fabs(x - y) <= off) leave(arena, ASIDE);
  return x > y ? 1 : -1;
}

/* ---------------------------------------------------------------- a program, as it was packed */

typedef struct {
  i64 entries, *columns, *factors; /* sum of factor * column, */
  i64 bias, parts;                 /* and the bias, divided by parts */
  Num *given;                      /* the factors where they are no fractions of 64 bits, the bias last */
} Form;

typedef struct {
  i64 column;
  Num factor;
} Write;

typedef struct {
  i64 count;
  Write *each;
} Writes;

typedef struct {
  i64 count, *each;
} List;

typedef struct {
  Form form;
  Num low, high, step; /* step 0: none */
} Range;

typedef struct {
  i64 count;
  Range *each;
} Ranges;

typedef struct {
  Form filler, role;
  Writes writes;
  i64 table, turns; /* a hand of how far away it reads, -1 if none; turns: with the sign of that */
  double sign;
} Channel;

typedef struct {
  i64 offset, size, sharp;
  double *table, *off;
} Address;

typedef struct {
  i64 features, channels, addresses, look, crosses, divides, bound, has_null, number;
  Form *query, *key;
  Channel *channel;
  Address *address;
  double level, level_off;
  Num *null;
  i64 fills;
  List required, mine, theirs, members;
  Ranges asked, offered;
  Writes bias;
} Head;

typedef struct {
  Form form;
  i64 stretches, steps;
  Num low, high, *knot, *height, *slope, *place, *under, *over;
  int settled; /* whether it is known what it comes to where all that it reads is 0, */
  Num at_rest; /* and this */
  i64 *ends;   /* low, high, the knots, and both values of each step, if all of them are whole */
} Curve;

typedef struct {
  List positive, negative;
  i64 curve, range; /* -1: none; a rule with a range writes nothing, it is a promise */
  Writes writes;
} Rule;

typedef struct {
  i64 rules, units, curves, width;
  Rule *rule;
  Curve *curve;
  Range *range;
  Form *unit;
  Writes *written;
  Writes bias;
  List guards, *guarded, always; /* the rules that a column guards, and those that none does */
  unsigned char *read;           /* the columns that gates read */
} FeedForward;

typedef struct {
  i64 repeat, loop, heads, crosses;
  Head *head;
  FeedForward *block;
} Layer;

typedef struct {
  i64 most, until, none, unfinished;
  List resets, asked;
} Loop;

typedef struct {
  i64 layers, loops;
  Layer *layer;
  Loop *loop;
} Stack;

typedef struct {
  i64 count, *columns;
  Num *numbers;
} Vector;

typedef struct {
  Arena arena;
  i64 width, semes, clocks, tables, table_size, outputs, tokens, longest, kind, pool, again, heads;
  i64 encodes;
  double *low, *high; /* the ends of each seme's range; what tells of a loop is 0 where it ended */
  double *table; /* the hands of the clocks: cosine and sine of each at 0, 1, 2 ... */
  Stack encoder, decoder;
  Form *score;
  Ranges answering;
  Vector *vocabulary; /* of what is written, <bos> behind it */
  i64 ends;           /* which output is <eos>; -1 if none */
  List unheard;
  unsigned char *flags; /* the columns that some gate reads */
} Program;

enum { TELLS_NOTHING, TELLS_CLASS, TELLS_TOKENS, WRITES, REWRITES };
enum { FIRST, LAST, MEAN, MAX, SUM };
enum { ALL, BEFORE, UPTO, AFTER, SELF, NOTSELF };

/* ---------------------------------------------------------------- reading what was packed */

typedef struct {
  const i64 *at, *end;
  Arena *arena;
  Program *program;
} Reader;

static i64 next(Reader *r) {
  if (r->at >= r->end) leave(r->arena, ASIDE);
  return *r->at++;
}

static i64 counted(Reader *r) {
  i64 n = next(r);
  if (n < 0 || n > r->end - r->at) leave(r->arena, ASIDE);
  return n;
}

static i64 below(Reader *r, i64 least, i64 past) {
  i64 n = next(r);
  if (n < least || n >= past) leave(r->arena, ASIDE);
  return n;
}

static i64 column(Reader *r) { return below(r, 0, r->program->width); }

static double bits(Reader *r) {
  i64 given = next(r);
  double found;
  memcpy(&found, &given, 8);
  return found;
}

static double real(Reader *r) {
  double found = bits(r);
  if (!isfinite(found)) leave(r->arena, ASIDE);
  return found;
}

static Num number(Reader *r) {
  i64 n = next(r), d = next(r);
  double v = real(r), e = real(r);
  if (d < 0 || d > MOST_PARTS || e < 0 || n == INT64_MIN) leave(r->arena, ASIDE);
  return d ? (Num){n, d, 0, 0} : (Num){0, 0, v, e};
}

static Num *numbers(Reader *r, i64 count) {
  Num *found = take(r->arena, count, sizeof(Num));
  for (i64 i = 0; i < count; i++) found[i] = number(r);
  return found;
}

static List list(Reader *r, i64 past) {
  List found = {counted(r), NULL};
  found.each = take(r->arena, found.count, sizeof(i64));
  for (i64 i = 0; i < found.count; i++) found.each[i] = below(r, 0, past);
  return found;
}

static Form form(Reader *r) {
  Form found = {counted(r), NULL, NULL, 0, 1, NULL};
  found.columns = take(r->arena, found.entries, sizeof(i64));
  found.factors = take(r->arena, found.entries, sizeof(i64));
  for (i64 i = 0; i < found.entries; i++) found.columns[i] = column(r);
  if (next(r)) {
    found.given = numbers(r, found.entries + 1);
    return found;
  }
  for (i64 i = 0; i < found.entries; i++) found.factors[i] = next(r);
  found.bias = next(r);
  found.parts = below(r, 1, (i64)MOST_PARTS + 1);
  return found;
}

static Form *forms(Reader *r, i64 count) {
  Form *found = take(r->arena, count, sizeof(Form));
  for (i64 i = 0; i < count; i++) found[i] = form(r);
  return found;
}

static Writes writes(Reader *r) {
  Writes found = {counted(r), NULL};
  found.each = take(r->arena, found.count, sizeof(Write));
  for (i64 i = 0; i < found.count; i++) {
    found.each[i].column = column(r);
    found.each[i].factor = number(r);
  }
  return found;
}

static Range range(Reader *r) {
  Range found;
  found.form = form(r), found.low = number(r), found.high = number(r), found.step = number(r);
  return found;
}

static Ranges ranges(Reader *r) {
  Ranges found = {counted(r), NULL};
  found.each = take(r->arena, found.count, sizeof(Range));
  for (i64 i = 0; i < found.count; i++) found.each[i] = range(r);
  return found;
}

static Head head(Reader *r) {
  Head h;
  h.look = below(r, 0, NOTSELF + 1), h.crosses = below(r, 0, 2), h.divides = below(r, 0, 2);
  h.bound = below(r, 0, 2), h.number = r->program->heads++;
  h.features = counted(r);
  h.query = forms(r, h.features), h.key = forms(r, h.features);
  h.channels = counted(r);
  h.channel = take(r->arena, h.channels, sizeof(Channel));
  for (i64 c = 0; c < h.channels; c++) {
    Channel *each = &h.channel[c];
    each->filler = form(r), each->role = form(r), each->writes = writes(r);
    each->table = below(r, -1, r->program->tables), each->turns = below(r, 0, 2);
    each->sign = real(r);
  }
  h.addresses = counted(r);
  h.address = take(r->arena, h.addresses, sizeof(Address));
  for (i64 a = 0; a < h.addresses; a++) {
    Address *each = &h.address[a];
    each->offset = next(r), each->size = counted(r);
    if (each->offset < -(1 << 30) || each->offset > 1 << 30) leave(r->arena, ASIDE);
    each->table = take(r->arena, each->size, sizeof(double));
    each->off = take(r->arena, each->size, sizeof(double));
    for (i64 i = 0; i < each->size; i++) each->table[i] = real(r);
    for (i64 i = 0; i < each->size; i++) each->off[i] = real(r);
  }
  h.has_null = below(r, 0, 2);
  h.level = real(r), h.level_off = real(r);
  h.null = numbers(r, h.channels);
  h.fills = 0;
  for (i64 c = 0; c < h.channels; c++) h.fills |= !is_zero(h.null[c]);
  h.required = list(r, r->program->width), h.mine = list(r, r->program->width);
  h.theirs = list(r, r->program->width), h.members = list(r, h.features);
  h.asked = ranges(r), h.offered = ranges(r);
  h.bias = writes(r);
  for (i64 a = 0; a < h.addresses; a++) {
    Address *each = &h.address[a];
    double most = -HUGE_VAL, least = each->size ? each->table[0] - each->off[0] : -HUGE_VAL;
    for (i64 i = 1; i < each->size; i++) most = fmax(most, each->table[i] + each->off[i]);
    double level = h.level + h.level_off;
    each->sharp = h.has_null && h.addresses == 1 && !h.features && least > level &&
                  most < h.level - h.level_off;
  }
  return h;
}

static Curve curve(Reader *r) {
  Curve c;
  c.form = form(r), c.low = number(r), c.high = number(r);
  c.stretches = counted(r);
  if (!c.stretches) leave(r->arena, ASIDE);
  c.knot = numbers(r, c.stretches - 1), c.height = numbers(r, c.stretches);
  c.slope = numbers(r, c.stretches), c.place = numbers(r, c.stretches);
  c.steps = counted(r);
  c.under = numbers(r, c.steps), c.over = numbers(r, c.steps);
  i64 knots = c.stretches - 1, all = c.low.d == 1 && c.high.d == 1;
  for (i64 i = 0; i < knots; i++) all &= c.knot[i].d == 1;
  for (i64 i = 0; i < c.steps; i++) all &= c.under[i].d == 1 && c.over[i].d == 1;
  c.ends = all ? take(r->arena, 2 + knots + 2 * c.steps, sizeof(i64)) : NULL;
  for (i64 i = 0; i < knots && all; i++) c.ends[2 + i] = c.knot[i].n;
  for (i64 i = 0; i < c.steps && all; i++) {
    c.ends[2 + knots + 2 * i] = c.under[i].n, c.ends[3 + knots + 2 * i] = c.over[i].n;
  }
  if (all) c.ends[0] = c.low.n, c.ends[1] = c.high.n;
  return c;
}

static Num bent(const Curve *c, Num x, Arena *arena);

/* Finds out what a curve comes to at its bias, if that keeps its promises. */
static void settle(Curve *c) {
  Arena aside;
  memset(&aside, 0, sizeof aside);
  c->settled = 0;
  if (setjmp(aside.out)) return;
  const Form *f = &c->form;
  c->at_rest = bent(c, f->given ? f->given[f->entries] : ratio(f->bias, f->parts, &aside), &aside);
  c->settled = 1;
}

static FeedForward *block(Reader *r) {
  Program *p = r->program;
  FeedForward *b = cleared(r->arena, 1, sizeof(FeedForward));
  b->curves = counted(r);
  b->curve = take(r->arena, b->curves, sizeof(Curve));
  for (i64 i = 0; i < b->curves; i++) b->curve[i] = curve(r), settle(&b->curve[i]);
  i64 promised = counted(r);
  b->range = take(r->arena, promised, sizeof(Range));
  for (i64 i = 0; i < promised; i++) b->range[i] = range(r);
  b->rules = counted(r);
  b->rule = take(r->arena, b->rules, sizeof(Rule));
  for (i64 i = 0; i < b->rules; i++) {
    Rule *each = &b->rule[i];
    each->positive = list(r, p->width), each->negative = list(r, p->width);
    each->curve = below(r, -1, b->curves), each->range = below(r, -1, promised);
    each->writes = writes(r);
  }
  b->units = counted(r);
  b->unit = forms(r, b->units);
  b->written = take(r->arena, b->units, sizeof(Writes));
  for (i64 i = 0; i < b->units; i++) b->written[i] = writes(r);
  b->bias = writes(r);

  i64 *found = cleared(r->arena, p->width, sizeof(i64)), *often = cleared(r->arena, p->width, 8);
  b->read = cleared(r->arena, p->width, 1);
  for (i64 i = 0; i < b->rules; i++)
    for (int side = 0; side < 2; side++) {
      List some = side ? b->rule[i].negative : b->rule[i].positive;
      for (i64 j = 0; j < some.count; j++) {
        b->read[some.each[j]] = p->flags[some.each[j]] = 1;
        often[some.each[j]] += !side;
      }
    }
  i64 *guard = take(r->arena, b->rules, sizeof(i64)); /* the rarest flag that must be up */
  for (i64 i = 0; i < b->rules; i++) {
    List some = b->rule[i].positive;
    guard[i] = -1;
    for (i64 j = 0; j < some.count; j++)
      if (guard[i] < 0 || often[some.each[j]] < often[guard[i]]) guard[i] = some.each[j];
    if (guard[i] < 0) b->always.count++;
    else b->guards.count += !found[guard[i]]++;
  }
  b->guards.each = take(r->arena, b->guards.count, sizeof(i64));
  b->guarded = take(r->arena, b->guards.count, sizeof(List));
  b->always.each = take(r->arena, b->always.count, sizeof(i64));
  i64 *where = often, guards = 0, always = 0;
  for (i64 c = 0; c < p->width; c++) {
    if (!found[c]) continue;
    b->guards.each[guards] = c;
    b->guarded[guards] = (List){0, take(r->arena, found[c], sizeof(i64))};
    where[c] = guards++;
  }
  for (i64 i = 0; i < b->rules; i++) {
    if (guard[i] < 0) { b->always.each[always++] = i; continue; }
    List *some = &b->guarded[where[guard[i]]];
    some->each[some->count++] = i;
  }
  return b;
}

static Stack stack(Reader *r) {
  Stack s;
  Program *p = r->program;
  s.loops = counted(r);
  s.loop = take(r->arena, s.loops, sizeof(Loop));
  for (i64 i = 0; i < s.loops; i++) {
    Loop *each = &s.loop[i];
    each->most = below(r, 0, MOST_ROUNDS), each->until = column(r), each->none = below(r, 0, 2);
    each->unfinished = column(r);
    each->resets = list(r, p->width), each->asked = list(r, p->width);
  }
  s.layers = counted(r);
  s.layer = take(r->arena, s.layers, sizeof(Layer));
  for (i64 i = 0; i < s.layers; i++) {
    Layer *each = &s.layer[i];
    each->repeat = below(r, 0, MOST_ROUNDS), each->loop = below(r, -1, s.loops);
    each->heads = counted(r), each->crosses = counted(r);
    each->head = take(r->arena, each->heads + each->crosses, sizeof(Head));
    for (i64 h = 0; h < each->heads + each->crosses; h++) {
      each->head[h] = head(r);
      if (each->head[h].crosses != (h >= each->heads)) leave(r->arena, ASIDE);
    }
    each->block = next(r) ? block(r) : NULL;
  }
  return s;
}

static void program(Reader *r) {
  Program *p = r->program;
  p->width = next(r);
  if (p->width < 0 || p->width > 1 << 24) leave(r->arena, ASIDE);
  p->semes = below(r, 0, p->width + 1), p->kind = below(r, 0, REWRITES + 1);
  p->pool = below(r, 0, SUM + 1), p->longest = below(r, 0, MOST_ROUNDS), p->encodes = below(r, 0, 2);
  p->low = take(r->arena, p->semes, sizeof(double));
  p->high = take(r->arena, p->semes, sizeof(double));
  for (i64 i = 0; i < p->semes; i++) p->low[i] = bits(r);
  for (i64 i = 0; i < p->semes; i++) p->high[i] = bits(r);
  p->flags = cleared(r->arena, p->width, 1);
  p->tables = counted(r), p->table_size = counted(r);
  if (p->table_size && p->tables > (r->end - r->at) / p->table_size) leave(r->arena, ASIDE);
  if (p->semes + p->tables > p->width) leave(r->arena, ASIDE);
  p->table = take(r->arena, p->tables * p->table_size, sizeof(double));
  for (i64 i = 0; i < p->tables * p->table_size; i++) p->table[i] = real(r);
  p->encoder = stack(r), p->decoder = stack(r);
  for (i64 i = 0; i < p->encoder.layers; i++)
    if (p->encoder.layer[i].crosses) leave(r->arena, ASIDE);
  p->outputs = counted(r);
  p->score = forms(r, p->outputs);
  p->answering = ranges(r);
  p->tokens = counted(r);
  p->vocabulary = take(r->arena, p->tokens, sizeof(Vector));
  for (i64 i = 0; i < p->tokens; i++) {
    Vector *each = &p->vocabulary[i];
    each->count = counted(r);
    each->columns = take(r->arena, each->count, sizeof(i64));
    for (i64 j = 0; j < each->count; j++) each->columns[j] = column(r);
    each->numbers = numbers(r, each->count);
  }
  p->ends = below(r, -1, p->outputs);
  p->unheard = list(r, p->width);
  if (p->kind >= WRITES && (p->tokens < p->outputs || !p->outputs)) leave(r->arena, ASIDE);
}

void progtf_free(Program *p) {
  if (!p) return;
  release(&p->arena);
  free(p);
}

/* A program that was packed; NULL if it is none. */
Program *progtf_load(const i64 *data, i64 size) {
  Program *volatile p = calloc(1, sizeof(Program));
  if (!p) return NULL;
  Reader reader = {data, data + size, &p->arena, p};
  if (setjmp(p->arena.out)) {
    progtf_free(p);
    return NULL;
  }
  program(&reader);
  if (reader.at != reader.end) leave(&p->arena, ASIDE);
  return p;
}

/* ---------------------------------------------------------------- residuals */

typedef struct {
  i64 count, room, *each;
} Bag;

typedef struct {
  i64 rows, width;
  i64 *n;   /* numerators; of what is no fraction the bits of a float64 */
  i32 *d;   /* denominators less 1; -1: no fraction */
  double *e;
  Bag *odd; /* of each row columns of flags that may be neither 0 nor 1 */
} Residual;

typedef struct {
  double *keys, *misses;
  unsigned char *broken; /* whether what stands there breaks a promise of the head */
  Num *fillers;
  char *filled;
  i64 count, room;
  double most;
  int exact;
} Found;

typedef struct {
  i64 row, column;
  Num amount;
} Change;

typedef struct {
  const Program *program;
  Arena *arena;
  Residual *memory;
  Found **past; /* what heads have found, by head and turn; NULL: all is computed at once */
  i64 turns;
  Change *change;
  i64 changes, room;
} Run;

static Residual residual(Run *run, i64 room) {
  i64 width = run->program->width;
  Residual found = {0, width, NULL, NULL, NULL, NULL};
  found.n = cleared(run->arena, room * width, sizeof(i64));
  found.d = cleared(run->arena, room * width, sizeof(i32));
  found.e = take(run->arena, room * width, sizeof(double));
  found.odd = cleared(run->arena, room, sizeof(Bag));
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
  if (bag->count == bag->room) {
    i64 room = bag->room ? 2 * bag->room : 8, *each = take(run->arena, room, sizeof(i64));
    if (bag->count) memcpy(each, bag->each, bag->count * sizeof(i64));
    bag->each = each, bag->room = room;
  }
  bag->each[bag->count++] = column;
}

static void put(Run *run, Residual *r, i64 row, i64 column, Num a) {
  i64 at = row * r->width + column;
  if (a.d) r->n[at] = a.n, r->d[at] = (i32)(a.d - 1);
  else memcpy(&r->n[at], &a.v, 8), r->d[at] = -1, r->e[at] = a.e;
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
  double missed = 0, sum, size;
  i64 terms = 0, copies = 1;
  if (f->given) sum = as_double(f->given[f->entries], &missed);
  else sum = (double)f->bias / (double)f->parts, missed = 4 * UNIT * fabs(sum);
  if (sum != 0) terms = 1, copies = 0;
  size = fabs(sum);
  for (i64 i = 0; i < f->entries; i++) {
    double off, slip, x = as_double(cell(r, row, f->columns[i]), &off), factor;
    if (x == 0 && off == 0) continue;
    if (f->given) factor = as_double(f->given[i], &slip);
    else {
      factor = (double)f->factors[i] / (double)f->parts;
      int sure = f->parts == 1 && fabs(factor) < WIDEST;
      slip = sure ? 0 : 4 * UNIT * fabs(factor);
    }
    double term = factor * x;
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

static void changes(Run *run, i64 row, const Writes *writes, Num amount);

static inline void change(Run *run, i64 row, const Writes *writes, Num amount) {
  if (!is_zero(amount)) changes(run, row, writes, amount);
}

static void changes(Run *run, i64 row, const Writes *writes, Num amount) {
  for (i64 i = 0; i < writes->count; i++) {
    if (run->changes == run->room) {
      i64 room = run->room ? 2 * run->room : 1024;
      Change *each = take(run->arena, room, sizeof(Change));
      if (run->changes) memcpy(each, run->change, run->changes * sizeof(Change));
      run->change = each, run->room = room;
    }
    Num added = times(writes->each[i].factor, amount, run->arena);
    run->change[run->changes++] = (Change){row, writes->each[i].column, added};
  }
}

static void apply(Run *run, Residual *r) {
  for (i64 i = 0; i < run->changes; i++) {
    Change *each = &run->change[i];
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

/* ---------------------------------------------------------------- attention */

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

static Found *nothing_found(Run *run, const Head *h, i64 room) {
  Found *f = cleared(run->arena, 1, sizeof(Found));
  f->room = room, f->exact = 1;
  f->keys = take(run->arena, room * h->features, sizeof(double));
  f->misses = take(run->arena, room * h->features, sizeof(double));
  f->broken = take(run->arena, room, 1);
  f->fillers = take(run->arena, room * h->channels, sizeof(Num));
  f->filled = cleared(run->arena, room, 1);
  return f;
}

/* Notes the keys of what stands there from where it has come to on. */
static void find(Run *run, const Head *h, Found *f, const Residual *there, int fill) {
  for (i64 src = f->count; src < there->rows; src++) {
    for (i64 i = 0; i < h->features; i++) {
      double off, key;
      i64 quick;
      if (counts(&h->key[i], there, src, &quick) && quick < (i64)WIDEST && quick > -(i64)WIDEST)
        key = (double)quick, off = 0;
      else key = as_double(valued(run, &h->key[i], there, src), &off);
      f->keys[src * h->features + i] = key, f->misses[src * h->features + i] = off;
      f->most = fmax(f->most, fabs(key));
      if (off != 0 || key != rint(key)) f->exact = 0;
    }
    int fine = 1;
    for (i64 i = 0; i < h->theirs.count; i++) fine &= is_flag(there, src, h->theirs.each[i]);
    if (fill) {
      fine = fine && keep(run, &h->offered, there, src);
      for (i64 c = 0; c < h->channels; c++)
        f->fillers[src * h->channels + c] = valued(run, &h->channel[c].filler, there, src);
      f->filled[src] = 1;
    }
    f->broken[src] = !fine;
  }
  f->count = there->rows;
}

static const Num *filler(Run *run, const Head *h, Found *f, const Residual *there, i64 src) {
  Num *found = f->fillers + src * h->channels;
  if (!f->filled[src]) {
    for (i64 c = 0; c < h->channels; c++) found[c] = valued(run, &h->channel[c].filler, there, src);
    f->filled[src] = 1;
  }
  return found;
}

typedef struct {
  double *value, *off, *query, *missed;
  i64 *chosen, count;
  int rests;
} Look;

/* The scores of one reader: of every key that it may read, -infinity of others. */
static void score(const Head *h, const Found *f, i64 dst, int causal, Look *look, Arena *arena) {
  i64 F = h->features;
  double most = 0;
  int exact = f->exact;
  for (i64 i = 0; i < F; i++) {
    most = fmax(most, fabs(look->query[i]));
    exact &= look->missed[i] == 0 && look->query[i] == rint(look->query[i]);
  }
  exact &= (double)F * most * f->most < WIDEST;
  for (i64 src = 0; src < f->count; src++) {
    i64 far = src - dst;
    look->off[src] = 0;
    if (!allowed(h, far, causal)) { look->value[src] = -HUGE_VAL; continue; }
    const double *key = f->keys + src * F, *misses = f->misses + src * F;
    double sum = 0, size = 0, spread = 0;
    for (i64 i = 0; i < F; i++) sum += look->query[i] * key[i];
    if (!exact) {
      for (i64 i = 0; i < F; i++) {
        size += (fabs(look->query[i]) + look->missed[i]) * (fabs(key[i]) + misses[i]);
        spread += look->missed[i] * (fabs(key[i]) + misses[i]) + fabs(look->query[i]) * misses[i];
      }
      look->off[src] = spread * (1 + 0x1p-40) + (double)(F + 4) * UNIT * size + (size > 0 ? TINY : 0);
    }
    for (i64 a = 0; a < h->addresses; a++) {
      const Address *address = &h->address[a];
      i64 away = far - address->offset;
      if (away < 0) away = -away;
      if (away >= address->size) leave(arena, ASIDE);
      sum += address->table[away];
      look->off[src] += address->off[away] + UNIT * fabs(sum) * 2;
    }
    if (!(fabs(sum) < 1e300)) leave(arena, ASIDE);
    look->value[src] = sum;
  }
}

static int same_keys(const Head *h, const Found *f, i64 one, i64 other) {
  for (i64 i = 0; i < h->features; i++)
    if (f->keys[one * h->features + i] != f->keys[other * h->features + i]) return 0;
  return 1;
}

/* Which keys have the best score; several that may be the best must be equal. */
static void choose(Run *run, const Head *h, const Found *f, Look *look) {
  double top = -HUGE_VAL;
  for (i64 src = 0; src < f->count; src++) top = fmax(top, look->value[src] - look->off[src]);
  double level = h->has_null ? h->level : -HUGE_VAL, off = h->has_null ? h->level_off : 0;
  top = fmax(top, level - off);
  look->count = 0, look->rests = h->has_null && level + off >= top;
  int sure = !(look->rests && off > 0);
  for (i64 src = 0; src < f->count; src++)
    if (look->value[src] > -HUGE_VAL && look->value[src] + look->off[src] >= top) {
      sure &= look->off[src] == 0;
      look->chosen[look->count++] = src;
    }
  if (sure || look->count + look->rests <= 1) return;
  if (look->rests || h->addresses) leave(run->arena, ASIDE);
  for (i64 i = 0; i < look->count * h->features; i++)
    if (f->misses[look->chosen[i / h->features] * h->features + i % h->features] != 0)
      leave(run->arena, ASIDE);
  for (i64 i = 1; i < look->count; i++)
    if (!same_keys(h, f, look->chosen[0], look->chosen[i])) leave(run->arena, ASIDE);
}

/* What is read, into `found`: the mean of what is chosen (Eq. 4). */
static void retrieve(Run *run, const Head *h, Found *f, const Residual *there, i64 dst, Look *look,
                     Num *found) {
  const Program *p = run->program;
  i64 count = look->count + look->rests;
  for (i64 c = 0; c < h->channels; c++) found[c] = whole(0);
  for (i64 i = 0; i < look->count; i++) {
    const Num *given = filler(run, h, f, there, look->chosen[i]);
    for (i64 c = 0; c < h->channels; c++) found[c] = plus(found[c], given[c], run->arena);
  }
  if (look->rests && h->fills)
    for (i64 c = 0; c < h->channels; c++) found[c] = plus(found[c], h->null[c], run->arena);
  if (count > 1)
    for (i64 c = 0; c < h->channels; c++)
      if (!is_zero(found[c])) {
        if (!found[c].d) leave(run->arena, ASIDE);
        found[c] = ratio(found[c].n, (wide)found[c].d * count, run->arena);
      }
  for (i64 c = 0; c < h->channels; c++) {
    const Channel *each = &h->channel[c];
    if (each->table < 0) continue;
    if (look->count && count > 1) leave(run->arena, ASIDE); /* one distance is promised */
    found[c] = whole(0);
    if (!look->count) continue;
    i64 far = look->chosen[0] - dst, away = far < 0 ? -far : far;
    if (away >= p->table_size) leave(run->arena, ASIDE);
    double hand = p->table[each->table * p->table_size + away] * each->sign;
    if (each->turns) hand *= (far > 0) - (far < 0);
    found[c] = near_(hand, 0, run->arena);
  }
}

static void keeps_its_own(Run *run, const Head *h, const Residual *here, i64 dst) {
  for (i64 i = 0; i < h->mine.count; i++)
    if (!is_flag(here, dst, h->mine.each[i])) leave(run->arena, ASIDE);
  if (!keep(run, &h->asked, here, dst)) leave(run->arena, ASIDE);
}

/* Promises of what a reader may read; `held`: how far that is known to hold. */
static void keeps_theirs(Run *run, const Head *h, const Found *f, const Residual *there, i64 dst,
                         int causal, unsigned char *held) {
  for (i64 src = 0; src < f->count; src++) {
    if (held[src] || !allowed(h, src - dst, causal)) continue;
    if (f->broken[src]) leave(run->arena, ASIDE);
    if (!f->filled[src] && !keep(run, &h->offered, there, src)) leave(run->arena, ASIDE);
    held[src] = 1;
  }
}

static void queried(Run *run, const Head *h, const Residual *here, i64 dst, Look *look) {
  for (i64 i = 0; i < h->features; i++)
    look->query[i] = as_double(valued(run, &h->query[i], here, dst), &look->missed[i]);
}

static Look look_of(Run *run, const Head *h, i64 sources) {
  Look look;
  look.value = take(run->arena, sources, sizeof(double));
  look.off = take(run->arena, sources, sizeof(double));
  look.chosen = take(run->arena, sources, sizeof(i64));
  look.query = take(run->arena, h->features, sizeof(double));
  look.missed = take(run->arena, h->features, sizeof(double));
  look.count = look.rests = 0;
  return look;
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
  for (i64 dst = 0; dst < rows; dst++) {
    queried(run, h, here, dst, &look);
    score(h, f, dst, causal, &look, run->arena);
    memcpy(value + dst * sources, look.value, sources * sizeof(double));
    memcpy(off + dst * sources, look.off, sources * sizeof(double));
  }
  i64 *chosen = take(run->arena, rows, sizeof(i64));
  for (i64 src = 0; src < sources; src++) {
    double top = -HUGE_VAL;
    for (i64 dst = 0; dst < rows; dst++)
      top = fmax(top, value[dst * sources + src] - off[dst * sources + src]);
    if (top == -HUGE_VAL) continue;
    i64 count = 0;
    int sure = 1;
    for (i64 dst = 0; dst < rows; dst++)
      if (value[dst * sources + src] + off[dst * sources + src] >= top)
        chosen[count++] = dst, sure &= off[dst * sources + src] == 0;
    if (count > 1 && !sure) leave(run->arena, ASIDE);
    const Num *given = filler(run, h, f, there, src);
    for (i64 c = 0; c < h->channels; c++) {
      if (is_zero(given[c])) continue;
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
      change(run, dst, &h->channel[c].writes,
             times(sum[dst * h->channels + c], roles[dst * h->channels + c], run->arena));
}

/* What one head adds, noted as changes: filler times role (Eq. 3 to 6). */
static void attend(Run *run, const Head *h, i64 turn, const Residual *here, i64 first,
                   const unsigned char *going, int causal) {
  const Residual *there = h->crosses ? run->memory : here;
  if (!there) leave(run->arena, ASIDE);
  i64 rows = here->rows, C = h->channels, readers = 0;
  Num *roles = take(run->arena, rows * C, sizeof(Num));
  unsigned char *reads = cleared(run->arena, rows, 1), *matters = cleared(run->arena, rows, 1);
  for (i64 dst = first; dst < rows; dst++) {
    if (!going[dst]) continue;
    if (h->bias.count) change(run, dst, &h->bias, whole(1));
    int counts = !h->bound;
    for (i64 c = 0; c < C; c++) {
      roles[dst * C + c] = h->bound ? valued(run, &h->channel[c].role, here, dst) : whole(1);
      counts |= !is_zero(roles[dst * C + c]);
    }
    matters[dst] = (unsigned char)counts;
    for (i64 i = 0; i < h->required.count && !h->divides; i++)
      counts &= !is_zero(cell(here, dst, h->required.each[i]));
    reads[dst] = (unsigned char)(counts || h->divides);
    readers += reads[dst];
  }
  Found **kept = run->past ? &run->past[h->number * run->turns + turn] : NULL;
  Found *f = kept ? *kept : NULL;
  if (!readers && (!kept || h->crosses)) return;
  if (!f) f = nothing_found(run, h, kept && !h->crosses ? run->program->longest + 2 : there->rows);
  if (f->room < there->rows) leave(run->arena, ASIDE);
  if (kept) *kept = f;
  int sharp = h->addresses == 1 && h->address[0].sharp && !h->divides;
  find(run, h, f, there, kept && !h->crosses);
  if (!readers) return;
  unsigned char *held = cleared(run->arena, f->count, 1);
  int promised = h->theirs.count || h->offered.count;
  for (i64 dst = first; dst < rows; dst++)
    if (reads[dst] && matters[dst]) {
      keeps_its_own(run, h, here, dst);
      if (promised) keeps_theirs(run, h, f, there, dst, causal, held);
    }
  if (h->divides) {
    divide(run, h, f, here, there, going, causal, roles);
    return;
  }
  Look look = look_of(run, h, f->count);
  Num *found = take(run->arena, C, sizeof(Num));
  double *before = take(run->arena, h->features, sizeof(double));
  int again = 0, alike = !h->addresses && !(causal && !h->crosses) && (h->look == ALL || h->crosses);
  for (i64 dst = first; dst < rows; dst++) {
    if (!reads[dst]) continue;
    if (sharp) {
      i64 src = dst + h->address[0].offset;
      int there_ = src >= 0 && src < f->count && allowed(h, src - dst, causal);
      look.count = there_, look.rests = !there_, look.chosen[0] = src;
    } else {
      queried(run, h, here, dst, &look);
      int same = again && alike;
      for (i64 i = 0; same && i < h->features; i++)
        same = before[i] == look.query[i] && look.missed[i] == 0;
      if (!same) {
        score(h, f, dst, causal, &look, run->arena);
        choose(run, h, f, &look);
        memcpy(before, look.query, h->features * sizeof(double));
        again = 1;
        for (i64 i = 0; i < h->features; i++) again &= look.missed[i] == 0;
      }
      i64 members = 0;
      for (i64 i = 0; i < h->members.count; i++) {
        double asked = look.query[h->members.each[i]];
        members += asked != 0 || look.missed[h->members.each[i]] != 0;
      }
      if (members > 1 && look.count && matters[dst]) leave(run->arena, ASIDE);
    }
    retrieve(run, h, f, there, dst, &look, found);
    for (i64 c = 0; c < C; c++)
      change(run, dst, &h->channel[c].writes, times(found[c], roles[dst * C + c], run->arena));
  }
}

/* ---------------------------------------------------------------- rules */

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

/* ---------------------------------------------------------------- stacks */

static void layer(Run *run, const Layer *l, i64 turn, Residual *r, i64 first,
                  const unsigned char *going, int causal) {
  for (i64 h = 0; h < l->heads; h++) attend(run, &l->head[h], turn, r, first, going, causal);
  apply(run, r);
  for (i64 h = l->heads; h < l->heads + l->crosses; h++)
    attend(run, &l->head[h], turn, r, first, going, causal);
  apply(run, r);
  for (i64 row = first; row < r->rows && l->block; row++)
    if (going[row]) feed(run, l->block, r, row);
}

static void layers(Run *run, const Stack *s, i64 from, i64 to, Residual *r, i64 first,
                   const unsigned char *going, int causal) {
  for (i64 i = from; i < to; i++)
    for (i64 turn = 0; turn < s->layer[i].repeat; turn++)
      layer(run, &s->layer[i], turn, r, first, going, causal);
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
  unsigned char *going = take(run->arena, r->rows, 1);
  memset(going, 1, r->rows);
  for (i64 i = 0; i < loop->asked.count; i++) hear(run, r, loop->asked.each[i], 1, causal, going);
  for (i64 round = 0; round < loop->most; round++) {
    if (!memchr(going, 1, r->rows)) return;
    for (i64 row = 0; row < r->rows; row++)
      for (i64 i = 0; i < loop->resets.count && going[row]; i++)
        put(run, r, row, loop->resets.each[i], whole(0));
    layers(run, s, from, to, r, 0, going, causal);
    hear(run, r, loop->until, (int)loop->none, causal, going);
  }
  for (i64 row = 0; row < r->rows; row++)
    if (going[row]) put(run, r, row, loop->unfinished, whole(1));
}

static void through(Run *run, const Stack *s, Residual *r, i64 first, int causal) {
  unsigned char *going = take(run->arena, r->rows, 1);
  memset(going, 1, r->rows);
  for (i64 from = 0, to; from < s->layers; from = to) {
    for (to = from + 1; to < s->layers && s->layer[to].loop == s->layer[from].loop; to++) {}
    if (s->layer[from].loop < 0) layers(run, s, from, to, r, first, going, causal);
    else loops(run, s, from, to, r, causal);
  }
}

/* One more token: what it has, and where it stands. */
static void embed(Run *run, Residual *r, i64 count, const i64 *columns, const Num *numbers) {
  const Program *p = run->program;
  i64 row = r->rows++;
  for (i64 i = 0; i < count; i++) {
    if (columns[i] < 0 || columns[i] >= p->width) leave(run->arena, ASIDE);
    put(run, r, row, columns[i], numbers[i]);
  }
  if (p->tables && row >= p->table_size) leave(run->arena, ASIDE);
  for (i64 t = 0; t < p->tables; t++)
    put(run, r, row, p->semes + t, near_(p->table[t * p->table_size + row], 0, run->arena));
}

/* ---------------------------------------------------------------- answers */

/* The first of the greatest scores, and how far it lies above the next; a tie goes aside. */
static i64 best(Run *run, const Num *scores, i64 count, double *gap) {
  i64 found = 0;
  for (i64 i = 1; i < count; i++)
    if (compare(scores[i], scores[found], run->arena) > 0) found = i;
  *gap = HUGE_VAL;
  for (i64 i = 0; i < count; i++) {
    if (i == found) continue;
    if (compare(scores[i], scores[found], run->arena) == 0) leave(run->arena, ASIDE);
    *gap = fmin(*gap, shown(scores[found], run->arena) - shown(scores[i], run->arena));
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
      size_t cells = (size_t)(r.rows * r.width);
      memset(r.n, 0, cells * sizeof(i64)), memset(r.d, 0, cells * sizeof(i32));
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
    for (i64 c = 0; c < p->semes; c++) {
      i64 at = row * r->width + c;
      if (!(r->n[at] | r->d[at]) && p->low[c] <= 0 && p->high[c] >= 0) continue;
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

/* One text: DONE, or ASIDE where something else must answer it. */
i64 progtf_answer(const Program *p, Arena *arena, const Text *text, Answer *answer) {
  arena->now = arena->first;
  if (arena->now) arena->now->used = 0;
  Run run = {p, arena, NULL, NULL, 1, NULL, 0, 0};
  int why = setjmp(arena->out);
  if (why) return why;
  answered(&run, text, answer);
  return DONE;
}

#ifndef SOURCE
#define SOURCE ""
#endif

/* The digest of the source that this was made of. */
const char *progtf_source(void) { return SOURCE; }
