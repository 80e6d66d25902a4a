/* Integer arithmetic whose answers are known: exits with the number of the first wrong one. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t crc32(const unsigned char *p, int n) {
    uint32_t c = ~0u;
    while (n--) {
        c ^= *p++;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
    }
    return ~c;
}

static int population(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    return (int)((x + (x >> 4) & 0x0F0F0F0F0F0F0F0Full) * 0x0101010101010101ull >> 56);
}

static uint32_t reversed(uint32_t x) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t rotated(uint32_t x, unsigned by) { return by & 31 ? x << (by & 31) | x >> (32 - (by & 31)) : x; }

static uint32_t root(uint32_t x) {
    uint32_t r = 0;
    for (uint32_t bit = 1u << 30; bit; bit >>= 2)
        if (x >= r + bit) { x -= r + bit; r = (r >> 1) + bit; } else r >>= 1;
    return r;
}

static uint64_t power(uint64_t b, uint64_t e, uint64_t m) {
    uint64_t r = 1;
    for (; e; e >>= 1, b = b * b % m) if (e & 1) r = r * b % m;
    return r;
}

static int primes(int n) {
    static unsigned char composite[10001];
    int count = 0;
    for (int i = 2; i <= n; i++) {
        if (composite[i]) continue;
        count++;
        for (int j = i * i; j <= n; j += i) composite[j] = 1;
    }
    return count;
}

struct packed { signed a : 5; unsigned b : 11; signed c : 16; unsigned char d[3]; };

static int fields(void) {
    volatile int five = -9;
    struct packed p = {five, 2047, SHRT_MIN, {1, 2, 255}};
    p.b++;
    p.a -= 8;
    return p.a == 15 && p.b == 0 && p.c == -32768 && p.d[2] + 1 == 256;
}

static int saturated(int a, int b) {
    if (b > 0 && a > INT_MAX - b) return INT_MAX;
    if (b < 0 && a < INT_MIN - b) return INT_MIN;
    return a + b;
}

static int divisions(void) {
    static const int tops[] = {7, -7, INT_MAX, INT_MIN + 1, 0, 1000003};
    uint32_t sum = 0;
    for (int i = 0; i < 6; i++)
        for (int d = -12; d <= 12; d++)
            if (d) {
                if (tops[i] / d * d + tops[i] % d != tops[i]) return 0;
                sum = sum * 31 + (uint32_t)(tops[i] / d) + (uint32_t)(tops[i] % d);
            }
    printf("%u\n", sum);
    return 1;
}

static uint64_t mixed(void) {
    uint64_t s = 88172645463325252ull, total = 0;
    for (int i = 0; i < 5000; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        switch (s % 7) {
        case 0: total += (uint8_t)s; break;
        case 1: total -= (uint64_t)(int64_t)(int8_t)s; break;
        case 2: total ^= s * 0x9E3779B97F4A7C15ull; break;
        case 3: total = total << 1 | total >> 63; break;
        case 4: total += (uint64_t)population(s); break;
        case 5: total += (uint64_t)((int32_t)s >> 3); break;
        default: total = ~total;
        }
    }
    return total;
}

int main(void) {
    int check = 0;
#define CHECK(what) do { check++; if (!(what)) { printf("check %d fails\n", check); return check; } } while (0)
    CHECK(crc32((const unsigned char *)"123456789", 9) == 0xCBF43926u);
    CHECK(population(0xF0F0F0F0F0F0F0F0ull) == 32 && population(~0ull) == 64 && population(0) == 0);
    CHECK(reversed(1) == 0x80000000u && reversed(0x12345678) == 0x1E6A2C48u);
    CHECK(rotated(0x80000001u, 1) == 3 && rotated(5, 32) == 5);
    CHECK(root(4294836225u) == 65535 && root(99) == 9 && root(0) == 0);
    CHECK(power(3, 1000000006, 1000000007) == 1 && power(2, 10, 1000) == 24);
    CHECK(primes(10000) == 1229);
    CHECK(fields());
    CHECK(saturated(INT_MAX, 1) == INT_MAX && saturated(INT_MIN, -1) == INT_MIN && saturated(-4, 9) == 5);
    CHECK(divisions());
    printf("%llu\n", (unsigned long long)mixed());
    return 0;
}
