/* A model as a module of WebAssembly: one instance, for the worker of a page. */
#define INSTANCE char text[LONGEST + 1]; /* what was said last */
#include "core.h"

#define API(name) __attribute__((export_name(#name))) name

static _Alignas(64) Word words[TOTAL_WORDS];
static Word kept[STATE_WORDS];
static Instance model = {words, kept, ""};

static void hear(Instance *I, Status status, const char *text) {
    (void)status;
    char *to = I->text;
    while ((*to++ = *text++)) {}
}

/* What gives two numbers, which no function of JavaScript does. */
double frexp(double x, int *power) {
    *power = 0;
    if (x == 0.0 || !isfinite(x)) return x;
    while (fabs(x) >= 1.0) x *= 0.5, ++*power;
    while (fabs(x) < 0.5) x *= 2.0, --*power;
    return x;
}

Word *API(numbers)(void) { return words; }
const char *API(text)(void) { return model.text; }
void API(prepare)(void) {
    begin(&model);
    model.words[HEAD_PHASE] = SETTING_UP;
}
Status API(start)(void) { return leave_initialization(&model); }
Status API(step)(double count) {
    return advance(&model, get(&model, HEAD_START) + STEP_LENGTH * ((double)model.words[HEAD_STEPS] + count));
}
void API(look_at_outputs)(void) { refresh(&model); }
double API(time)(void) { return get(&model, HEAD_TIME); }
Status API(set)(uint32_t reference, double value) { return write_value(&model, reference, value); }
