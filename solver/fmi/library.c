/* A model as a library of functions, in memory that the caller gives: see the header that is written beside it. */
#define FREESTANDING
#define INSTANCE \
    double outputs[OUTPUTS + 1]; \
    char text[401];
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define API(name) JOIN(PREFIX, name)
#include "core.h"

static void hear(Instance *I, Status status, const char *text) {
    (void)status;
    char *to = I->text;
    while ((*to++ = *text++)) {}
}

static Status see(Instance *I, double *found) {
    refresh(I);
    for (Word k = 0; k < OUTPUTS; k++) found[k] = get(I, AT_ROWS + outputs_at[k]);
    return OK;
}

static uintptr_t on_a_line(uintptr_t address) { return (address + 63) & ~(uintptr_t)63; }

Instance *API(init)(void *memory, size_t bytes) {
    uintptr_t here = on_a_line((uintptr_t)memory), words = on_a_line(here + sizeof(Instance));
    uintptr_t kept = words + (uintptr_t)TOTAL_WORDS * 8, end = kept + (uintptr_t)STATE_WORDS * 8;
    if (!memory || end > (uintptr_t)memory + bytes) return NULL;
    Instance *I = (Instance *)here;
    I->words = (Word *)words, I->kept = (Word *)kept, I->text[0] = 0;
    begin(I);
    I->words[HEAD_PHASE] = SETTING_UP;
    return I;
}

int API(start)(Instance *I, double *found) {
    Status status = leave_initialization(I);
    if (status == OK && found) see(I, found);
    return status;
}

int API(step)(Instance *I, const double *given, double *found) {
    for (Word k = 0; k < INPUTS; k++) {
        Status status = given ? write_value(I, FIRST_INPUT + (uint32_t)k, given[k]) : OK;
        if (status != OK) return status;
    }
    Status status = advance(I, get(I, HEAD_START) + STEP_LENGTH * (double)(I->words[HEAD_STEPS] + 1));
    if (status == OK && found) see(I, found);
    return status;
}

double API(time)(const Instance *I) { return get(I, HEAD_TIME); }
const char *API(text)(const Instance *I) { return I->text; }
int API(set)(Instance *I, int parameter, double value) {
    if (parameter < 0 || parameter >= PARAMETERS) return tell(I, ERROR, "there is no such parameter");
    return write_value(I, FIRST_PARAMETER + (uint32_t)parameter, value);
}
double API(get)(const Instance *I, int parameter) {
    return parameter < 0 || parameter >= PARAMETERS ? 0.0 : look(I, variables + FIRST_PARAMETER + parameter);
}
void API(save)(const Instance *I, void *state) { memcpy(state, I->words, STATE_WORDS * 8); }
void API(load)(Instance *I, const void *state) {
    memcpy(I->words, state, STATE_WORDS * 8);
    relocate(I);
    I->words[HEAD_DIRTY] = 1;
}
