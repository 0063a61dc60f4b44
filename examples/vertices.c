/* vertices.c - unshare the corners of a mesh, as flat shading needs it
 *
 *     cc -I. examples/vertices.c -o build/vertices && build/vertices
 *
 * A mesh file holds each vertex once, as a struct, and triangles as 16-bit
 * numbers of vertices. A flat triangle list repeats the vertices: here as whole
 * structs, and attribute by attribute, out of one kind of struct into another.
 * The strides say where an attribute lies; nothing is repacked first.
 *
 * The left picture is shaded by vertex, the right one by triangle. The exit
 * status is 0 if all ways give the same and a broken index is noticed. */
#include <stdio.h>
#include <string.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#define VERTICES  12
#define TRIANGLES 20
#define CORNERS   (3 * TRIANGLES)
#define PHI       1.618034f

typedef struct {
    uint32_t      name;
    float         position[3];
    unsigned char light;
} vertex;

typedef struct { float light, position[3]; } corner;

static const float place[VERTICES][3] = {
    {-1, PHI, 0}, {1, PHI, 0}, {-1, -PHI, 0}, {1, -PHI, 0},
    {0, -1, PHI}, {0, 1, PHI}, {0, -1, -PHI}, {0, 1, -PHI},
    {PHI, 0, -1}, {PHI, 0, 1}, {-PHI, 0, -1}, {-PHI, 0, 1}
};

static const uint16_t mesh_index[CORNERS] = {
    0, 11, 5,  0, 5, 1,   0, 1, 7,   0, 7, 10, 0, 10, 11,
    1, 5, 9,   5, 11, 4,  11, 10, 2, 10, 7, 6, 7, 1, 8,
    3, 9, 4,   3, 4, 2,   3, 2, 6,   3, 6, 8,  3, 8, 9,
    4, 9, 5,   2, 4, 11,  6, 2, 10,  8, 6, 7,  9, 8, 1
};

/* 0 ... 255, for a normal of some length; the light is over the left eye. */
static unsigned char lit(const float *n, float length)
{
    float b = (n[0] * -0.45f + n[1] * 0.6f + n[2] * 0.66f) / length;
    return (unsigned char)(b > 0 ? 40 + b * 214 : 40);
}

/* What a loader would read from a file: an icosahedron, turned a little. */
static void load(vertex *mesh)
{
    int v;
    memset(mesh, 0, VERTICES * sizeof *mesh);
    for (v = 0; v < VERTICES; v++) {
        const float *p = place[v];
        float       *q = mesh[v].position;
        float        z = p[2] * 0.92f - p[0] * 0.39f;
        mesh[v].name = (uint32_t)(1000 + v);
        q[0] = p[0] * 0.92f + p[2] * 0.39f;
        q[1] = p[1] * 0.95f - z * 0.31f;
        q[2] = p[1] * 0.31f + z * 0.95f;
        mesh[v].light = lit(q, 1.902f);         /* all are as far from 0 */
    }
}

/* The nearest triangle at x, y: returns its light there, or 0 for none. The
 * light of a triangle is flat[t], or without flat that of its corners. */
static float look(const corner *list, const float *flat, float x, float y)
{
    float near = -9, light = 0;
    int   t;
    for (t = 0; t < TRIANGLES; t++) {
        const corner *c = list + 3 * t;
        const float  *a = c[0].position, *b = c[1].position;
        const float  *d = c[2].position;
        float all = (b[0] - a[0]) * (d[1] - a[1]) -
                    (d[0] - a[0]) * (b[1] - a[1]);
        float u = (b[0] - x) * (d[1] - y) - (d[0] - x) * (b[1] - y);
        float v = (d[0] - x) * (a[1] - y) - (a[0] - x) * (d[1] - y);
        float w = all - u - v, z;
        if (all <= 0 || u < 0 || v < 0 || w < 0) continue;  /* back, outside */
        z = (a[2] * u + b[2] * v + d[2] * w) / all;
        if (z <= near) continue;
        near = z;
        light = flat ? flat[t] : (c[0].light * u + c[1].light * v +
                                  c[2].light * w) / all;
    }
    return light;
}

static void draw(const corner *list, const float *flat)
{
    static const char ink[] = " .,:;=+xoX#@";
    int row, side, i;
    for (row = 0; row < 20; row++) {
        for (side = 0; side < 2; side++)
            for (i = 0; i < 39; i++) {
                float light = look(list, side ? flat : NULL,
                                   ((float)i - 19) * 0.1f,
                                   (9.5f - (float)row) * 0.2f);
                putchar(ink[(int)(light * (1 / 22.0f))]);
            }
        putchar('\n');
    }
}

/* positions of mesh[index[i]] to a list of corners: out has strides as well. */
static int unshare(corner *list, const vertex *mesh, const uint16_t *index,
                   ndg_report *report)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    d.params     = ndg_strided2(VERTICES, sizeof(vertex), 3, sizeof(float));
    d.indices    = ndg_dims1(CORNERS);
    d.index_type = NDG_U16;
    d.out        = ndg_strided2(CORNERS, sizeof(corner), 3, sizeof(float));
    d.elem_size  = sizeof(float);
    return ndg_gather(list[0].position,
                      (ptrdiff_t)(CORNERS * sizeof(corner) -
                                  offsetof(corner, position)),
                      mesh[0].position, index, &d, report);
}

int main(void)
{
    vertex        mesh[VERTICES], whole[CORNERS];
    corner        list[CORNERS];
    unsigned char light[CORNERS];
    uint16_t      broken[CORNERS];
    float         flat[TRIANGLES];
    ndg_report    r;
    char          line[200];
    int           i, k, wrong = 0;

    load(mesh);
    if (ndg_gather_rows(whole, sizeof whole, mesh, VERTICES, sizeof mesh[0], 0,
                        mesh_index, NDG_U16, CORNERS, NDG_ERROR, &r) ||
        ndg_gather_rows(light, sizeof light, &mesh[0].light, VERTICES, 1,
                        sizeof mesh[0], mesh_index, NDG_U16, CORNERS,
                        NDG_ERROR, &r) ||
        unshare(list, mesh, mesh_index, &r)) {
        ndg_report_text(line, sizeof line, &r, NULL);
        printf("%s\n", line);
        return 1;
    }
    for (i = 0; i < CORNERS; i++) {
        const vertex *want = &mesh[mesh_index[i]];
        list[i].light = (float)light[i];
        wrong += memcmp(&whole[i], want, sizeof *want) != 0 ||
                 light[i] != want->light ||
                 memcmp(list[i].position, want->position,
                        sizeof want->position) != 0;
    }
    for (i = 0; i < TRIANGLES; i++) {
        float n[3];                        /* the middle points outwards */
        for (k = 0; k < 3; k++)
            n[k] = list[3 * i].position[k] + list[3 * i + 1].position[k] +
                   list[3 * i + 2].position[k];
        flat[i] = (float)lit(n, 4.534f);
    }
    draw(list, flat);
    printf("%d vertices, %d corners; triangle 0 has %d %d %d\n", VERTICES,
           CORNERS, (int)whole[0].name, (int)whole[1].name, (int)whole[2].name);

    memcpy(broken, mesh_index, sizeof broken);
    broken[17] = 999;
    wrong += unshare(list, mesh, broken, &r) != NDG_E_INDEX;
    ndg_report_text(line, sizeof line, &r, NULL);
    printf("a broken file: %s\n", line);
    printf(wrong ? "%d corners are wrong\n" : "every corner is right\n", wrong);
    return wrong ? 1 : 0;
}
