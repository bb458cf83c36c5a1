/* What an FMU of luff is beside its model: FMI 2.0 and 3.0. */
#include <stdlib.h>

typedef void (*Logger2)(void *, const char *, int, const char *, const char *, ...);
typedef void (*Logger3)(void *, int, const char *, const char *);
#define INSTANCE \
    void *room; /* in which its words lie */ \
    char *name; \
    void *environment; \
    Logger2 logger2; \
    Logger3 logger3; \
    bool integrated; /* by the importer */ \
    double looked;   /* when an event was looked at for the first time that nothing was decided at */
#include "core.h"

#ifdef _WIN32
#define API __declspec(dllexport)

/* What MinGW adds to the C library of Windows, as far as anything here needs it: building all of it takes minutes. */
int DllMainCRTStartup(void *module, unsigned reason, void *reserved) { return 1; }
#else
#define API __attribute__((visibility("default")))
#endif

static void hear(Instance *I, Status status, const char *text) {
    if (I->logger2) I->logger2(I->environment, I->name, status, "error", "%s", text);
    if (I->logger3) I->logger3(I->environment, status, "error", text);
}

static Instance *make(const char *name, const char *token, void *environment, Logger2 two, Logger3 three, bool integrated) {
    Instance *I = calloc(1, sizeof *I);
    if (!I) return NULL;
    I->environment = environment, I->logger2 = two, I->logger3 = three, I->integrated = integrated;
    I->name = calloc(strlen(name ? name : "") + 1, 1);
    I->room = malloc(TOTAL_WORDS * 8 + 64);
    I->kept = malloc(STATE_WORDS * 8);
    if (I->name) strcpy(I->name, name ? name : "");
    if (I->name && I->room && I->kept && token && !strcmp(token, TOKEN)) {
        I->words = (Word *)(((uintptr_t)I->room + 63) & ~(uintptr_t)63);
        begin(I);
        return I;
    }
    if (I->name && I->room && I->kept) tell(I, ERROR, "the identification of the model description is another model's");
    free(I->name), free(I->room), free(I->kept), free(I);
    return NULL;
}

static void end(Instance *I) {
    if (I) free(I->name), free(I->room), free(I->kept), free(I);
}

/* --- events of model exchange ------------------------------------------------------------------------------------ */

#define EDGE (1e-6 * STEP_LENGTH) /* so far behind an instant lies what begins there */
#define SOON (1e-4 * STEP_LENGTH) /* so long after an instant at which a function is zero it has its new sign */
enum { DECISIONS = 20 };           /* that hang on each other, at one instant */

/* Event indicators; before them, where `decide` is not 0, which pieces hold from now on. */
static void cross(Instance *I, Word decide) {
    at(I, get(I, HEAD_TIME), decide ? get(I, HEAD_BEGIN) : within(I, get(I, HEAD_TIME), 0.0));
    I->words[AT_NUMBER + NUMBER_COUNT] = decide;
    EVALUATE_CROSSINGS(address(I, AT_RUN));
}

static Word period(const Instance *I, size_t sampled) { return periods[sampled] ? (Word)get(I, periods[sampled]) : 1; }

/* The first step of the grid behind number k at which a block is sampled. */
static double next_sample(const Instance *I, Word k) {
    double next = INFINITY;
    for (size_t i = 0; i < SAMPLERS; i++)
        next = fmin(next, STEP_LENGTH * (double)((k / period(I, i) + 1) * period(I, i)));
    return next;
}

static double next_jump(double time) {
    double next = INFINITY;
    for (size_t i = 0; i < JUMPS; i++) {
        double first = jumps[i].first, every = jumps[i].every, behind = time + 4.0 * EDGE;
        if (first <= behind && every > 0.0) first += every * (floor((behind - first) / every) + 1.0);
        if (first > behind) next = fmin(next, first);
    }
    return next;
}

/* An event: samples that are due, and decisions until nothing is decided anew; when the next one in time is. */
static double meet(Instance *I) {
    double time = get(I, HEAD_TIME);
    if (time >= get(I, HEAD_END)) put(I, HEAD_BEGIN, time + EDGE);
    Word k = (Word)floor(time / STEP_LENGTH + 1e-6);
    bool sampled = SAMPLERS && k > I->words[HEAD_STEPS] && fabs((double)k * STEP_LENGTH - time) <= EDGE;
    if (sampled) {
        I->words[HEAD_STEPS] = I->words[AT_NUMBER + NUMBER_FIRST] = k;
        at(I, time, get(I, HEAD_BEGIN));
        EVALUATE_UPDATES(address(I, AT_RUN));
    }
    bool known = sampled;
    for (int i = 0; i < DECISIONS; i++) {
        memcpy(I->kept, I->words + AT_MEMORY, MEMORY * 8);
        cross(I, 1);
        if (!memcmp(I->kept, I->words + AT_MEMORY, MEMORY * 8)) break;
        known = true;
    }
    double next = fmin(next_jump(time), next_sample(I, k));
    if (DECIDED && !known && !(fabs(time - I->looked) < 2.0 * SOON)) I->looked = time, next = fmin(next, time + SOON);
    put(I, HEAD_END, next - EDGE);
    I->words[HEAD_DIRTY] = 1;
    return next;
}

static Status give_indicators(Instance *I, double *values, size_t count) {
    if (count != INDICATORS) return tell(I, ERROR, "found room for %u event indicators", (unsigned)count);
    if (count) cross(I, 0);
    for (Word i = 0; i < INDICATORS; i++) values[i] = get(I, AT_CROSSINGS + indicators[i]);
    return OK;
}

/* --- variables --------------------------------------------------------------------------------------------------- */

static Status read_values(Instance *I, const uint32_t *references, size_t count, double *values) {
    bool wanted[INDICATOR + 1] = {false};
    for (size_t i = 0; i < count; i++) {
        const Variable *v = find(I, references[i]);
        if (!v) return ERROR;
        wanted[v->kind] = true;
    }
    if (wanted[RATE]) rates(I);
    if (wanted[INDICATOR]) cross(I, 0);
    if (wanted[OUTPUT]) refresh(I);
    for (size_t i = 0; i < count; i++) values[i] = look(I, variables + references[i]);
    return OK;
}

static Status write_values(Instance *I, const uint32_t *references, size_t count, const double *values) {
    Status status = OK;
    for (size_t i = 0; i < count && status == OK; i++) status = write_value(I, references[i], values[i]);
    return status;
}

#ifdef DERIVATIVES
/* Each word of the state with its tangents behind it, and tables that lead there: no nudge is made, nothing is changed. */
typedef struct { double *wide; Word *tables; } Tangents;

static double *tangent(Tangents *T, Word at) { return T->wide + NUMBERS * at + 1; }

static void point(Instance *I, Tangents *T) {
    memcpy(T->tables, dual_words, DUAL_WORDS * 8);
    for (Word k = 0; k < STATE_WORDS; k++) memcpy(T->wide + NUMBERS * k, I->words + k, 8);
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        Word to = leads[i].to, *at = T->tables + leads[i].at;
        switch (leads[i].kind) {
        case NARROW: *at = address(I, to); break;
        case WIDE: *at = (Word)(intptr_t)(T->wide + NUMBERS * to); break;
        case OWN: *at = (Word)(intptr_t)(T->tables + to); break;
        default: *at = (Word)(intptr_t)dual_functions[to];
        }
    }
}

/* A known moves along the direction, and what follows from a parameter with it. */
static void seed_one(Tangents *T, const Variable *v, double by) {
    Word at = v->kind == STATE ? AT_X + v->at : v->at;
    *tangent(T, at) += by;
    for (Word k = v->first; k < v->first + v->count; k++) {
        const Sum *sum = sums + part_of[k];
        for (Word j = sum->first; j < sum->first + sum->count; j++)
            if (terms[j].at == v->at) *tangent(T, sum->at) += terms[j].slope * by;
    }
}

static void evaluate(Tangents *T, void (*code)(Word), double time, double during) {
    T->wide[NUMBERS * (AT_REAL + REAL_NOW)] = time, T->wide[NUMBERS * (AT_REAL + REAL_WITHIN)] = during;
    code((Word)(intptr_t)(T->tables + AT_DUAL_RUN));
}

/* As `rates` and `refresh` have values. */
static void evaluate_all(Instance *I, Tangents *T, bool rates, bool outputs) {
    double time = get(I, HEAD_TIME), half = 0.5 * get(I, AT_REAL + REAL_STEP);
#if SAMPLED
    if (I->words[HEAD_PHASE] <= SETTING_UP) {
        I->words[AT_NUMBER + NUMBER_FIRST] = 0;
        evaluate(T, DUAL_UPDATES, 0.0, within(I, 0.0, half));
    }
#endif
    if (rates) evaluate(T, DUAL_RATES, time, within(I, time, time));
    if (outputs) evaluate(T, DUAL_OUTPUTS, time, within(I, time, time + half));
}

static double found_at(Tangents *T, const Variable *v) {
    switch (v->kind) {
    case TIME: return 0.0;
    case OUTPUT: return *tangent(T, AT_ROWS + v->at);
    case STATE: return *tangent(T, AT_X + v->at);
    case RATE: return *tangent(T, AT_BEFORE + v->at);
    default: return *tangent(T, v->at);
    }
}

/* Of the unknowns along a direction of the knowns. */
static Status differentiate(Instance *I, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                            const double *seed, double *found) {
    bool wanted[INDICATOR + 1] = {false};
    for (size_t i = 0; i < unknowns; i++) {
        const Variable *v = find(I, unknown[i]);
        if (!v) return ERROR;
        if (v->kind == INDICATOR) return tell(I, ERROR, "the derivative of %s is not offered", v->name);
        wanted[v->kind] = true;
    }
    for (size_t i = 0; i < knowns; i++) {
        const Variable *v = find(I, known[i]);
        if (!v) return ERROR;
        if (v->kind != INPUT && v->kind != PARAMETER && v->kind != STATE)
            return tell(I, ERROR, "nothing can be differentiated with respect to %s", v->name);
    }
    Tangents T = {calloc(NUMBERS * STATE_WORDS, 8), malloc(DUAL_WORDS * 8)};
    Status status = T.wide && T.tables ? OK : tell(I, ERROR, "there is no memory for derivatives");
    if (status == OK) {
        keep(I);  /* integers are those of the state itself */
        point(I, &T);
        for (size_t i = 0; i < knowns; i++) seed_one(&T, variables + known[i], seed[i]);
        evaluate_all(I, &T, wanted[RATE], wanted[OUTPUT]);
        for (size_t i = 0; i < unknowns; i++) found[i] = found_at(&T, variables + unknown[i]);
        restore(I);
    }
    free(T.wide), free(T.tables);
    return status;
}
#else
static Status differentiate(Instance *I, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                            const double *seed, double *found) {
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)found;
    return tell(I, ERROR, "this FMU was made without derivatives");
}
#endif

/* --- states of an instance ---------------------------------------------------------------------------------------- */

typedef struct { Word size; Word words[]; } Saved;

static Status save(Instance *I, void **state) {
    Saved *saved = *state ? *state : malloc(sizeof(Saved) + STATE_WORDS * 8);
    if (!saved) return tell(I, ERROR, "there is no memory for a state");
    saved->size = STATE_WORDS;
    memcpy(saved->words, I->words, STATE_WORDS * 8);
    *state = saved;
    return OK;
}

static Status load(Instance *I, const void *state) {
    const Saved *saved = state;
    if (!saved || saved->size != STATE_WORDS) return tell(I, ERROR, "this is no state of this model");
    memcpy(I->words, saved->words, STATE_WORDS * 8);
    relocate(I);
    return OK;
}

#define SERIALIZED (sizeof TOKEN + STATE_WORDS * 8)

static Status serialize(Instance *I, const void *state, uint8_t *bytes, size_t size) {
    if (!state || size < SERIALIZED) return tell(I, ERROR, "there is too little room for a state");
    memcpy(bytes, TOKEN, sizeof TOKEN);
    memcpy(bytes + sizeof TOKEN, ((const Saved *)state)->words, STATE_WORDS * 8);
    return OK;
}

static Status deserialize(Instance *I, const uint8_t *bytes, size_t size, void **state) {
    if (size != SERIALIZED || memcmp(bytes, TOKEN, sizeof TOKEN))
        return tell(I, ERROR, "these bytes are no state of this model");
    Status status = save(I, state);
    if (status == OK) memcpy(((Saved *)*state)->words, bytes + sizeof TOKEN, STATE_WORDS * 8);
    return status;
}

/* --- what both versions share ------------------------------------------------------------------------------------ */

static Status begin_setting_up(Instance *I, double start) {
    if (start != 0.0) return tell(I, ERROR, "the model begins at 0 s, and is asked to begin at %g s", start);
    I->words[HEAD_PHASE] = SETTING_UP;
    I->words[HEAD_DIRTY] = 1;
    if (I->integrated) put(I, HEAD_BEGIN, EDGE), put(I, HEAD_END, INFINITY), I->looked = 0.0;
    return OK;
}

static Status give_rates(Instance *I, double *values, size_t count) {
    if (count != STATES) return tell(I, ERROR, "found room for %u rates", (unsigned)count);
    rates(I);
    memcpy(values, I->words + AT_BEFORE, STATES * 8);
    for (Word i = 0; i < STATES; i++)
        if (!isfinite(values[i])) return DISCARD;  /* the importer may try a shorter step */
    return OK;
}

static Status take_states(Instance *I, const double *values, size_t count) {
    if (count != STATES) return tell(I, ERROR, "found %u states", (unsigned)count);
    memcpy(I->words + AT_X, values, STATES * 8);
    I->words[HEAD_DIRTY] = 1;
    return OK;
}

static Status complete_step(Instance *I) {
    settle(I);
    I->words[HEAD_DIRTY] = 1;
    return singular(I) || degraded(I) ? fail(I, get(I, HEAD_TIME)) : OK;
}

static Status nominals(double *values, size_t count) {
#if OFFERS_EXCHANGE
    memcpy(values, nominal, (count < STATES ? count : STATES) * sizeof *values);
#endif
    return OK;
}

static Status set_time(Instance *I, double time) {
    put(I, HEAD_TIME, time);
    I->words[HEAD_DIRTY] = 1;
    return OK;
}

static Status finish(Instance *I) { I->words[HEAD_PHASE] = ENDED; return OK; }
static Status again(Instance *I) { begin(I); return OK; }
static Status nothing_of(Instance *I, size_t count) {
    return count ? tell(I, ERROR, "all variables of this model are real numbers") : OK;
}
static Status refuse(Instance *I, const char *what) { return tell(I, ERROR, "%s is not offered", what); }

/* --- FMI 2.0 ------------------------------------------------------------------------------------------------------ */

typedef struct {
    Logger2 logger;
    void *allocate, *release, *finished;
    void *environment;
} Callbacks2;
typedef struct { int needed, terminate, nominals_changed, values_changed, next_defined; double next; } EventInfo2;

API const char *fmi2GetTypesPlatform(void) { return "default"; }
API const char *fmi2GetVersion(void) { return "2.0"; }
API void *fmi2Instantiate(const char *name, int kind, const char *token, const char *resources,
                          const Callbacks2 *callbacks, int visible, int logging) {
    (void)resources, (void)visible, (void)logging;
    if (!OFFERS_EXCHANGE && kind == 0) return NULL;
    return make(name, token, callbacks ? callbacks->environment : NULL, callbacks ? callbacks->logger : NULL, NULL, kind == 0);
}
API void fmi2FreeInstance(Instance *I) { end(I); }
API Status fmi2SetDebugLogging(Instance *I, int on, size_t n, const char *const names[]) {
    (void)I, (void)on, (void)n, (void)names;
    return OK;
}
API Status fmi2SetupExperiment(Instance *I, int limited, double tolerance, double start, int stops, double stop) {
    (void)limited, (void)tolerance, (void)stops, (void)stop;
    return begin_setting_up(I, start);
}
API Status fmi2EnterInitializationMode(Instance *I) { return begin_setting_up(I, 0.0); }
API Status fmi2ExitInitializationMode(Instance *I) { return leave_initialization(I); }
API Status fmi2Terminate(Instance *I) { return finish(I); }
API Status fmi2Reset(Instance *I) { return again(I); }
API Status fmi2GetReal(Instance *I, const uint32_t r[], size_t n, double v[]) { return read_values(I, r, n, v); }
API Status fmi2SetReal(Instance *I, const uint32_t r[], size_t n, const double v[]) { return write_values(I, r, n, v); }
#define OTHER2(type, c_type) \
    API Status fmi2Get##type(Instance *I, const uint32_t r[], size_t n, c_type v[]) { (void)r, (void)v; return nothing_of(I, n); } \
    API Status fmi2Set##type(Instance *I, const uint32_t r[], size_t n, const c_type v[]) { (void)r, (void)v; return nothing_of(I, n); }
OTHER2(Integer, int)
OTHER2(Boolean, int)
OTHER2(String, char *)
API Status fmi2GetFMUstate(Instance *I, void **state) { return save(I, state); }
API Status fmi2SetFMUstate(Instance *I, void *state) { return load(I, state); }
API Status fmi2FreeFMUstate(Instance *I, void **state) { (void)I; if (state) free(*state), *state = NULL; return OK; }
API Status fmi2SerializedFMUstateSize(Instance *I, void *state, size_t *size) { (void)I, (void)state; *size = SERIALIZED; return OK; }
API Status fmi2SerializeFMUstate(Instance *I, void *state, char bytes[], size_t size) {
    return serialize(I, state, (uint8_t *)bytes, size);
}
API Status fmi2DeSerializeFMUstate(Instance *I, const char bytes[], size_t size, void **state) {
    return deserialize(I, (const uint8_t *)bytes, size, state);
}
API Status fmi2GetDirectionalDerivative(Instance *I, const uint32_t unknown[], size_t unknowns, const uint32_t known[],
                                        size_t knowns, const double seed[], double found[]) {
    return differentiate(I, unknown, unknowns, known, knowns, seed, found);
}
API Status fmi2DoStep(Instance *I, double now, double span, int final) {
    (void)final;
    if (fabs(now - get(I, HEAD_TIME)) > 1e-6 * STEP_LENGTH)
        return tell(I, ERROR, "a step was asked for at %g s, and the model is at %g s", now, get(I, HEAD_TIME));
    return advance(I, now + span);
}
API Status fmi2CancelStep(Instance *I) { return refuse(I, "fmi2CancelStep"); }
API Status fmi2SetRealInputDerivatives(Instance *I, const uint32_t r[], size_t n, const int order[], const double v[]) {
    (void)r, (void)order, (void)v;
    return n ? refuse(I, "fmi2SetRealInputDerivatives") : OK;
}
API Status fmi2GetRealOutputDerivatives(Instance *I, const uint32_t r[], size_t n, const int order[], double v[]) {
    (void)r, (void)order, (void)v;
    return n ? refuse(I, "fmi2GetRealOutputDerivatives") : OK;
}
API Status fmi2GetStatus(Instance *I, int kind, Status *v) { (void)I, (void)kind, (void)v; return DISCARD; }
API Status fmi2GetRealStatus(Instance *I, int kind, double *v) {
    if (kind != 2) return DISCARD;
    *v = get(I, HEAD_TIME);  /* the last time that was reached */
    return OK;
}
API Status fmi2GetIntegerStatus(Instance *I, int kind, int *v) { (void)I, (void)kind, (void)v; return DISCARD; }
API Status fmi2GetBooleanStatus(Instance *I, int kind, int *v) {
    if (kind != 3) return DISCARD;
    *v = I->words[HEAD_PHASE] == FAILED;
    return OK;
}
API Status fmi2GetStringStatus(Instance *I, int kind, const char **v) { (void)I, (void)kind, (void)v; return DISCARD; }
API Status fmi2EnterEventMode(Instance *I) { (void)I; return OK; }
API Status fmi2NewDiscreteStates(Instance *I, EventInfo2 *event) {
    memset(event, 0, sizeof *event);
    double next = meet(I);
    if (isfinite(next)) event->next_defined = 1, event->next = next;
    return OK;
}
API Status fmi2EnterContinuousTimeMode(Instance *I) { (void)I; return OK; }
API Status fmi2CompletedIntegratorStep(Instance *I, int final, int *event, int *stop) {
    (void)final;
    *event = *stop = 0;
    return complete_step(I);
}
API Status fmi2SetTime(Instance *I, double time) { return set_time(I, time); }
API Status fmi2SetContinuousStates(Instance *I, const double x[], size_t n) { return take_states(I, x, n); }
API Status fmi2GetDerivatives(Instance *I, double dx[], size_t n) { return give_rates(I, dx, n); }
API Status fmi2GetEventIndicators(Instance *I, double v[], size_t n) { return give_indicators(I, v, n); }
API Status fmi2GetContinuousStates(Instance *I, double x[], size_t n) {
    memcpy(x, I->words + AT_X, (n < STATES ? n : STATES) * 8);
    return OK;
}
API Status fmi2GetNominalsOfContinuousStates(Instance *I, double v[], size_t n) { (void)I; return nominals(v, n); }

/* --- FMI 3.0 ------------------------------------------------------------------------------------------------------ */

API const char *fmi3GetVersion(void) { return "3.0"; }
API Status fmi3SetDebugLogging(Instance *I, bool on, size_t n, const char *const names[]) {
    (void)I, (void)on, (void)n, (void)names;
    return OK;
}
API void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                       bool logging, void *environment, Logger3 logger) {
    (void)resources, (void)visible, (void)logging;
    return OFFERS_EXCHANGE ? make(name, token, environment, NULL, logger, true) : NULL;
}
API void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                      bool logging, bool events, bool early, const uint32_t required[], size_t n,
                                      void *environment, Logger3 logger, void *intermediate) {
    (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)n;
    (void)intermediate;
    return make(name, token, environment, NULL, logger, false);
}
API void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible,
                                            bool logging, void *environment, Logger3 logger, void *update, void *lock,
                                            void *unlock) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)logger;
    (void)update, (void)lock, (void)unlock;
    return NULL;
}
API void fmi3FreeInstance(Instance *I) { end(I); }
API Status fmi3EnterInitializationMode(Instance *I, bool limited, double tolerance, double start, bool stops, double stop) {
    (void)limited, (void)tolerance, (void)stops, (void)stop;
    return begin_setting_up(I, start);
}
API Status fmi3ExitInitializationMode(Instance *I) { return leave_initialization(I); }
API Status fmi3EnterEventMode(Instance *I) { (void)I; return OK; }
API Status fmi3Terminate(Instance *I) { return finish(I); }
API Status fmi3Reset(Instance *I) { return again(I); }
API Status fmi3GetFloat64(Instance *I, const uint32_t r[], size_t n, double v[], size_t m) {
    return n == m ? read_values(I, r, n, v) : tell(I, ERROR, "all variables of this model are scalars");
}
API Status fmi3SetFloat64(Instance *I, const uint32_t r[], size_t n, const double v[], size_t m) {
    return n == m ? write_values(I, r, n, v) : tell(I, ERROR, "all variables of this model are scalars");
}
#define OTHER3(type, c_type) \
    API Status fmi3Get##type(Instance *I, const uint32_t r[], size_t n, c_type v[], size_t m) { (void)r, (void)v, (void)m; return nothing_of(I, n); } \
    API Status fmi3Set##type(Instance *I, const uint32_t r[], size_t n, const c_type v[], size_t m) { (void)r, (void)v, (void)m; return nothing_of(I, n); }
OTHER3(Float32, float)
OTHER3(Int8, int8_t)
OTHER3(UInt8, uint8_t)
OTHER3(Int16, int16_t)
OTHER3(UInt16, uint16_t)
OTHER3(Int32, int32_t)
OTHER3(UInt32, uint32_t)
OTHER3(Int64, int64_t)
OTHER3(UInt64, uint64_t)
OTHER3(Boolean, bool)
OTHER3(String, char *)
API Status fmi3GetBinary(Instance *I, const uint32_t r[], size_t n, size_t s[], const uint8_t *v[], size_t m) {
    (void)r, (void)s, (void)v, (void)m;
    return nothing_of(I, n);
}
API Status fmi3SetBinary(Instance *I, const uint32_t r[], size_t n, const size_t s[], const uint8_t *const v[], size_t m) {
    (void)r, (void)s, (void)v, (void)m;
    return nothing_of(I, n);
}
API Status fmi3GetClock(Instance *I, const uint32_t r[], size_t n, bool v[]) { (void)r, (void)v; return nothing_of(I, n); }
API Status fmi3SetClock(Instance *I, const uint32_t r[], size_t n, const bool v[]) { (void)r, (void)v; return nothing_of(I, n); }
API Status fmi3GetNumberOfVariableDependencies(Instance *I, uint32_t r, size_t *n) { (void)r, (void)n; return refuse(I, "fmi3GetNumberOfVariableDependencies"); }
API Status fmi3GetVariableDependencies(Instance *I, uint32_t r, size_t a[], uint32_t b[], size_t c[], int d[], size_t n) {
    (void)r, (void)a, (void)b, (void)c, (void)d, (void)n;
    return refuse(I, "fmi3GetVariableDependencies");
}
API Status fmi3GetFMUState(Instance *I, void **state) { return save(I, state); }
API Status fmi3SetFMUState(Instance *I, void *state) { return load(I, state); }
API Status fmi3FreeFMUState(Instance *I, void **state) { return fmi2FreeFMUstate(I, state); }
API Status fmi3SerializedFMUStateSize(Instance *I, void *state, size_t *size) { return fmi2SerializedFMUstateSize(I, state, size); }
API Status fmi3SerializeFMUState(Instance *I, void *state, uint8_t bytes[], size_t size) { return serialize(I, state, bytes, size); }
API Status fmi3DeserializeFMUState(Instance *I, const uint8_t bytes[], size_t size, void **state) {
    return deserialize(I, bytes, size, state);
}
API Status fmi3GetDirectionalDerivative(Instance *I, const uint32_t unknown[], size_t unknowns, const uint32_t known[],
                                        size_t knowns, const double seed[], size_t seeds, double found[], size_t room) {
    if (seeds != knowns || room != unknowns) return tell(I, ERROR, "all variables of this model are scalars");
    return differentiate(I, unknown, unknowns, known, knowns, seed, found);
}
API Status fmi3GetAdjointDerivative(Instance *I, const uint32_t u[], size_t a, const uint32_t k[], size_t b,
                                    const double s[], size_t c, double v[], size_t d) {
    (void)u, (void)a, (void)k, (void)b, (void)s, (void)c, (void)v, (void)d;
    return refuse(I, "fmi3GetAdjointDerivative");
}
API Status fmi3EnterConfigurationMode(Instance *I) { return refuse(I, "a configuration mode"); }
API Status fmi3ExitConfigurationMode(Instance *I) { return refuse(I, "a configuration mode"); }
#define CLOCKS(name, ...) API Status fmi3##name(Instance *I, const uint32_t r[], size_t n, __VA_ARGS__) { (void)r; return nothing_of(I, n); }
CLOCKS(GetIntervalDecimal, double a[], int b[])
CLOCKS(GetIntervalFraction, uint64_t a[], uint64_t b[], int c[])
CLOCKS(GetShiftDecimal, double a[])
CLOCKS(GetShiftFraction, uint64_t a[], uint64_t b[])
CLOCKS(SetIntervalDecimal, const double a[])
CLOCKS(SetIntervalFraction, const uint64_t a[], const uint64_t b[])
CLOCKS(SetShiftDecimal, const double a[])
CLOCKS(SetShiftFraction, const uint64_t a[], const uint64_t b[])
API Status fmi3EvaluateDiscreteStates(Instance *I) { (void)I; return OK; }
API Status fmi3UpdateDiscreteStates(Instance *I, bool *again_, bool *stop, bool *nominals_, bool *values, bool *defined,
                                    double *next) {
    *again_ = *stop = *nominals_ = *values = false;
    double when = meet(I);
    *defined = isfinite(when);
    *next = *defined ? when : 0.0;
    return OK;
}
API Status fmi3EnterContinuousTimeMode(Instance *I) { (void)I; return OK; }
API Status fmi3CompletedIntegratorStep(Instance *I, bool final, bool *event, bool *stop) {
    (void)final;
    *event = *stop = false;
    return complete_step(I);
}
API Status fmi3SetTime(Instance *I, double time) { return set_time(I, time); }
API Status fmi3SetContinuousStates(Instance *I, const double x[], size_t n) { return take_states(I, x, n); }
API Status fmi3GetContinuousStateDerivatives(Instance *I, double dx[], size_t n) { return give_rates(I, dx, n); }
API Status fmi3GetEventIndicators(Instance *I, double v[], size_t n) { return fmi2GetEventIndicators(I, v, n); }
API Status fmi3GetContinuousStates(Instance *I, double x[], size_t n) { return fmi2GetContinuousStates(I, x, n); }
API Status fmi3GetNominalsOfContinuousStates(Instance *I, double v[], size_t n) { (void)I; return nominals(v, n); }
API Status fmi3GetNumberOfEventIndicators(Instance *I, size_t *n) { (void)I; *n = INDICATORS; return OK; }
API Status fmi3GetNumberOfContinuousStates(Instance *I, size_t *n) { (void)I; *n = STATES; return OK; }
API Status fmi3EnterStepMode(Instance *I) { (void)I; return OK; }
API Status fmi3GetOutputDerivatives(Instance *I, const uint32_t r[], size_t n, const int32_t order[], double v[], size_t m) {
    (void)r, (void)order, (void)v, (void)m;
    return n ? refuse(I, "fmi3GetOutputDerivatives") : OK;
}
API Status fmi3DoStep(Instance *I, double now, double span, bool final, bool *event, bool *stop, bool *early, double *last) {
    *event = *stop = *early = false;
    Status status = fmi2DoStep(I, now, span, final);
    *last = get(I, HEAD_TIME);
    return status;
}
API Status fmi3ActivateModelPartition(Instance *I, uint32_t clock, double time) {
    (void)clock, (void)time;
    return refuse(I, "fmi3ActivateModelPartition");
}
