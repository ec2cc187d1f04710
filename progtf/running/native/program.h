/* A program, as it was packed: its parts as arrays. */

#ifndef PROGTF_PROGRAM_H
#define PROGTF_PROGRAM_H

#include "numbers.h"

typedef struct {
  i64 entries, *columns, *factors; /* sum of factor * column, */
  i64 bias, parts;                 /* and the bias, divided by parts */
  Num *given;                      /* the factors where they are no fractions of 64 bits, the bias last */
  double *real, *slip;             /* all factors as float64, the bias last, and how far each misses */
} Form;

/* A set of columns: 64 beside each other are one word, as in what tells where a row is not 0. */
typedef struct {
  i64 words, *word, *base; /* which words, and how many columns lie in those before */
  u64 *mask;
} Columns;

/* Columns in order, and as a set. */
typedef struct {
  i64 *each;
  Columns set;
} Flags;

/* Sums that are read together: only those are worked out of which a column is not 0. */
typedef struct {
  i64 count, biased, *always; /* the sums that have a bias, which always are */
  const Form **each;
  Columns columns;
  i64 *column, *starts, *into, *factors; /* of each column: to which sums it is added, and how often */
  unsigned char *hard; /* which are not of whole numbers */
} Panel;

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
  i64 offset, size, sharp, beyond; /* beyond: whether what lies past the table scores no more than */
  double *table, *off, most;       /* the null key; most: the greatest size in the table */
} Address;

/* What a head of a decoder keeps of what was written: kinds of keys, what stands at one place, or all. */
enum { KINDS, ONE_PLACE, EVERY_PLACE };

typedef struct {
  i64 features, channels, addresses, look, crosses, divides, bound, has_null, number, kept;
  i64 shares; /* the head before it that keeps the same of what a decoder has read; itself where none */
  i64 ramp; /* the feature that tells how near a key stands, by a clock of this period; -1: none */
  double period;
  Panel query, key, filler, role; /* the last two: of its channels */
  Channel *channel;
  Address *address;
  double level, level_off;
  Num *null;
  i64 fills, tabled;
  List required, members;
  Flags mine, theirs; /* what must be flags: of a reader, and of what it may read */
  Ranges asked, offered;
  Writes bias;
} Head;

/* Where a curve ends, bends and steps. */
typedef struct {
  Num low, high, *knot, *under, *over;
} Bends;

typedef struct {
  Form form;
  i64 family; /* the first curve of its block that reads the same sum */
  i64 stretches, steps;
  Bends exact, rough; /* rough: as float64 with a bound, for what is no fraction */
  Num *height, *slope, *place;
  double quiet_from, quiet_to; /* between which it has not bent yet and is flat, */
  double past_from, past_to;   /* and between which it has done with bending, and is */
  int settled; /* whether it is known what it comes to where all that it reads is 0, */
  Num at_rest; /* and this */
  i64 *ends;   /* low, high, the knots, and both values of each step, if all of them are whole */
} Curve;

/* Rules with curves over the same columns; where a curve certainly is 0 is found for all at once. */
typedef struct {
  i64 reads, count, *columns, *rules, rests; /* rests: all sleep where all that they read is 0 */
  double *factor, *slip; /* of each column for one curve after the other, the bias last */
  double *zones;         /* between the first two, and between the last two, each is 0 */
} Bundle;

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
  Columns guards;
  List *guarded, always; /* the rules that a column guards, and those that none does and never sleep; */
  unsigned char *free;   /* which rules none guards */
  unsigned char *sleeps; /* which rules write nothing where all that they read is 0: */
  Panel sums;            /* what those read that are in no bundle, */
  i64 *summed;           /* and which these are */
  i64 bundles;
  Bundle *bundle;
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

/* Tokens whose scores are straight lines over one seme, by their slopes: each is the greatest between
   its neighbours. */
typedef struct {
  i64 column, count, *each; /* the outputs, */
  i64 *slope, *height;      /* and their lines */
} Lines;

typedef struct {
  Arena arena;
  i64 width, semes, clocks, tables, table_size, outputs, tokens, longest, kind, pool, again, heads;
  i64 encodes;
  double *low, *high; /* the ends of each seme's range; what tells of a loop is 0 where it ended */
  u64 *looked;        /* the semes that may not be 0, as bits */
  double *table; /* the hands of the clocks: cosine and sine of each at 0, 1, 2 ... */
  i64 *turn;     /* after how many tokens each begins anew, 0 if not within the table */
  unsigned char *told; /* which of them a decoder reads off a place */
  Stack encoder, decoder;
  Form *score;
  Lines lines;
  List rest; /* the outputs that are no lines */
  Ranges answering;
  Vector *vocabulary; /* of what is written, <bos> behind it */
  i64 ends;           /* which output is <eos>; -1 if none */
  i64 sums, reads;    /* how many sums are read together at most, and of how many columns */
  List unheard;
  unsigned char *flags; /* the columns that some gate reads */
} Program;

enum { TELLS_NOTHING, TELLS_CLASS, TELLS_TOKENS, WRITES, REWRITES };
enum { FIRST, LAST, MEAN, MAX, SUM };
enum { ALL, BEFORE, UPTO, AFTER, SELF, NOTSELF };

#endif
