/* What stands before main on a Cortex-M7 without a system, for programs that QEMU runs (board mps2-an500): its numbers
   come out by semihosting, of newlib's librdimon. */
#include <stdlib.h>
#include <string.h>

extern char __bss_start__[], __bss_end__[], __StackTop[];
extern void initialise_monitor_handles(void);
int main(void);

void __attribute__((naked, noreturn)) reset(void) { __asm__("ldr r0, =__StackTop\n mov sp, r0\n b begin\n"); }

void __attribute__((noreturn, used)) begin(void) {
    *(volatile unsigned *)0xE000ED88 |= 0xFu << 20; /* the processor's own floating-point numbers */
    __asm__ volatile("dsb\n isb");
    memset(__bss_start__, 0, (size_t)(__bss_end__ - __bss_start__));
    initialise_monitor_handles();
    int status = main();
    exit(status);
}

static void __attribute__((noreturn)) fault(void) { _Exit(99); }
void _init(void) {}
void _fini(void) {}

__attribute__((section(".vectors"), used)) void (*const vectors[16])(void) = {
    (void (*)(void))__StackTop, reset, fault, fault, fault, fault, fault,
};
