/* Reads what `packed.py` wrote down, in its order; what is out of bounds is no program. */

#ifndef PROGTF_READING_H
#define PROGTF_READING_H

#include "program.h"

typedef struct {
  const i64 *at, *end;
  Arena *arena;
  Program *program;
  i64 *often;          /* of each column 0, for what counts them */
  unsigned char *read; /* which columns any sum reads */
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

/* The factors of a sum as float64. */
static void approach(Reader *r, Form *f) {
  f->real = take(r->arena, f->entries + 1, sizeof(double));
  f->slip = take(r->arena, f->entries + 1, sizeof(double));
  for (i64 i = 0; i <= f->entries; i++) {
    if (f->given) { f->real[i] = as_double(f->given[i], &f->slip[i]); continue; }
    double factor = (double)(i < f->entries ? f->factors[i] : f->bias) / (double)f->parts;
    int sure = i < f->entries && f->parts == 1 && fabs(factor) < WIDEST;
    f->real[i] = factor, f->slip[i] = sure ? 0 : 4 * UNIT * fabs(factor);
  }
}

static Form form(Reader *r) {
  Form found = {counted(r), NULL, NULL, 0, 1, NULL, NULL, NULL};
  found.columns = take(r->arena, found.entries, sizeof(i64));
  found.factors = take(r->arena, found.entries, sizeof(i64));
  for (i64 i = 0; i < found.entries; i++) r->read[found.columns[i] = column(r)] = 1;
  if (next(r)) {
    found.given = numbers(r, found.entries + 1);
  } else {
    for (i64 i = 0; i < found.entries; i++) found.factors[i] = next(r);
    found.bias = next(r);
    found.parts = below(r, 1, (i64)MOST_PARTS + 1);
  }
  approach(r, &found);
  return found;
}

/* A sum of which who writes needs nothing. */
static Form unread(Reader *r) {
  unsigned char *read = r->read;
  r->read = cleared(r->arena, r->program->width, 1);
  Form found = form(r);
  r->read = read;
  return found;
}

static Form *forms(Reader *r, i64 count) {
  Form *found = take(r->arena, count, sizeof(Form));
  for (i64 i = 0; i < count; i++) found[i] = form(r);
  return found;
}

/* The set of the columns, in order, that are marked. */
static Columns columns_of(Reader *r, const i64 *marked, i64 count) {
  Columns found = {0, take(r->arena, count, sizeof(i64)), take(r->arena, count, sizeof(i64)),
                   take(r->arena, count, sizeof(u64))};
  for (i64 c = 0, place = 0; place < count; c++) {
    if (!marked[c]) continue;
    if (!found.words || found.word[found.words - 1] != c / 64)
      found.word[found.words] = c / 64, found.base[found.words] = place, found.mask[found.words++] = 0;
    found.mask[found.words - 1] |= (u64)1 << c % 64, place++;
  }
  if (count > r->program->reads) r->program->reads = count;
  return found;
}

static Flags flags(Reader *r) {
  List some = list(r, r->program->width);
  i64 distinct = 0, place = 0;
  for (i64 i = 0; i < some.count; i++) distinct += !r->often[some.each[i]]++;
  Flags found = {take(r->arena, distinct, sizeof(i64)), columns_of(r, r->often, distinct)};
  for (i64 w = 0; w < found.set.words; w++)
    for (u64 left = found.set.mask[w]; left; left &= left - 1)
      found.each[place++] = found.set.word[w] * 64 + __builtin_ctzll(left);
  for (i64 i = 0; i < some.count; i++) r->often[some.each[i]] = 0;
  return found;
}

static int has_bias(const Form *f) { return f->given ? !is_zero(f->given[f->entries]) : f->bias != 0; }

static Panel panel(Reader *r, const Form **each, i64 count) {
  i64 total = 0, distinct = 0;
  for (i64 i = 0; i < count; i++) total += each[i]->entries;
  Panel p = {.count = count, .each = each, .always = take(r->arena, count, sizeof(i64))};
  p.hard = take(r->arena, count, 1);
  p.column = take(r->arena, total, sizeof(i64)), p.starts = take(r->arena, total + 1, sizeof(i64));
  p.into = take(r->arena, total, sizeof(i64)), p.factors = take(r->arena, total, sizeof(i64));
  if (count > r->program->sums) r->program->sums = count;
  for (i64 i = 0; i < count; i++) {
    p.hard[i] = each[i]->given || each[i]->parts != 1;
    if (has_bias(each[i])) p.always[p.biased++] = i;
  }
  i64 *often = r->often;
  for (i64 i = 0; i < count; i++)
    for (i64 j = 0; j < each[i]->entries; j++) distinct += !often[each[i]->columns[j]]++;
  p.columns = columns_of(r, often, distinct);
  for (i64 c = 0, place = 0, at = 0; place < distinct; c++) {
    if (!often[c]) continue;
    p.column[place] = c, p.starts[place++] = at;
    at += often[c], often[c] = at - often[c]; /* from here on, where the next goes */
  }
  p.starts[distinct] = total;
  for (i64 i = 0; i < count; i++)
    for (i64 j = 0; j < each[i]->entries; j++) {
      i64 at = often[each[i]->columns[j]]++;
      p.into[at] = i, p.factors[at] = each[i]->given ? 0 : each[i]->factors[j];
    }
  for (i64 place = 0; place < distinct; place++) often[p.column[place]] = 0;
  return p;
}

static Panel panel_of(Reader *r, const Form *each, i64 count) {
  const Form **list = take(r->arena, count, sizeof(Form *));
  for (i64 i = 0; i < count; i++) list[i] = &each[i];
  return panel(r, list, count);
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
  h.bound = below(r, 0, 2), h.shares = h.number = r->program->heads++;
  h.features = counted(r);
  h.ramp = below(r, -1, h.features), h.period = real(r);
  h.query = panel_of(r, forms(r, h.features), h.features);
  Form *keys = take(r->arena, h.features, sizeof(Form));
  for (i64 i = 0; i < h.features; i++) keys[i] = i == h.ramp ? unread(r) : form(r);
  h.key = panel_of(r, keys, h.features);
  h.channels = counted(r);
  h.channel = take(r->arena, h.channels, sizeof(Channel));
  const Form **fillers = take(r->arena, h.channels, sizeof(Form *));
  const Form **roles = take(r->arena, h.channels, sizeof(Form *));
  h.tabled = 0;
  for (i64 c = 0; c < h.channels; c++) {
    Channel *each = &h.channel[c];
    each->filler = form(r), each->role = form(r), each->writes = writes(r);
    each->table = below(r, -1, r->program->tables), each->turns = below(r, 0, 2);
    each->sign = real(r);
    fillers[c] = &each->filler, roles[c] = &each->role, h.tabled |= each->table >= 0;
  }
  h.filler = panel(r, fillers, h.channels), h.role = panel(r, roles, h.channels);
  h.addresses = counted(r);
  h.address = take(r->arena, h.addresses, sizeof(Address));
  for (i64 a = 0; a < h.addresses; a++) {
    Address *each = &h.address[a];
    each->offset = next(r), each->beyond = below(r, 0, 2), each->size = counted(r);
    if (each->offset < -(1 << 30) || each->offset > 1 << 30) leave(r->arena, ASIDE);
    each->table = take(r->arena, each->size, sizeof(double));
    each->off = take(r->arena, each->size, sizeof(double));
    for (i64 i = 0; i < each->size; i++) each->table[i] = real(r);
    for (i64 i = 0; i < each->size; i++) each->off[i] = real(r);
    each->most = 0;
    for (i64 i = 0; i < each->size; i++) each->most = more(each->most, fabs(each->table[i]));
  }
  h.has_null = below(r, 0, 2);
  h.level = real(r), h.level_off = real(r);
  h.null = numbers(r, h.channels);
  h.fills = 0;
  for (i64 c = 0; c < h.channels; c++) h.fills |= !is_zero(h.null[c]);
  h.required = list(r, r->program->width), h.mine = flags(r), h.theirs = flags(r);
  h.members = list(r, h.features);
  h.asked = ranges(r), h.offered = ranges(r);
  h.bias = writes(r);
  for (i64 a = 0; a < h.addresses; a++) {
    Address *each = &h.address[a];
    double most = -HUGE_VAL, least = each->size ? each->table[0] - each->off[0] : -HUGE_VAL;
    for (i64 i = 1; i < each->size; i++) most = fmax(most, each->table[i] + each->off[i]);
    double level = h.level + h.level_off;
    each->sharp = h.has_null && h.addresses == 1 && least > level && most < h.level - h.level_off;
  }
  int idle = 1; /* whether no feature tells one key from another */
  for (i64 i = 0; i < h.features; i++) idle &= h.key.each[i]->entries == 0;
  h.kept = !h.addresses                                               ? KINDS
           : h.address[0].sharp && h.address[0].beyond && idle ? ONE_PLACE
                                                                      : EVERY_PLACE;
  for (i64 i = 0; h.ramp >= 0 && h.kept != KINDS && i < keys[h.ramp].entries; i++)
    r->read[keys[h.ramp].columns[i]] = 1;
  return h;
}

static Num *roughened_each(Reader *r, const Num *given, i64 count) {
  Num *found = take(r->arena, count, sizeof(Num));
  for (i64 i = 0; i < count; i++) found[i] = roughened(given[i]);
  return found;
}

static int same_form(const Form *a, const Form *b) {
  size_t bytes = (size_t)a->entries * sizeof(i64);
  if (a->given || b->given || a->entries != b->entries) return 0;
  if (a->bias != b->bias || a->parts != b->parts) return 0;
  return !memcmp(a->columns, b->columns, bytes) && !memcmp(a->factors, b->factors, bytes);
}

/* Finds between which numbers a curve certainly is what it is at first. */
static void quieten(Curve *c) {
  const Bends *b = &c->rough;
  double from = b->low.v + b->low.e, to = b->high.v - b->high.e;
  i64 flat = 0;
  while (flat < c->stretches && is_zero(c->slope[flat]) &&
         !memcmp(&c->height[flat], &c->height[0], sizeof(Num)))
    flat++;
  for (i64 i = flat - 1; i >= 0 && i < c->stretches - 1; i++) to = fmin(to, b->knot[i].v - b->knot[i].e);
  for (i64 i = 0; i < c->steps; i++) to = fmin(to, b->under[i].v - b->under[i].e);
  /* The margins are far more than what a comparison rounds. */
  c->quiet_from = flat ? from + 0x1p-40 * (1 + fabs(from)) : HUGE_VAL;
  c->quiet_to = to - 0x1p-40 * (1 + fabs(to));
  double past = b->low.v + b->low.e, end = b->high.v - b->high.e;
  i64 last = c->stretches - 1, first = last;
  while (first > 0 && is_zero(c->slope[first - 1]) &&
         !memcmp(&c->height[first - 1], &c->height[last], sizeof(Num)))
    first--;
  if (first) past = fmax(past, b->knot[first - 1].v + b->knot[first - 1].e);
  for (i64 i = 0; i < c->steps; i++) past = fmax(past, b->over[i].v + b->over[i].e);
  c->past_from = is_zero(c->slope[last]) ? past + 0x1p-40 * (1 + fabs(past)) : HUGE_VAL;
  c->past_to = end - 0x1p-40 * (1 + fabs(end));
}

static Curve curve(Reader *r) {
  Curve c;
  Bends *b = &c.exact;
  c.form = form(r), b->low = number(r), b->high = number(r);
  c.stretches = counted(r);
  if (!c.stretches) leave(r->arena, ASIDE);
  b->knot = numbers(r, c.stretches - 1), c.height = numbers(r, c.stretches);
  c.slope = numbers(r, c.stretches), c.place = numbers(r, c.stretches);
  c.steps = counted(r);
  b->under = numbers(r, c.steps), b->over = numbers(r, c.steps);
  i64 knots = c.stretches - 1, all = b->low.d == 1 && b->high.d == 1;
  c.rough = (Bends){roughened(b->low), roughened(b->high), roughened_each(r, b->knot, knots),
                    roughened_each(r, b->under, c.steps), roughened_each(r, b->over, c.steps)};
  for (i64 i = 0; i < knots; i++) all &= b->knot[i].d == 1;
  for (i64 i = 0; i < c.steps; i++) all &= b->under[i].d == 1 && b->over[i].d == 1;
  c.ends = all ? take(r->arena, 2 + knots + 2 * c.steps, sizeof(i64)) : NULL;
  for (i64 i = 0; i < knots && all; i++) c.ends[2 + i] = b->knot[i].n;
  for (i64 i = 0; i < c.steps && all; i++) {
    c.ends[2 + knots + 2 * i] = b->under[i].n, c.ends[3 + knots + 2 * i] = b->over[i].n;
  }
  if (all) c.ends[0] = b->low.n, c.ends[1] = b->high.n;
  quieten(&c);
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

/* The form of a rule that writes nothing where all that this reads is 0; NULL of other rules. */
static const Form *asleep(const FeedForward *b, i64 rule) {
  const Curve *c = b->rule[rule].curve < 0 ? NULL : &b->curve[b->rule[rule].curve];
  return c && b->rule[rule].range < 0 && c->settled && is_zero(c->at_rest) ? &c->form : NULL;
}

/* Which rules sleep where they read nothing. */
static void doze(Reader *r, FeedForward *b) {
  b->sleeps = take(r->arena, b->rules, 1);
  for (i64 i = 0; i < b->rules; i++) b->sleeps[i] = asleep(b, i) != NULL;
}

/* Whether the curves of two rules read the same columns. */
static int beside(const FeedForward *b, i64 one, i64 other) {
  const Rule *x = &b->rule[one], *y = &b->rule[other];
  if (x->curve < 0 || y->curve < 0 || x->range >= 0 || y->range >= 0) return 0;
  const Form *f = &b->curve[x->curve].form, *g = &b->curve[y->curve].form;
  return f->entries == g->entries && !memcmp(f->columns, g->columns, (size_t)f->entries * sizeof(i64));
}

/* Rules that stand side by side, from one to before another, as a bundle. */
static Bundle bundled(Reader *r, const FeedForward *b, i64 from, i64 past) {
  const Form *first = &b->curve[b->rule[from].curve].form;
  i64 reads = first->entries, count = past - from;
  Bundle found = {reads, count, first->columns, take(r->arena, count, sizeof(i64)), 1,
                  NULL, NULL, NULL};
  found.factor = take(r->arena, (reads + 1) * count, sizeof(double));
  found.slip = take(r->arena, (reads + 1) * count, sizeof(double));
  found.zones = take(r->arena, 4 * count, sizeof(double));
  for (i64 m = 0; m < count; m++) {
    const Curve *c = &b->curve[b->rule[from + m].curve];
    double *zone = found.zones + 4 * m;
    found.rules[m] = from + m, found.rests &= b->sleeps[from + m];
    for (i64 k = 0; k <= reads; k++)
      found.factor[k * count + m] = c->form.real[k], found.slip[k * count + m] = c->form.slip[k];
    zone[0] = is_zero(c->height[0]) ? c->quiet_from : HUGE_VAL, zone[1] = c->quiet_to;
    zone[2] = is_zero(c->height[c->stretches - 1]) ? c->past_from : HUGE_VAL, zone[3] = c->past_to;
  }
  return found;
}

enum { FEW = 4 }; /* rules of which a bundle is worth its while */

/* Finds what may be looked at together. */
static void bundle(Reader *r, FeedForward *b) {
  b->bundle = take(r->arena, b->rules / FEW + 1, sizeof(Bundle));
  for (i64 from = 0, past; from < b->rules; from = past) {
    for (past = from + 1; past < b->rules && beside(b, from, past); past++) {}
    if (past - from >= FEW) b->bundle[b->bundles++] = bundled(r, b, from, past);
  }
}

/* What those read that sleep and are in no bundle. */
static void single(Reader *r, FeedForward *b) {
  const Form **each = take(r->arena, b->rules, sizeof(Form *));
  i64 count = 0, bundle = 0;
  b->summed = take(r->arena, b->rules, sizeof(i64));
  for (i64 i = 0; i < b->rules; i++) {
    if (bundle < b->bundles && i == b->bundle[bundle].rules[0]) {
      i += b->bundle[bundle++].count - 1;
      continue;
    }
    if (b->sleeps[i]) each[count] = asleep(b, i), b->summed[count++] = i;
  }
  b->sums = panel(r, each, count);
}

static FeedForward *block(Reader *r) {
  Program *p = r->program;
  FeedForward *b = cleared(r->arena, 1, sizeof(FeedForward));
  b->curves = counted(r);
  b->curve = take(r->arena, b->curves, sizeof(Curve));
  for (i64 i = 0; i < b->curves; i++) {
    Curve *each = &b->curve[i];
    *each = curve(r), settle(each), each->family = i;
    /* Comparisons of one number stand side by side. */
    if (i && same_form(&each->form, &each[-1].form)) each->family = each[-1].family;
  }
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
  i64 guarding = 0, *guard = take(r->arena, b->rules, sizeof(i64)); /* the rarest flag that must be up */
  for (i64 i = 0; i < b->rules; i++) {
    List some = b->rule[i].positive;
    guard[i] = -1;
    for (i64 j = 0; j < some.count; j++)
      if (guard[i] < 0 || often[some.each[j]] < often[guard[i]]) guard[i] = some.each[j];
    if (guard[i] >= 0) guarding += !found[guard[i]]++;
  }
  doze(r, b), bundle(r, b), single(r, b);
  b->guards = columns_of(r, found, guarding);
  b->guarded = take(r->arena, guarding, sizeof(List));
  b->always.each = take(r->arena, b->rules, sizeof(i64)), b->free = cleared(r->arena, b->rules, 1);
  i64 *where = often, guards = 0;
  for (i64 c = 0; c < p->width; c++) {
    if (!found[c]) continue;
    b->guarded[guards] = (List){0, take(r->arena, found[c], sizeof(i64))};
    where[c] = guards++;
  }
  for (i64 i = 0; i < b->rules; i++) {
    b->free[i] = guard[i] < 0;
    if (guard[i] < 0 && !b->sleeps[i]) b->always.each[b->always.count++] = i;
    if (guard[i] < 0) continue;
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

typedef struct {
  i64 slope, height, output;
} Line;

static int by_slope(const void *a, const void *b) {
  i64 x = ((const Line *)a)->slope, y = ((const Line *)b)->slope;
  return (x > y) - (x < y);
}

/* Whether the middle one of three lines, by their slopes, is the greatest somewhere. */
static int bulges(const Line *a, const Line *b, const Line *c) {
  wide left = (wide)(a->height - b->height) * (c->slope - b->slope);
  wide right = (wide)(b->height - c->height) * (b->slope - a->slope);
  return left < right;
}

/* Finds the outputs that are lines over the seme of which most are. */
static void line_up(Reader *r, Program *p) {
  enum { SMALL = 1 << 30 };
  i64 *often = r->often, most = -1, count = 0, rest = 0;
  Line *line = take(r->arena, p->outputs, sizeof(Line));
  unsigned char *is = cleared(r->arena, p->outputs, 1);
  p->rest.each = take(r->arena, p->outputs, sizeof(i64));
  for (i64 i = 0; i < p->outputs; i++) {
    const Form *f = &p->score[i];
    is[i] = !f->given && f->parts == 1 && f->entries == 1 && f->factors[0] > -SMALL &&
            f->factors[0] < SMALL && f->bias > -SMALL && f->bias < SMALL;
    if (is[i]) often[f->columns[0]]++;
  }
  for (i64 c = 0; c < p->width; c++)
    if (often[c] && (most < 0 || often[c] > often[most])) most = c;
  for (i64 i = 0; i < p->outputs; i++) {
    const Form *f = &p->score[i];
    if (is[i]) often[f->columns[0]] = 0;
    if (is[i] && f->columns[0] == most) line[count++] = (Line){f->factors[0], f->bias, i};
    else p->rest.each[rest++] = i;
  }
  qsort(line, (size_t)count, sizeof(Line), by_slope);
  int fine = count >= 4;
  for (i64 i = 1; i < count; i++) fine &= line[i].slope > line[i - 1].slope;
  for (i64 i = 1; i + 1 < count; i++) fine &= bulges(&line[i - 1], &line[i], &line[i + 1]);
  if (!fine)
    for (rest = 0, count = 0; rest < p->outputs; rest++) p->rest.each[rest] = rest;
  p->rest.count = rest;
  p->lines = (Lines){most, count, take(r->arena, count, sizeof(i64)),
                     take(r->arena, count, sizeof(i64)), take(r->arena, count, sizeof(i64))};
  for (i64 i = 0; i < count; i++)
    p->lines.each[i] = line[i].output, p->lines.slope[i] = line[i].slope,
    p->lines.height[i] = line[i].height;
}

static void mark(const Writes *writes, unsigned char *written) {
  for (i64 i = 0; i < writes->count; i++) written[writes->each[i].column] = 1;
}

/* The columns that a layer writes. */
static void mark_all(const Layer *l, unsigned char *written) {
  for (i64 i = 0; i < l->heads + l->crosses; i++) {
    mark(&l->head[i].bias, written);
    for (i64 c = 0; c < l->head[i].channels; c++) mark(&l->head[i].channel[c].writes, written);
  }
  const FeedForward *b = l->block;
  if (!b) return;
  for (i64 i = 0; i < b->rules; i++) mark(&b->rule[i].writes, written);
  for (i64 i = 0; i < b->units; i++) mark(&b->written[i], written);
  mark(&b->bias, written);
}

static int same_panel(const Panel *a, const Panel *b, const unsigned char *written) {
  int same = a->count == b->count;
  for (i64 i = 0; same && i < a->count; i++) same = same_form(a->each[i], b->each[i]);
  for (i64 i = 0; same && i < a->count; i++)
    for (i64 j = 0; j < a->each[i]->entries; j++) same &= !written[a->each[i]->columns[j]];
  return same;
}

static int same_number(const Num *a, const Num *b) {
  return a->n == b->n && a->d == b->d && a->v == b->v && a->e == b->e;
}

/* Whether a head keeps kinds of all that stands before it and of itself. */
static int keeps_kinds(const Head *h) {
  return h->kept == KINDS && !h->crosses && !h->divides && (h->look == ALL || h->look == UPTO);
}

/* Whether a head finds in each token what one before it found; written: what changed in between. */
static int alike(const Head *a, const Head *b, const unsigned char *written) {
  if (!keeps_kinds(a) || !keeps_kinds(b) || a->offered.count != b->offered.count) return 0;
  if (a->ramp != b->ramp || a->period != b->period || a->has_null != b->has_null) return 0;
  if (a->level != b->level || a->level_off != b->level_off) return 0;
  const Columns *one = &a->theirs.set, *two = &b->theirs.set;
  if (one->words != two->words) return 0;
  for (i64 w = 0; w < one->words; w++) {
    if (one->word[w] != two->word[w] || one->mask[w] != two->mask[w]) return 0;
    for (u64 left = one->mask[w]; left; left &= left - 1)
      if (written[one->word[w] * 64 + __builtin_ctzll(left)]) return 0;
  }
  for (i64 i = 0; i < a->offered.count; i++) {
    const Range *x = &a->offered.each[i], *y = &b->offered.each[i];
    if (!same_form(&x->form, &y->form) || !same_number(&x->low, &y->low)) return 0;
    if (!same_number(&x->high, &y->high) || !same_number(&x->step, &y->step)) return 0;
    for (i64 j = 0; j < x->form.entries; j++)
      if (written[x->form.columns[j]]) return 0;
  }
  return same_panel(&a->key, &b->key, written) && same_panel(&a->filler, &b->filler, written);
}

/* Finds the heads of a decoder that keep the same of what it reads. */
static void share(Reader *r, Stack *s) {
  i64 width = r->program->width;
  unsigned char *written = take(r->arena, width, 1);
  for (i64 l = 0; l < s->layers; l++)
    for (i64 h = 0; h < s->layer[l].heads && s->layer[l].repeat == 1; h++) {
      Head *one = &s->layer[l].head[h];
      if (one->shares != one->number) continue;
      memset(written, 0, width);
      for (i64 m = l; m < s->layers; m++) {
        if (m > l) mark_all(&s->layer[m - 1], written);
        for (i64 k = m > l ? 0 : h + 1; k < s->layer[m].heads && s->layer[m].repeat == 1; k++)
          if (alike(one, &s->layer[m].head[k], written)) s->layer[m].head[k].shares = one->number;
      }
    }
}

static void program(Reader *r) {
  Program *p = r->program;
  p->width = next(r);
  if (p->width < 0 || p->width > 1 << 24) leave(r->arena, ASIDE);
  p->semes = below(r, 0, p->width + 1), p->kind = below(r, 0, REWRITES + 1);
  p->pool = below(r, 0, SUM + 1), p->longest = below(r, 0, MOST_ROUNDS), p->encodes = below(r, 0, 2);
  r->often = cleared(r->arena, p->width, sizeof(i64)), r->read = cleared(r->arena, p->width, 1);
  p->low = take(r->arena, p->semes, sizeof(double));
  p->high = take(r->arena, p->semes, sizeof(double));
  for (i64 i = 0; i < p->semes; i++) p->low[i] = bits(r);
  for (i64 i = 0; i < p->semes; i++) p->high[i] = bits(r);
  p->looked = cleared(r->arena, p->semes / 64 + 1, sizeof(u64));
  for (i64 i = 0; i < p->semes; i++)
    p->looked[i / 64] |= (u64)!(p->low[i] <= 0 && p->high[i] >= 0) << i % 64;
  p->flags = cleared(r->arena, p->width, 1);
  p->tables = counted(r), p->table_size = counted(r);
  if (p->table_size && p->tables > (r->end - r->at) / p->table_size) leave(r->arena, ASIDE);
  if (p->semes + p->tables > p->width) leave(r->arena, ASIDE);
  p->table = take(r->arena, p->tables * p->table_size, sizeof(double));
  p->turn = take(r->arena, p->tables, sizeof(i64));
  for (i64 t = 0; t < p->tables; t++) {
    p->turn[t] = below(r, 0, p->table_size + 1);
    for (i64 i = 0; i < p->table_size; i++) p->table[t * p->table_size + i] = real(r);
  }
  p->encoder = stack(r);
  memset(r->read, 0, p->width);
  p->decoder = stack(r), share(r, &p->decoder);
  for (i64 i = 0; i < p->encoder.layers; i++)
    if (p->encoder.layer[i].crosses) leave(r->arena, ASIDE);
  p->outputs = counted(r);
  p->score = forms(r, p->outputs);
  if (p->outputs > p->sums) p->sums = p->outputs;
  line_up(r, p);
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
  p->told = take(r->arena, p->tables, 1);
  for (i64 t = 0; t < p->tables; t++) p->told[t] = r->read[p->semes + t];
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
  Reader reader = {data, data + size, &p->arena, p, NULL, NULL};
  if (setjmp(p->arena.out)) {
    progtf_free(p);
    return NULL;
  }
  program(&reader);
  if (reader.at != reader.end) leave(&p->arena, ASIDE);
  return p;
}

#endif
