/* A small importer in C for bench/fmu_memory.py: all that FMUs of luff do with memory, in both versions of FMI.

   fmu_host LIBRARY TOKEN VARIABLES STATES STEP STEPS KNOWN [leak]: KNOWN is a parameter that may be set, or -1. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Instance;
typedef struct { void *logger, *allocate, *release, *finished, *environment; } Callbacks;
typedef struct { int needed, terminate, nominals, values, defined; double next; } Events;

static void *library;
static int told; /* messages of the FMU */

static void log2_(void *e, const char *name, int status, const char *category, const char *format, ...) {
    (void)e, (void)name, (void)status, (void)category, (void)format;
    told++;
}
static void log3_(void *e, int status, const char *category, const char *text) {
    (void)e, (void)status, (void)category;
    told += strlen(text) > 0;
}

static void *symbol(const char *name) {
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "there is no %s\n", name), exit(2);
    return found;
}
static void expect(bool good, const char *what) {
    if (!good) fprintf(stderr, "failed: %s\n", what), exit(3);
}

/* A function of the library, called with what it takes. */
#define CALL(type, name, ...) ((type (*)())symbol(name))(__VA_ARGS__)
#define FINE(name, ...) expect(CALL(int, name, __VA_ARGS__) == 0, name)
#define REFUSED(name, ...) expect(CALL(int, name, __VA_ARGS__) == 3, name " is refused")

int main(int count, char **words) {
    expect(count >= 8, "seven words");
    library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror()), exit(2);
    const char *token = words[2];
    size_t variables = strtoul(words[3], NULL, 10), states = strtoul(words[4], NULL, 10), size = 0;
    double step = strtod(words[5], NULL), last = 0.0, seed = 1.0, slope = 0.0;
    long steps = strtol(words[6], NULL, 10), known = strtol(words[7], NULL, 10);
    Callbacks callbacks = {(void *)log2_, (void *)calloc, (void *)free, NULL, NULL};
    uint32_t *all = malloc(variables * sizeof *all), one = known < 0 ? 0 : (uint32_t)known;
    /* of their exact sizes, so that a write behind them is seen */
    double *first = malloc(variables * 8), *second = malloc(variables * 8), *x = malloc(states * 8 + !states);
    for (size_t i = 0; i < variables; i++) all[i] = (uint32_t)i;
    bool event, stop, early;

    /* what is another model's is refused, and keeps nothing */
    expect(!CALL(Instance, "fmi2Instantiate", "wrong", 1, "{}", "", &callbacks, 0, 0), "another model's token is refused");

    /* two instances side by side, one in each version: equal to the last bit */
    Instance a = CALL(Instance, "fmi2Instantiate", "a", 1, token, "", &callbacks, 0, 0);
    Instance b = CALL(Instance, "fmi3InstantiateCoSimulation", "b", token, "", false, false, false, false, NULL,
                      (size_t)0, NULL, (void *)log3_, NULL);
    expect(a && b, "two instances");
    FINE("fmi2SetupExperiment", a, 0, 0.0, 0.0, 0, 0.0);
    FINE("fmi2GetReal", a, all, variables, first); /* before the start */
    FINE("fmi2EnterInitializationMode", a);
    FINE("fmi2ExitInitializationMode", a);
    FINE("fmi3EnterInitializationMode", b, false, 0.0, 0.0, false, 0.0);
    FINE("fmi3ExitInitializationMode", b);
    void *state = NULL, *copy = NULL;
    for (long k = 0; k < steps; k++) {
        FINE("fmi2DoStep", a, k * step, step, 1);
        FINE("fmi3DoStep", b, k * step, step, true, &event, &stop, &early, &last);
        FINE("fmi2GetReal", a, all, variables, first);
        FINE("fmi3GetFloat64", b, all, variables, second, variables);
        expect(!memcmp(first, second, variables * 8), "both versions have the same numbers");
        if (k == steps / 2) FINE("fmi2GetFMUstate", a, &state);
    }

    /* the state of the one, through bytes, into the other, which runs the second half again */
    FINE("fmi2SerializedFMUstateSize", a, state, &size);
    uint8_t *bytes = malloc(size);
    FINE("fmi2SerializeFMUstate", a, state, bytes, size);
    REFUSED("fmi3DeserializeFMUState", b, bytes, size - 1, &copy);
    FINE("fmi3DeserializeFMUState", b, bytes, size, &copy);
    FINE("fmi2FreeFMUstate", a, &state);
    CALL(void, "fmi2FreeInstance", NULL);
    FINE("fmi3SetFMUState", b, copy);
    for (long k = steps / 2 + 1; k < steps; k++)
        FINE("fmi3DoStep", b, k * step, step, true, &event, &stop, &early, &last);
    FINE("fmi3GetFloat64", b, all, variables, second, variables);
    expect(!memcmp(first, second, variables * 8), "a state that is taken up again leads to the same numbers");
    FINE("fmi3FreeFMUState", b, &copy);

    /* mistakes, a derivative, and the beginning again */
    uint32_t none = (uint32_t)variables;
    REFUSED("fmi2GetReal", a, &none, (size_t)1, first);
    REFUSED("fmi2DoStep", a, -1.0, step, 1);
    if (known >= 0) FINE("fmi2GetDirectionalDerivative", a, all + 1, (size_t)1, &one, (size_t)1, &seed, &slope);
    FINE("fmi2Reset", a);
    FINE("fmi2SetupExperiment", a, 0, 0.0, 0.0, 0, 0.0);
    if (known >= 0) {
        FINE("fmi2GetReal", a, &one, (size_t)1, &slope);
        slope *= 1.01;
        FINE("fmi2SetReal", a, &one, (size_t)1, &slope);
    }
    FINE("fmi2EnterInitializationMode", a);
    FINE("fmi2ExitInitializationMode", a);
    FINE("fmi2DoStep", a, 0.0, step, 1);
    FINE("fmi2Terminate", a);

    /* model exchange, where it is offered */
    Instance c = CALL(Instance, "fmi2Instantiate", "c", 0, token, "", &callbacks, 0, 0);
    if (c) {
        int next, ended;
        Events events;
        FINE("fmi2SetupExperiment", c, 0, 0.0, 0.0, 0, 0.0);
        FINE("fmi2EnterInitializationMode", c);
        FINE("fmi2ExitInitializationMode", c);
        FINE("fmi2NewDiscreteStates", c, &events);
        FINE("fmi2EnterContinuousTimeMode", c);
        for (int k = 0; k < 5; k++) {
            FINE("fmi2SetTime", c, k * step);
            FINE("fmi2GetContinuousStates", c, x, states);
            FINE("fmi2SetContinuousStates", c, x, states);
            FINE("fmi2GetDerivatives", c, x, states);
            FINE("fmi2CompletedIntegratorStep", c, 1, &next, &ended);
        }
        FINE("fmi2GetReal", c, all, variables, first);
        CALL(void, "fmi2FreeInstance", c);
    }
    if (count < 9) CALL(void, "fmi2FreeInstance", a);
    CALL(void, "fmi3FreeInstance", b);
    printf("%zu variables, %ld steps, %d messages, model exchange %s\n", variables, steps, told, c ? "too" : "not offered");
    free(bytes), free(all), free(first), free(second), free(x);
    dlclose(library);
    return 0;
}
