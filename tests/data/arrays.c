/* y = gain u and the sum of u, elements of arrays, as an FMU 3.0 for co-simulation alone. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct { double u[6], gain; } Arrays;

const char *fmi3GetVersion(void) { return "3.0"; }
void *fmi3InstantiateCoSimulation(const char *n, const char *id, const char *r, bool v, bool l, bool e, bool early,
                                  const uint32_t req[], size_t k, void *env, void *logger, void *update) {
    return calloc(1, sizeof(Arrays));
}
void fmi3FreeInstance(void *a) { free(a); }
int fmi3EnterInitializationMode(void *a, bool d, double t, double s, bool stops, double stop) { return 0; }
int fmi3ExitInitializationMode(void *a) { return 0; }
int fmi3Terminate(void *a) { return 0; }
int fmi3SetFloat64(Arrays *a, const uint32_t r[], size_t n, const double v[], size_t m) {
    for (size_t i = 0, k = 0; i < n; i++)
        for (size_t e = 0; e < (r[i] == 1 ? 6 : 1); e++, k++) {
            if (k >= m) return 3;
            *(r[i] == 1 ? a->u + e : &a->gain) = v[k];
        }
    return 0;
}
int fmi3GetFloat64(Arrays *a, const uint32_t r[], size_t n, double v[], size_t m) {
    double sum = 0.0;
    for (size_t e = 0; e < 6; e++) sum += a->u[e];
    for (size_t i = 0, k = 0; i < n; i++)
        for (size_t e = 0; e < (r[i] == 3 ? 1 : 6); e++, k++) {
            if (k >= m) return 3;
            v[k] = r[i] == 3 ? sum : a->gain * a->u[e];
        }
    return 0;
}
int fmi3DoStep(void *a, double t, double h, bool f, bool *event, bool *stop, bool *early, double *last) {
    *event = *stop = *early = false, *last = t + h;
    return 0;
}

/* what an importer looks for, and nobody calls */
#define NONE(name) int fmi3##name(void) { return 3; }
NONE(ActivateModelPartition) NONE(CompletedIntegratorStep) NONE(DeserializeFMUState) NONE(EnterConfigurationMode)
NONE(EnterContinuousTimeMode) NONE(EnterEventMode) NONE(EnterStepMode) NONE(EvaluateDiscreteStates)
NONE(ExitConfigurationMode) NONE(FreeFMUState) NONE(GetAdjointDerivative) NONE(GetBinary) NONE(GetBoolean)
NONE(GetClock) NONE(GetContinuousStateDerivatives) NONE(GetContinuousStates) NONE(GetDirectionalDerivative)
NONE(GetEventIndicators) NONE(GetFMUState) NONE(GetFloat32) NONE(GetInt16) NONE(GetInt32) NONE(GetInt64)
NONE(GetInt8) NONE(GetIntervalDecimal) NONE(GetIntervalFraction) NONE(GetNominalsOfContinuousStates)
NONE(GetNumberOfContinuousStates) NONE(GetNumberOfEventIndicators) NONE(GetNumberOfVariableDependencies)
NONE(GetOutputDerivatives) NONE(GetShiftDecimal) NONE(GetShiftFraction) NONE(GetString) NONE(GetUInt16)
NONE(GetUInt32) NONE(GetUInt64) NONE(GetUInt8) NONE(GetVariableDependencies) NONE(InstantiateModelExchange)
NONE(InstantiateScheduledExecution) NONE(Reset) NONE(SerializeFMUState) NONE(SerializedFMUStateSize) NONE(SetBinary)
NONE(SetBoolean) NONE(SetClock) NONE(SetContinuousStates) NONE(SetDebugLogging) NONE(SetFMUState) NONE(SetFloat32)
NONE(SetInt16) NONE(SetInt32) NONE(SetInt64) NONE(SetInt8) NONE(SetIntervalDecimal) NONE(SetIntervalFraction)
NONE(SetShiftDecimal) NONE(SetShiftFraction) NONE(SetString) NONE(SetTime) NONE(SetUInt16) NONE(SetUInt32)
NONE(SetUInt64) NONE(SetUInt8) NONE(UpdateDiscreteStates)
