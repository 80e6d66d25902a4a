"""Small programs whose cost is made by a size: each is written once, in a few words of Python, for many languages.

`N` and `M` are sizes that are drawn. What is called is one of `ints longs bits floats grid list table text strings`
(things that hold so many numbers, or grow), `push put get has bump append size print real`, or a function of the
template. All numbers are whole and not negative, except where a name is declared `float`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Cost = Callable[[int, int], float]


@dataclass(frozen=True, slots=True)
class Template:
    """A program with sizes, and about what it costs."""

    text: str
    steps: Cost
    """Innermost statements that run, of N and M."""
    cells: Cost
    """Elements that are held at a time."""
    others: tuple[int, ...] = (1,)
    """Values of M."""
    most: float = 1e8
    """Of N."""


def _n(factor: float) -> Cost:
    return lambda n, m: factor * n


def _nm(factor: float) -> Cost:
    return lambda n, m: factor * n * m


def _power(exponent: float, factor: float = 1.0) -> Cost:
    return lambda n, m: factor * n**exponent


_NONE: Cost = lambda n, m: 0.0  # noqa: E731

_FEW = (3, 5, 10, 20, 50, 100)

TEMPLATES: Mapping[str, Template] = {
    "fill": Template("""
a = ints(N)
for i in range(0, N):
    a[i] = i % 7
s = 0
for i in range(0, N):
    s += a[i]
print(s)
""", _n(2), _n(1)),
    "reserve": Template("""
a = longs(N)
a[N - 1] = 5
print(a[N - 1])
""", _n(0.1), _n(1)),
    "touch": Template("""
a = bits(N)
for i in range(0, N, 4096):
    a[i] = 1
print(a[4096 * (N // 8192)])
""", _n(0.05), _n(1)),
    "prefix": Template("""
a = longs(N + 1)
for i in range(0, N):
    a[i + 1] = a[i] + i % 10
print(a[N])
""", _n(1), _n(1)),
    "two": Template("""
a = longs(N)
b = longs(N)
for i in range(0, N):
    a[i] = i
    b[i] = N - i
s = 0
for i in range(0, N):
    s += a[i] * b[i] % 1000
print(s)
""", _n(3), _n(2)),
    "doubles": Template("""
a = floats(N)
for i in range(0, N):
    a[i] = real(i) * 0.5
s: float = 0.0
for i in range(0, N):
    s += a[i]
print(s)
""", _n(2), _n(1)),
    "sieve": Template("""
a = bits(N + 1)
c = 0
for i in range(2, N + 1):
    if a[i] == 0:
        c += 1
        for k in range(i + i, N + 1, i):
            a[k] = 1
print(c)
""", _n(3.5), _n(1)),
    "sieve_root": Template("""
a = bits(N + 1)
i = 2
while i * i <= N:
    if a[i] == 0:
        for k in range(i * i, N + 1, i):
            a[k] = 1
    i += 1
c = 0
for k in range(2, N + 1):
    if a[k] == 0:
        c += 1
print(c)
""", _n(3), _n(1)),
    "divisors": Template("""
a = ints(N + 1)
for i in range(1, N + 1):
    for k in range(i, N + 1, i):
        a[k] = a[k] + i
best = 0
for i in range(1, N + 1):
    if a[i] > best:
        best = a[i]
print(best)
""", _n(15), _n(1), most=1e7),
    "totient": Template("""
a = longs(N + 1)
for i in range(0, N + 1):
    a[i] = i
for i in range(2, N + 1):
    if a[i] == i:
        for k in range(i, N + 1, i):
            a[k] = a[k] - a[k] // i
s = 0
for i in range(1, N + 1):
    s += a[i]
print(s)
""", _n(5), _n(1), most=3e7),
    "collatz": Template("""
best = 0
for i in range(1, N):
    x = i
    c = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        c += 1
    if c > best:
        best = c
print(best)
""", _n(110), _NONE),
    "collatz_kept": Template("""
a = ints(N + 1)
best = 0
for i in range(2, N + 1):
    x = i
    c = 0
    while x >= i:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        c += 1
    a[i] = c + a[x]
    if a[i] > best:
        best = a[i]
print(best)
""", _n(12), _n(1)),
    "count": Template("""
s = 0
for i in range(0, N):
    s += i % 3 * (i % 5)
print(s)
""", _n(1.5), _NONE),
    "mixed": Template("""
x = 1
i = 0
while i < N:
    x = (x * 1103 + 12345) % 65537
    i += 1
print(x)
""", _n(2), _NONE),
    "pairs": Template("""
c = 0
for i in range(1, N):
    for k in range(i, N):
        if (i * i + k * k) % 7 == 0:
            c += 1
print(c)
""", _power(2, 0.7), _NONE),
    "triples": Template("""
c = 0
for i in range(1, N):
    for k in range(i, N):
        for j in range(k, N):
            if i * i + k * k == j * j:
                c += 1
print(c)
""", _power(3, 0.2), _NONE),
    "cube": Template("""
c = 0
for i in range(0, N):
    for k in range(0, N):
        for j in range(0, N):
            c += (i ^ k ^ j) & 3
print(c)
""", _power(3), _NONE),
    "block": Template("""
c = 0
for i in range(0, N):
    for k in range(0, M):
        c += i * k % 11
print(c)
""", _nm(1.5), _NONE, _FEW),
    "matrix": Template("""
a = grid(N, N)
b = grid(N, N)
d = grid(N, N)
for i in range(0, N):
    for k in range(0, N):
        a[i][k] = i + k
        b[i][k] = i * k % 10
for i in range(0, N):
    for k in range(0, N):
        s = 0
        for j in range(0, N):
            s += a[i][j] * b[j][k]
        d[i][k] = s % 1000
print(d[N // 2][N // 3])
""", _power(3, 1.2), _power(2, 3)),
    "grid": Template("""
a = grid(N, N)
for i in range(1, N):
    for k in range(1, N):
        a[i][k] = (a[i - 1][k] + a[i][k - 1] + 1) % 1000
print(a[N - 1][N - 1])
""", _power(2, 2), _power(2)),
    "wide": Template("""
a = grid(N, M)
for i in range(0, N):
    for k in range(0, M):
        a[i][k] = i + k
print(a[N - 1][M - 1])
""", _nm(1.5), _nm(1.3), _FEW),
    "flat": Template("""
a = ints(N * M)
for i in range(0, N):
    for k in range(0, M):
        a[i * M + k] = i ^ k
print(a[N * M - 1])
""", _nm(1.5), _nm(1), _FEW),
    "lcs": Template("""
a = grid(N + 1, N + 1)
for i in range(1, N + 1):
    for k in range(1, N + 1):
        if i * 7 % 13 == k * 5 % 13:
            a[i][k] = a[i - 1][k - 1] + 1
        else:
            a[i][k] = a[i - 1][k]
            if a[i][k - 1] > a[i][k]:
                a[i][k] = a[i][k - 1]
print(a[N][N])
""", _power(2, 4), _power(2)),
    "knapsack": Template("""
a = longs(N + 1)
for k in range(1, M + 1):
    w = 3 + k * 17 % 50
    for i in range(w, N + 1):
        if a[i - w] + k > a[i]:
            a[i] = a[i - w] + k
print(a[N])
""", _nm(2), _n(1), _FEW),
    "coins": Template("""
a = longs(N + 1)
a[0] = 1
for k in range(1, M + 1):
    for i in range(k, N + 1):
        a[i] = (a[i] + a[i - k]) % 1000007
print(a[N])
""", _nm(1.5), _n(1), _FEW),
    "push": Template("""
xs = list()
for i in range(0, N):
    push(xs, i * 3)
print(size(xs))
""", _n(1.5), _n(2)),
    "filter": Template("""
xs = list()
for i in range(0, N):
    if i % 3 == 0:
        push(xs, i)
s = 0
for i in range(0, size(xs)):
    s += xs[i]
print(s)
""", _n(2), _n(0.7)),
    "squares": Template("""
xs = list()
i = 0
while i * i < N:
    push(xs, i * i)
    i += 1
print(size(xs))
""", _power(0.5), _power(0.5)),
    "queue": Template("""
xs = list()
push(xs, 1)
k = 0
while size(xs) < N:
    x = xs[k]
    push(xs, 2 * x % 1000003)
    push(xs, (3 * x + 1) % 1000003)
    k += 1
print(size(xs))
""", _n(3), _n(2)),
    "windows": Template("""
xs = list()
for i in range(0, N):
    push(xs, i * 37 % 101)
best = 0
for i in range(0, N - M):
    s = 0
    for k in range(i, i + M):
        s += xs[k]
    if s > best:
        best = s
print(best)
""", _nm(1.5), _n(2), _FEW),
    "bubble": Template("""
a = ints(N)
for i in range(0, N):
    a[i] = i * 7919 % 10007
for i in range(0, N):
    for k in range(0, N - 1 - i):
        if a[k] > a[k + 1]:
            x = a[k]
            a[k] = a[k + 1]
            a[k + 1] = x
print(a[0])
""", _power(2, 2), _n(1)),
    "insertion": Template("""
a = longs(N)
for i in range(0, N):
    a[i] = i * 6151 % 9973
for i in range(1, N):
    x = a[i]
    k = i
    while k > 0 and a[k - 1] > x:
        a[k] = a[k - 1]
        k -= 1
    a[k] = x
print(a[N - 1])
""", _power(2, 0.6), _n(1)),
    "table": Template("""
t = table()
for i in range(0, N):
    put(t, i * 7, i)
print(get(t, 7 * (N // 2)))
""", _n(6), _n(6), most=2e7),
    "histogram": Template("""
t = table()
x = 1
for i in range(0, N):
    x = (x * 1103 + 12345) % 65537
    bump(t, x % M)
print(get(t, 1))
""", _n(5), lambda n, m: 6.0 * min(n, m), (10, 100, 1000, 10000)),
    "seen": Template("""
t = table()
x = 7
c = 0
for i in range(0, N):
    x = (x * 48271 + 11) % 2147483
    if has(t, x):
        c += 1
    else:
        put(t, x, 1)
print(c)
""", _n(7), lambda n, m: 6.0 * min(n, 2e6), most=2e7),
    "chains": Template("""
t = table()
for i in range(1, N):
    put(t, i, get(t, i // 2) + 1)
print(get(t, N - 1))
""", _n(8), _n(6), most=2e7),
    "letters": Template("""
s = text()
for i in range(0, N):
    append(s, "abcdefgh")
print(size(s))
""", _n(2), _n(1)),
    "digits": Template("""
s = text()
for i in range(0, N):
    append_number(s, i)
print(size(s))
""", _n(4), _n(1)),
    "names": Template("""
xs = strings()
for i in range(0, N):
    push_text(xs, "item number ", i)
print(size(xs))
""", _n(6), _n(6), most=2e7),
    "fibonacci": Template("""
def f(n):
    if n < 2:
        return n
    return f(n - 1) + f(n - 2)
print(f(M))
s = 0
for i in range(0, N):
    s += i % 2
print(s)
""", lambda n, m: n + 8 * 1.618**m, _NONE, (10, 15, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36)),
    "hanoi": Template("""
def move(n, a, b):
    if n == 0:
        return 0
    return move(n - 1, a, 6 - a - b) + 1 + move(n - 1, 6 - a - b, b)
s = 0
for i in range(0, N):
    s += move(M, 1, 3)
print(s)
""", lambda n, m: 10.0 * n * 2**m, _NONE, (5, 8, 10, 12, 15, 18, 20), 1e4),
    "depth": Template("""
def down(n):
    if n == 0:
        return 0
    return 1 + down(n - 1)
s = 0
for i in range(0, N):
    s += down(M)
print(s)
""", _nm(6), lambda n, m: 20.0 * m, (10, 50, 100, 500, 800)),
    "ackermann": Template("""
def ack(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))
s = 0
for i in range(0, N):
    s += ack(2, M)
print(s)
""", lambda n, m: 15.0 * n * m * m, lambda n, m: 60.0 * m, (3, 5, 10, 20, 50)),
    "gcds": Template("""
def gcd(a, b):
    while b != 0:
        r = a % b
        a = b
        b = r
    return a
c = 0
for i in range(1, N):
    for k in range(1, M + 1):
        if gcd(i, k) == 1:
            c += 1
print(c)
""", _nm(8), _NONE, _FEW),
    "powers": Template("""
def power(base, exponent, modulus):
    r = 1
    while exponent > 0:
        if exponent % 2 == 1:
            r = r * base % modulus
        base = base * base % modulus
        exponent = exponent // 2
    return r
s = 0
for i in range(1, N):
    s += power(i, N, 1000003)
print(s)
""", _n(60), _NONE),
    "primes": Template("""
def prime(n):
    if n < 2:
        return 0
    k = 2
    while k * k <= n:
        if n % k == 0:
            return 0
        k += 1
    return 1
c = 0
for i in range(0, N):
    c += prime(i)
print(c)
""", _power(1.4, 0.5), _NONE),
    "digit_sums": Template("""
def digits(n):
    s = 0
    while n > 0:
        s += n % 10
        n = n // 10
    return s
best = 0
for i in range(0, N):
    if digits(i) > best:
        best = digits(i)
print(best)
""", _n(30), _NONE),
    "integral": Template("""
h: float = 1.0 / real(N)
s: float = 0.0
for i in range(0, N):
    x: float = (real(i) + 0.5) * h
    s += 4.0 / (1.0 + x * x)
print(s * h)
""", _n(3), _NONE),
    "mandelbrot": Template("""
c = 0
for i in range(0, N):
    for k in range(0, N):
        x: float = 0.0
        y: float = 0.0
        p: float = 3.0 * real(k) / real(N) - 2.0
        q: float = 2.0 * real(i) / real(N) - 1.0
        j = 0
        while j < M and x * x + y * y < 4.0:
            z: float = x * x - y * y + p
            y = 2.0 * x * y + q
            x = z
            j += 1
        c += j
print(c)
""", lambda n, m: 2.0 * n * n * m, _NONE, (20, 50, 100, 200)),
    "heat": Template("""
a = floats(N + 2)
b = floats(N + 2)
a[N // 2] = 100.0
for t in range(0, M):
    for i in range(1, N + 1):
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0
    for i in range(1, N + 1):
        a[i] = b[i]
print(a[N // 2])
""", _nm(4), _n(2), _FEW),
    "life": Template("""
a = bits(N + 2)
b = bits(N + 2)
a[N // 2] = 1
for t in range(0, M):
    for i in range(1, N + 1):
        b[i] = a[i - 1] ^ (a[i] | a[i + 1])
    for i in range(1, N + 1):
        a[i] = b[i]
c = 0
for i in range(1, N + 1):
    c += a[i]
print(c)
""", _nm(4), _n(2), _FEW),
    "binary": Template("""
a = longs(N)
for i in range(0, N):
    a[i] = i * 2
c = 0
for q in range(0, N):
    low = 0
    high = N
    while low < high:
        middle = (low + high) // 2
        if a[middle] < q:
            low = middle + 1
        else:
            high = middle
    c += low % 2
print(c)
""", _n(60), _n(1), most=3e7),
    "heap": Template("""
a = ints(N + 1)
c = 0
for i in range(1, N + 1):
    a[i] = i * 7919 % 104729
    k = i
    while k > 1 and a[k // 2] > a[k]:
        x = a[k]
        a[k] = a[k // 2]
        a[k // 2] = x
        k = k // 2
        c += 1
print(c)
""", _n(8), _n(1)),
    "josephus": Template("""
x = 0
for i in range(2, N + 1):
    x = (x + M) % i
print(x + 1)
""", _n(1.5), _NONE, (2, 3, 7, 41)),
    "walk": Template("""
a = longs(N)
for i in range(0, N):
    a[i] = (i * 17 + 5) % N
p = 0
for i in range(0, M):
    p = a[p]
print(p)
""", lambda n, m: 2.0 * n + m, _n(1), (10, 1000, 100000, 1000000)),
    "jagged": Template("""
xs = list()
for i in range(0, N):
    for k in range(0, i % M):
        push(xs, k)
print(size(xs))
""", _nm(0.8), _nm(1), _FEW),
}  # fmt: skip
"""By the name of the family, which is what must not be split."""
