/* What a model is beside its compiled code: one block of words, how a run begins in it and goes on, and its variables.
   Nothing here allocates, prints or reads: whoever includes it brings the memory, and hears what goes wrong.

   model.h, written for each model, has the image of a run that is about to begin (words that are not zero), where
   addresses belong in it, the variables and the places that they stand for. All that an instance ever changes is in
   its first STATE_WORDS words, so that a copy of these is its state.

   INSTANCE, defined before, has the further members of an instance; `hear` is how it is told something. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef FREESTANDING /* where there are no headers of a C library */
double ceil(double), fabs(double), floor(double);
void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);
#define INFINITY __builtin_inf()
#else
#include <math.h>
#include <string.h>
#endif

typedef int64_t Word;
typedef struct { Word at, to; } Reloc;             /* word `at` gets the address of word `to`, or of code `to` */
typedef struct { Word at, count; } Segment;        /* words of the image that are not zero */
typedef struct { Word at; double base; Word first, count; } Sum; /* word `at` = base + terms of parameters */
typedef struct { Word at; double slope; } Term;    /* slope * word `at` */
typedef struct { double first, every; } Jump;      /* at these times something jumps or bends; once, if `every` is 0 */
typedef struct {                                   /* first, count: which of the list of sums a parameter is part of */
    int kind;
    Word at, first, count;
    double lower, upper;
    int strict;                                    /* 1: the lower bound itself is outside, 2: the upper is */
    const char *name;
} Variable;
enum { TIME, OUTPUT, INPUT, PARAMETER, CONSTANT, STATE, RATE, INDICATOR };
/* words of the bookkeeping; the last two, from which time on to which nothing jumps, where an importer integrates */
enum { HEAD_START, HEAD_STEPS, HEAD_LENGTH, HEAD_TIME, HEAD_PHASE, HEAD_DIRTY, HEAD_BEGIN, HEAD_END };

#include "model.h"

#undef isfinite /* no function of a C library */
#define isfinite(x) __builtin_isfinite(x)

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
enum { MADE, SETTING_UP, RUNNING, ENDED, FAILED };
enum { LONGEST = 400 }; /* letters of a sentence */

typedef struct {
    Word *words;       /* TOTAL_WORDS, on a cache line */
    Word *kept;        /* STATE_WORDS: the state while something is tried out */
    INSTANCE
} Instance;

static void hear(Instance *I, Status status, const char *text);

/* --- sentences --------------------------------------------------------------------------------------------------- */

static char *add_text(char *to, const char *end, const char *text) {
    while (*text && to < end) *to++ = *text++;
    return to;
}

static char *add_digits(char *to, const char *end, uint64_t number, int least) {
    char digits[24];
    int n = 0;
    do digits[n++] = (char)('0' + number % 10); while ((number /= 10) || n < least);
    while (n && to < end) *to++ = digits[--n];
    return to;
}

/* With six digits, as %g has it. */
static char *add_number(char *to, const char *end, double x) {
    if (x != x) return add_text(to, end, "nan");
    if (x < 0.0) to = add_text(to, end, "-"), x = -x;
    if (!isfinite(x)) return add_text(to, end, "inf");
    int power = 0;
    if (x < 1e-300) x = 0.0;
    for (; x >= 10.0; x *= 0.1) power++;
    for (; x > 0.0 && x < 1.0; x *= 10.0) power--;
    uint64_t digits = (uint64_t)floor(x * 1e5 + 0.5);
    if (digits >= 1000000) digits /= 10, power++;
    bool small = power < -4, large = power > 5;
    int places = small || large ? 5 : 5 - power; /* behind the point */
    while (places > 0 && digits % 10 == 0) digits /= 10, places--;
    uint64_t one = 1;
    for (int k = 0; k < places; k++) one *= 10;
    to = add_digits(to, end, digits / one, 1);
    if (places) to = add_digits(add_text(to, end, "."), end, digits % one, places);
    if (small || large) to = add_digits(add_text(to, end, small ? "e-" : "e+"), end, (uint64_t)(small ? -power : power), 2);
    return to;
}

/* `format` has %s, %g and %u alone. */
static Status tell(Instance *I, Status status, const char *format, ...) {
    char text[LONGEST + 1], *to = text, *end = text + LONGEST;
    va_list arguments;
    va_start(arguments, format);
    for (; *format && to < end; format++) {
        if (*format != '%') { *to++ = *format; continue; }
        switch (*++format) {
        case 's': to = add_text(to, end, va_arg(arguments, const char *)); break;
        case 'g': to = add_number(to, end, va_arg(arguments, double)); break;
        default: to = add_digits(to, end, va_arg(arguments, unsigned), 1);
        }
    }
    va_end(arguments);
    *to = 0;
    hear(I, status, text);
    return status;
}

/* --- words ------------------------------------------------------------------------------------------------------- */

static double get(const Instance *I, Word at) { double v; memcpy(&v, I->words + at, 8); return v; }
static void put(Instance *I, Word at, double v) { memcpy(I->words + at, &v, 8); }
static Word address(const Instance *I, Word at) { return (Word)(intptr_t)(I->words + at); }

/* Addresses are this instance's own, also in a state that comes from elsewhere. */
static void relocate(Instance *I) {
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        I->words[addresses[i].at] = address(I, addresses[i].to);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        I->words[codes[i].at] = (Word)(intptr_t)functions[codes[i].to];
}

static void begin(Instance *I) {
    const Word *next = packed;
    memset(I->words, 0, TOTAL_WORDS * 8);
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        memcpy(I->words + segments[i].at, next, (size_t)segments[i].count * 8);
        next += segments[i].count;
    }
    relocate(I);
    put(I, HEAD_LENGTH, STEP_LENGTH);
    I->words[HEAD_PHASE] = MADE;
    I->words[HEAD_DIRTY] = 1;
}

/* --- the model --------------------------------------------------------------------------------------------------- */

/* Of what jumps, `during` decides which piece is seen. */
static void at(Instance *I, double time, double during) {
    put(I, AT_REAL + REAL_NOW, time);
    put(I, AT_REAL + REAL_WITHIN, during);
}

static double within(const Instance *I, double time, double otherwise) {
    double first = get(I, HEAD_BEGIN), last = get(I, HEAD_END);
    return last == 0.0 ? otherwise : time < first ? first : time > last ? last : time;
}

static void rates(Instance *I) {
    at(I, get(I, HEAD_TIME), within(I, get(I, HEAD_TIME), get(I, HEAD_TIME)));
    EVALUATE_RATES(address(I, AT_RUN));
}

static void outputs(Instance *I) {
    double time = get(I, HEAD_TIME);
    at(I, time, within(I, time, time + 0.5 * get(I, AT_REAL + REAL_STEP)));
    EVALUATE_OUTPUTS(address(I, AT_RUN));
}

static void settle(Instance *I) {
#ifdef EVALUATE_SETTLED
    rates(I);
    EVALUATE_SETTLED(address(I, AT_RUN));
#endif
    (void)I;
}

/* Sampled blocks at the start. */
static void first_update(Instance *I) {
#if SAMPLED
    at(I, 0.0, within(I, 0.0, 0.5 * get(I, AT_REAL + REAL_STEP)));
    I->words[AT_NUMBER + NUMBER_FIRST] = 0;
    EVALUATE_UPDATES(address(I, AT_RUN));
#endif
    (void)I;
}

static void keep(Instance *I) { memcpy(I->kept, I->words, STATE_WORDS * 8); }
static void restore(Instance *I) { memcpy(I->words, I->kept, STATE_WORDS * 8); }

/* The row of outputs as it is now; before the run has begun nothing else may change by looking at it. */
static void refresh(Instance *I) {
    if (!I->words[HEAD_DIRTY]) return;
    bool early = I->words[HEAD_PHASE] <= SETTING_UP;
    if (early) keep(I), first_update(I);
    outputs(I);
    if (early) {
        memcpy(I->kept + AT_ROWS, I->words + AT_ROWS, COLUMNS * 8);
        restore(I);
    }
    I->words[HEAD_DIRTY] = 0;
}

static bool finite_states(const Instance *I) {
    for (Word i = 0; i < ALL_STATES; i++)
        if (!isfinite(get(I, AT_X + i))) return false;
    return true;
}

static Status leave_initialization(Instance *I) {
    first_update(I);
    outputs(I);
    settle(I);
    rates(I);
    I->words[HEAD_PHASE] = RUNNING;
    I->words[HEAD_DIRTY] = 1;
    for (Word i = 0; i < STATES; i++)
        if (!isfinite(get(I, AT_BEFORE + i)))
            return tell(I, ERROR, "the rate of %s is not finite at the start", state_names[i]);
    return OK;
}

/* True where a loop is about to become singular; a run of luff passes over that, see `singular_positions.py`. */
static bool singular(const Instance *I) {
#ifdef EVALUATE_SETTLED
    for (Word k = AT_SINGULAR; k < AT_SINGULAR + SCALARS * COMPONENTS; k += SCALARS)
        if (get(I, k) > 0.0) return true;
#endif
    (void)I;
    return false;
}

/* True where the dependent coordinates move too fast for their choice; a run of luff chooses anew. */
static bool degraded(const Instance *I) {
#ifdef EVALUATE_SETTLED
    for (Word k = AT_COUPLING_MAX; k < AT_COUPLING_MAX + SCALARS * COMPONENTS; k += SCALARS)
        if (get(I, k) > get(I, k + 1) && get(I, k + 1) > 0.0) return true;
#endif
    (void)I;
    return false;
}

/* Why the run cannot go on after `taken` steps. */
static Status fail(Instance *I, double time) {
    I->words[HEAD_PHASE] = FAILED;
    if (finite_states(I) && singular(I))
        return tell(I, ERROR, "a singular position of a loop comes next after t = %g s, where accelerations are quotients "
                              "of vanishing numbers: an FMU cannot pass over it; keep away from it, or run it in luff",
                    time);
    if (finite_states(I))
        return tell(I, ERROR, "the choice of dependent coordinates has degraded after t = %g s, and an FMU keeps the "
                              "one of the start: name others with constraints: {dependent: [...]}, or run it in luff",
                    time);
#ifdef EVALUATE_SETTLED
    for (Word k = AT_OPEN; k < AT_OPEN + SCALARS * COMPONENTS; k += SCALARS)
        if (get(I, k) != 0.0) return tell(I, ERROR, "a loop cannot be closed after t = %g s: the mechanism has reached the end of its range",
                    time);
#endif
    for (Word i = 0; i < STATES; i++)
        if (!isfinite(get(I, AT_X + i)))
            return tell(I, ERROR, "%s is not finite after t = %g s: try a shorter step", state_names[i], time);
    return tell(I, ERROR, "the energy of the mechanism is not finite after t = %g s", time);
}

/* From one communication point to the next: whole steps, or as few shorter ones as reach it. */
static Status advance(Instance *I, double until) {
    double length = get(I, HEAD_LENGTH), now = get(I, HEAD_TIME), span = until - now;
    double steps = floor(span / STEP_LENGTH + 0.5);
    bool whole = steps >= 1.0 && fabs(steps * STEP_LENGTH - span) <= 1e-6 * STEP_LENGTH;
    if (I->words[HEAD_PHASE] != RUNNING) return tell(I, ERROR, "a step was asked for outside of a run");
    if (!(span >= 0.0)) return tell(I, ERROR, "a step of %g s was asked for", span);
    if (span == 0.0) return OK;
    double wanted = STEP_LENGTH;
    if (!whole) {
        if (SAMPLED)
            return tell(I, ERROR, "a communication step of %g s is no multiple of the step of %g s, which the sampled "
                                  "blocks of this model need", span, STEP_LENGTH);
        steps = ceil(span / STEP_LENGTH - 1e-6);
        wanted = span / steps;
    }
    if (wanted != length) {  /* another grid of times begins here */
        put(I, HEAD_START, now);
        put(I, HEAD_LENGTH, wanted);
        I->words[HEAD_STEPS] = 0;
    }
    Word *number = I->words + AT_NUMBER;
    number[NUMBER_FIRST] = I->words[HEAD_STEPS], number[NUMBER_COUNT] = (Word)steps;
    number[NUMBER_EVERY] = INT64_MAX, number[NUMBER_FILM] = 0;
    put(I, AT_REAL + REAL_START, get(I, HEAD_START));
    put(I, AT_REAL + REAL_STEP, wanted);
    ADVANCE(address(I, AT_RUN), address(I, AT_MODEL), address(I, AT_DATA));
    Word taken = number[NUMBER_TAKEN];
    I->words[HEAD_STEPS] += taken;
    double reached = get(I, HEAD_START) + wanted * (double)I->words[HEAD_STEPS];
    I->words[HEAD_DIRTY] = 1;
    if (taken < (Word)steps || !finite_states(I) || singular(I) || degraded(I)) {
        Status found = fail(I, reached);
        memcpy(I->words + AT_X, I->words + AT_BEFORE, ALL_STATES * 8);
        put(I, HEAD_TIME, reached);
        return found;
    }
    put(I, HEAD_TIME, whole ? reached : until);
    return OK;
}

/* --- variables --------------------------------------------------------------------------------------------------- */

static const Variable *find(Instance *I, uint32_t reference) {
    if (reference < VARIABLES) return variables + reference;
    tell(I, ERROR, "there is no variable with the value reference %u", (unsigned)reference);
    return NULL;
}

/* What a variable is; outputs and rates have to be fresh. */
static double look(const Instance *I, const Variable *v) {
    switch (v->kind) {
    case TIME: return get(I, HEAD_TIME);
    case OUTPUT: return get(I, AT_ROWS + v->at);
    case STATE: return get(I, AT_X + v->at);
    case RATE: return get(I, AT_BEFORE + v->at);
    case INDICATOR: return get(I, AT_CROSSINGS + v->at);
    default: return get(I, v->at);
    }
}

static void assign(Instance *I, const Variable *v, double value) {
    if (v->kind == STATE) put(I, AT_X + v->at, value);
    else put(I, v->at, value);
    for (Word k = v->first; k < v->first + v->count; k++) {
        const Sum *sum = sums + part_of[k];
        double total = sum->base;
        for (Word j = sum->first; j < sum->first + sum->count; j++) total += terms[j].slope * get(I, terms[j].at);
        put(I, sum->at, total);
    }
}

/* A parameter, an input or, before the run, a state. */
static Status write_value(Instance *I, uint32_t reference, double x) {
    const Variable *v = find(I, reference);
    if (!v) return ERROR;
    bool early = I->words[HEAD_PHASE] <= SETTING_UP;
    if (!(v->kind == INPUT || v->kind == PARAMETER || (v->kind == STATE && early)))
        return tell(I, ERROR, "%s cannot be set%s", v->name, v->kind == STATE ? " during a run" : "");
    if (!isfinite(x)) return tell(I, ERROR, "found %g for %s, expected a finite number", x, v->name);
    if (x < v->lower || (v->strict & 1 && x == v->lower))
        return tell(I, ERROR, "found %g for %s, expected a number %s %g", x, v->name, v->strict & 1 ? ">" : ">=",
                    v->lower);
    if (x > v->upper || (v->strict & 2 && x == v->upper))
        return tell(I, ERROR, "found %g for %s, expected a number %s %g", x, v->name, v->strict & 2 ? "<" : "<=",
                    v->upper);
    assign(I, v, x);
    I->words[HEAD_DIRTY] = 1;
    return OK;
}
