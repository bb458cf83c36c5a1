/* A ball that bounces, as an FMU 2.0 for model exchange alone: a state event, an event in time, and a way to fail. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double t, x[2], push, broken; int kicked; } Ball;
typedef struct { int again, terminate, nominals, values, defined; double next; } Events;

static const double KICK = 0.305;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
void *fmi2Instantiate(const char *n, int kind, const char *id, const char *r, const void *c, int v, int l) {
    Ball *b = calloc(1, sizeof *b);
    b->x[0] = 1.0;
    return kind == 0 ? b : NULL;
}
void fmi2FreeInstance(void *b) { free(b); }
int fmi2SetDebugLogging(void *b, int on, size_t n, const char *const names[]) { return 0; }
int fmi2SetupExperiment(void *b, int a, double c, double d, int e, double f) { return 0; }
int fmi2EnterInitializationMode(void *b) { return 0; }
int fmi2ExitInitializationMode(void *b) { return 0; }
int fmi2Terminate(void *b) { return 0; }
int fmi2Reset(void *b) { return 0; }
static double rate(Ball *b, int k) { return k ? b->push - 9.81 : b->x[1]; }
int fmi2GetReal(Ball *b, const uint32_t r[], size_t n, double v[]) {
    for (size_t i = 0; i < n; i++)
        v[i] = r[i] < 2 ? b->x[r[i]] : r[i] < 4 ? rate(b, r[i] - 2) : r[i] == 4 ? b->push : b->broken;
    return 0;
}
int fmi2SetReal(Ball *b, const uint32_t r[], size_t n, const double v[]) {
    for (size_t i = 0; i < n; i++) *(r[i] == 4 ? &b->push : &b->broken) = v[i];
    return 0;
}
int fmi2EnterEventMode(Ball *b) { return 0; }
int fmi2NewDiscreteStates(Ball *b, Events *e) {
    memset(e, 0, sizeof *e);
    if (b->x[0] < 1e-9 && b->x[1] < 0) b->x[0] = 0.0, b->x[1] *= -0.7, e->values = 1;
    if (!b->kicked && b->t >= KICK) b->x[1] += 0.5, b->kicked = 1, e->values = 1, e->again = 1;
    e->defined = !b->kicked, e->next = KICK;
    return 0;
}
int fmi2EnterContinuousTimeMode(Ball *b) { return 0; }
int fmi2CompletedIntegratorStep(Ball *b, int final, int *event, int *stop) { return *event = *stop = 0; }
int fmi2SetTime(Ball *b, double t) { b->t = t; return 0; }
int fmi2SetContinuousStates(Ball *b, const double x[], size_t n) { memcpy(b->x, x, n * 8); return 0; }
int fmi2GetDerivatives(Ball *b, double dx[], size_t n) {
    dx[0] = rate(b, 0), dx[1] = rate(b, 1);
    return b->broken != 0.0 && b->t > 0.1 ? 3 : 0;
}
int fmi2GetEventIndicators(Ball *b, double z[], size_t n) { z[0] = b->x[0]; return 0; }
int fmi2GetContinuousStates(Ball *b, double x[], size_t n) { memcpy(x, b->x, n * 8); return 0; }
int fmi2GetNominalsOfContinuousStates(Ball *b, double x[], size_t n) { x[0] = x[1] = 1.0; return 0; }

/* what an importer looks for, and never calls here */
#define UNUSED(name) int fmi2##name(void) { return 3; }
UNUSED(GetInteger) UNUSED(GetBoolean) UNUSED(GetString) UNUSED(SetInteger) UNUSED(SetBoolean) UNUSED(SetString)
UNUSED(GetFMUstate) UNUSED(SetFMUstate) UNUSED(FreeFMUstate) UNUSED(SerializedFMUstateSize)
UNUSED(SerializeFMUstate) UNUSED(DeSerializeFMUstate) UNUSED(GetDirectionalDerivative)
