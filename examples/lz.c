/* A small LZ77 compressor that checks itself: what `make demo` shrinks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 4096, LONGEST = 18, SHORTEST = 3, TABLE = 1 << 12 };

struct writer {
  unsigned char *at, *end;
  int overflow;
};

static void put(struct writer *out, unsigned value) {
  if (out->at < out->end)
    *out->at++ = (unsigned char)value;
  else
    out->overflow = 1;
}

static unsigned hash(const unsigned char *p) {
  return ((p[0] << 8 ^ p[1] << 4 ^ p[2]) * 2654435761u) >> 20 & (TABLE - 1);
}

static int match_length(const unsigned char *a, const unsigned char *b, const unsigned char *end) {
  int n = 0;
  while (n < LONGEST && b + n < end && a[n] == b[n]) n++;
  return n;
}

/* Flags of eight items, then the items: a literal byte, or a distance of 12 bits and a length of 4. */
long compress(const unsigned char *in, long size, unsigned char *buffer, long room) {
  static long last[TABLE];
  struct writer out = {buffer, buffer + room, 0};
  unsigned char item[16];
  int flags = 0, count = 0, used = 0;
  for (int i = 0; i < TABLE; i++) last[i] = -1;
  for (long at = 0; at < size;) {
    int length = 0;
    long from = -1;
    if (at + SHORTEST <= size) {
      unsigned h = hash(in + at);
      from = last[h];
      last[h] = at;
      if (from >= 0 && at - from < WINDOW) length = match_length(in + from, in + at, in + size);
    }
    if (length >= SHORTEST) {
      unsigned code = (unsigned)(at - from) << 4 | (unsigned)(length - SHORTEST);
      item[used++] = code >> 8;
      item[used++] = code & 255;
      flags |= 1 << count;
      at += length;
    } else {
      item[used++] = in[at++];
    }
    if (++count == 8 || at >= size) {
      put(&out, flags);
      for (int i = 0; i < used; i++) put(&out, item[i]);
      flags = count = used = 0;
    }
  }
  return out.overflow ? -1 : out.at - buffer;
}

long expand(const unsigned char *in, long size, unsigned char *buffer, long room) {
  struct writer out = {buffer, buffer + room, 0};
  const unsigned char *end = in + size;
  while (in < end) {
    int flags = *in++;
    for (int i = 0; i < 8 && in < end; i++, flags >>= 1) {
      if (flags & 1) {
        unsigned code = in[0] << 8 | in[1];
        unsigned distance = code >> 4, length = (code & 15) + SHORTEST;
        in += 2;
        if (distance == 0 || distance > (unsigned long)(out.at - buffer)) return -1;
        while (length--) put(&out, out.at[-(long)distance]);
      } else {
        put(&out, *in++);
      }
    }
  }
  return out.overflow ? -1 : out.at - buffer;
}

unsigned long checksum(const unsigned char *p, long size) {
  unsigned long a = 1, b = 0;
  for (long i = 0; i < size; i++) {
    a = (a + p[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

static void histogram(const unsigned char *p, long size, long counts[256]) {
  memset(counts, 0, 256 * sizeof *counts);
  for (long i = 0; i < size; i++) counts[p[i]]++;
}

static int by_count(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

int main(int argc, char **argv) {
  static unsigned char text[20000], packed[24000], back[20000];
  static long counts[256];
  const char *word[] = {"the ", "model ", "proposes, ", "the ", "machine ", "checks. "};
  long size = 0;
  unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 7;
  while (size < (long)sizeof text - 16) {
    seed = seed * 1103515245u + 12345u;
    const char *w = word[seed >> 16 & 3] + 0;
    if (seed >> 28 == 3) w = word[4 + (seed >> 20 & 1)];
    size_t n = strlen(w);
    memcpy(text + size, w, n);
    size += (long)n;
  }
  long small = compress(text, size, packed, sizeof packed);
  long again = small < 0 ? -1 : expand(packed, small, back, sizeof back);
  histogram(text, size, counts);
  qsort(counts, 256, sizeof *counts, by_count);
  printf("%ld -> %ld bytes, checksum %08lx, most common byte %ld times\n", size, small, checksum(text, size), counts[0]);
  if (again != size || memcmp(text, back, (size_t)size)) {
    puts("wrong");
    return 1;
  }
  return 0;
}
