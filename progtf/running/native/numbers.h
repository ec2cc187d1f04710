/* Numbers, exact as long as that goes, and the memory of one run. */

#ifndef PROGTF_NUMBERS_H
#define PROGTF_NUMBERS_H

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t i64;
typedef int32_t i32;
typedef uint64_t u64;
typedef __int128 wide;

enum { DONE = 0, ASIDE = 1, MEMORY = 2, STOPPED = 3 };
#define UNIT 0x1p-53
#define TINY 1e-300
#define WIDEST 0x1p53
#define MOST_PARTS (1 << 30)
#define MOST_ROUNDS (1 << 24)
#define BREATH (1 << 22)
#define KEPT ((size_t)64 << 20)

/* ---------------------------------------------------------------- memory of one run */

typedef struct Block {
  struct Block *next;
  size_t size, used;
} Block;

typedef struct {
  Block *first, *now;
  void *changes; /* what is noted before it is added, and for how many there is room */
  i64 room;
  void *thread; /* what the host gave for its lock */
  jmp_buf out;
} Arena;

typedef struct {
  Block *block;
  size_t used;
} Mark;

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

static Mark marked(const Arena *arena) {
  return (Mark){arena->now, arena->now ? arena->now->used : 0};
}

/* Gives back what was taken since. */
static void rewound(Arena *arena, Mark mark) {
  arena->now = mark.block ? mark.block : arena->first;
  if (arena->now) arena->now->used = mark.used;
}

static void release(Arena *arena) {
  for (Block *each = arena->first, *next; each; each = next) next = each->next, free(each);
  free(arena->changes);
  arena->first = arena->now = NULL, arena->changes = NULL, arena->room = 0;
}

/* Gives memory back that one long text has taken. */
static void lighten(Arena *arena) {
  size_t taken = (size_t)arena->room;
  for (Block *each = arena->first; each; each = each->next) taken += each->size;
  if (taken > KEPT) release(arena);
}

/* ---------------------------------------------------------------- numbers */

/* Where d > 0 the number is n / d, in lowest terms; where d is 0 it lies within e of v. */
typedef struct {
  i64 n, d;
  double v, e;
} Num;

static inline Num whole(i64 n) { return (Num){n, 1, 0, 0}; }

static inline double more(double a, double b) { return a > b ? a : b; }

static Num near_(double v, double e, Arena *arena) {
  if (!(fabs(v) < 1e300) || !(e < 1e300)) leave(arena, ASIDE);
  if (e == 0 && fabs(v) < WIDEST && v == (double)(i64)v) return whole((i64)v);
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
  int fits = a.n <= (i64)WIDEST && a.n >= -(i64)WIDEST;
  if (a.d == 1 && fits) { *off = 0; return v; }
  int halves = (a.d & (a.d - 1)) == 0 && fits;
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

static Num sum_of(Num a, Num b, Arena *arena) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (a.d && b.d) {
    if (a.d == b.d) return ratio((wide)a.n + b.n, a.d, arena);
    return ratio((wide)a.n * b.d + (wide)b.n * a.d, (wide)a.d * b.d, arena);
  }
  double one, two, x = as_double(a, &one), y = as_double(b, &two), sum = x + y;
  return near_(sum, (one + two) * (1 + 8 * UNIT) + UNIT * fabs(sum) + TINY, arena);
}

/* Almost all numbers are whole: these are added, multiplied and compared in place. */
static inline Num plus(Num a, Num b, Arena *arena) {
  i64 sum;
  if (a.d != 1 || b.d != 1) return sum_of(a, b, arena);
  if (__builtin_add_overflow(a.n, b.n, &sum)) leave(arena, ASIDE);
  return whole(sum);
}

/* A number as float64 with its bound. */
static inline Num roughened(Num a) {
  double off, v = as_double(a, &off);
  return (Num){0, 0, v, off};
}

static Num minus(Num a) { return (Num){-a.n, a.d, -a.v, a.e}; }

static Num product_of(Num a, Num b, Arena *arena) {
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

static inline Num times(Num a, Num b, Arena *arena) {
  i64 product;
  if (a.d != 1 || b.d != 1) return product_of(a, b, arena);
  if (__builtin_mul_overflow(a.n, b.n, &product) || product == INT64_MIN) leave(arena, ASIDE);
  return whole(product);
}

static int order_of(Num a, Num b, Arena *arena) {
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

/* -1, 0 or 1: how a lies to b; what float64 does not tell goes aside. */
static inline int compare(Num a, Num b, Arena *arena) {
  if (a.d != 1 || b.d != 1) return order_of(a, b, arena);
  return (a.n > b.n) - (a.n < b.n);
}

#endif
