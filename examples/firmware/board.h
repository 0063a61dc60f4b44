/* board.h - what startup.c does for main.c */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>

/* Prints a string. */
void board_print(const char *text);

/* Ends the program with an exit status, as a debugger or QEMU sees it. */
void board_exit(int status);

/* No C library: these two are what a compiler may call by itself. */
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);

int main(void);

#endif
