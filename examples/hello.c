/* hello.c - spell a word:  cc -I. examples/hello.c -o hello && ./hello */
#include <stdio.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

int main(void)
{
    const char      table[2][3] = { {'a', 'b', 'c'}, {'d', 'e', 'f'} };
    const int32_t   at[5][2] = { {1,0}, {1,1}, {0,2}, {0,0}, {1,2} };
    char            out[5] = { '.', '.', '.', '.', '.' };
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      report;
    char            line[120];

    d.params    = ndg_dims2(2, 3);        /* 2 rows, 3 columns ...           */
    d.elem_size = sizeof table[0][0];     /* ... of char                     */
    d.indices   = ndg_dims2(5, 2);        /* 5 pairs (row, column) of i32    */
    printf("before: %.5s\n", out);
    ndg_gather_nd(out, sizeof out, table, at, &d, &report);
    ndg_report_text(line, sizeof line, &report, &d.indices);
    printf("after:  %.5s   (%s)\n", out, line);
    return report.status;
}
