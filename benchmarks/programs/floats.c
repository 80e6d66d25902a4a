/* Floating point whose answers are known to the last bit, or within an error that is known. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 12

static uint64_t bits(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }

/* Neumaier's sum: an optimiser that reassociates gives 0. */
static double sum(const double *x, int n) {
    double s = x[0], c = 0;
    for (int i = 1; i < n; i++) {
        double t = s + x[i];
        c += fabs(s) >= fabs(x[i]) ? (s - t) + x[i] : (x[i] - t) + s;
        s = t;
    }
    return s + c;
}

static double solved(void) {
    double a[N][N + 1], worst = 0;
    for (int i = 0; i < N; i++) {
        a[i][N] = 0;
        for (int j = 0; j < N; j++) a[i][j] = i == j ? 4.0 : 1.0 / (1 + i + j), a[i][N] += a[i][j] * (j + 1);
    }
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            if (i == k) continue;
            double f = a[i][k] / a[k][k];
            for (int j = k; j <= N; j++) a[i][j] -= f * a[k][j];
        }
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(a[i][N] / a[i][i] - (i + 1)));
    return worst;
}

static double simpson(double (*f)(double), double from, double to, int n) {
    double h = (to - from) / n, s = f(from) + f(to);
    for (int i = 1; i < n; i++) s += f(from + i * h) * (i % 2 ? 4 : 2);
    return s * h / 3;
}

static double bell(double x) { return 1 / (1 + x * x); }

static float halved(float x, int n) { while (n--) x *= 0.5f; return x; }

static int special(volatile double zero) {
    double inf = 1 / zero, nan = inf - inf;
    return nan != nan && !(nan < 1) && !(nan >= 1) && inf > 1e308 && bits(-zero) == 1ull << 63 && bits(zero + -zero) == 0
        && 1 / -inf == 0 && (nan == nan ? 0 : 1) && signbit(copysign(0.0, -3));
}

static int rounded(void) {
    volatile double half = 2.5, big = 4503599627370495.5;
    return (int)half == 2 && (int)-half == -2 && rint(half) == 2 && floor(-half) == -3 && ceil(-half) == -2
        && (float)16777217 == 16777216.0f && (uint64_t)big == 4503599627370495ull && (unsigned char)300 == 44;
}

static uint64_t chaos(void) {
    double x = 0.3;
    float y = 0.7f;
    for (int i = 0; i < 3000; i++) {
        x = 3.9 * x * (1 - x);
        y = y < 0.5f ? 1.99f * y : 1.99f * (1 - y);
        if (i % 100 == 7) x = fmin(x + (double)y * 1e-3, 0.9);
    }
    return bits(x) ^ bits(y) << 1;
}

int main(void) {
    static const double hard[] = {1, 1e100, 1, -1e100};
    int check = 0;
#define CHECK(what) do { check++; if (!(what)) { printf("check %d fails\n", check); return check; } } while (0)
    CHECK(sum(hard, 4) == 2);
    CHECK(solved() < 1e-12);
    CHECK(fabs(4 * simpson(bell, 0, 1, 1000) - 3.141592653589793) < 1e-14);
    CHECK(halved(1, 149) == 1.40129846e-45f && halved(1, 150) == 0);
    CHECK(special(0));
    CHECK(rounded());
    CHECK(0.1 + 0.2 != 0.3 && bits(0.1 + 0.2) == 0x3FD3333333333334ull);
    printf("%016llx %.17g\n", (unsigned long long)chaos(), solved());
    return 0;
}
