/* Control flow that optimisers get wrong: setjmp, variable arguments, recursion, computed calls, odd loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf out;

static int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void deep(int n, volatile int *seen) {
    char room[32];
    memset(room, n, sizeof room);
    *seen += room[n % 32] == (char)n;
    if (n == 0) longjmp(out, 42);
    deep(n - 1, seen);
}

static int jumped(void) {
    volatile int seen = 0, tries = 0;
    int got = setjmp(out);
    if (got == 0 || tries < 3) { tries++; deep(20, &seen); }
    return got == 42 && seen == 63 && tries == 3;
}

static double added(const char *kinds, ...) {
    va_list list, again;
    double total = 0;
    va_start(list, kinds);
    va_copy(again, list);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += (double)va_arg(list, long long); break;
        case 'd': total += va_arg(list, double); break;
        case 's': total += (double)strlen(va_arg(list, char *)); break;
        }
    total += va_arg(again, int) * 1000;
    va_end(again);
    va_end(list);
    return total;
}

struct node { struct node *left, *right; int key; };

static struct node *inserted(struct node *tree, int key) {
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        if (!tree) abort();
        tree->key = key;
    } else if (key < tree->key) tree->left = inserted(tree->left, key);
    else if (key > tree->key) tree->right = inserted(tree->right, key);
    return tree;
}

static unsigned walked(struct node *tree, unsigned hash) {
    if (!tree) return hash;
    hash = walked(tree->left, hash) * 33u + (unsigned)tree->key;
    hash = walked(tree->right, hash);
    free(tree);
    return hash;
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
    int found = 0;
    if (row == n) return 1;
    for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int down(const void *a, const void *b) { return up(b, a); }

static int sorted(void) {
    int (*const orders[])(const void *, const void *) = {up, down};
    int x[200], ok = 1;
    unsigned s = 7;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 200; i++) x[i] = (int)((s = s * 1103515245u + 12345u) >> 16 & 1023);
        qsort(x, 200, sizeof *x, orders[k]);
        for (int i = 1; i < 200; i++) ok &= orders[k](x + i - 1, x + i) <= 0;
    }
    return ok;
}

static void copied(char *to, const char *from, int n) {
    int turns = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--turns > 0);
    }
}

static int machine(const char *program) {
    static const void *const jumps[] = {&&push, &&add, &&multiply, &&halt};
    int stack[16], *top = stack;
    goto *jumps[(int)*program++];
push: *top++ = *program++; goto *jumps[(int)*program++];
add: top--; top[-1] += top[0]; goto *jumps[(int)*program++];
multiply: top--; top[-1] *= top[0]; goto *jumps[(int)*program++];
halt: return top[-1];
}

int main(void) {
    static const char program[] = {0, 6, 0, 7, 2, 0, 58, 1, 3};
    char text[40] = "";
    struct node *tree = NULL;
    int check = 0;
#define CHECK(what) do { check++; if (!(what)) { printf("check %d fails\n", check); return check; } } while (0)
    CHECK(ackermann(2, 9) == 21 && ackermann(3, 4) == 125);
    CHECK(jumped());
    CHECK(added("iilds", 1, 2, 3LL, 4.5, "four") == 1014.5);
    CHECK(queens(8, 0, 0, 0, 0) == 92);
    CHECK(sorted());
    copied(text, "a device of Duff's, by hand", 28);
    CHECK(strcmp(text, "a device of Duff's, by hand") == 0);
    CHECK(machine(program) == 100);
    for (unsigned i = 1, s = 1; i < 300; i++) tree = inserted(tree, (int)((s = s * 69069u + 1) >> 20));
    printf("%u\n", walked(tree, 5381));
    return 0;
}
