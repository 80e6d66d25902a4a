/* Digests of RFC 1321, RFC 3174 and FIPS 180-4, then of a longer text. */
#include <md5.h>
#include <sha1.h>
#include <sha2.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void shown(const char *name, const unsigned char *digest, int n, const char *expected) {
    char text[140] = "";
    for (int i = 0; i < n; i++) sprintf(text + 2 * i, "%02x", digest[i]);
    printf("%s %s\n", name, text);
    wrong += expected && strcmp(text, expected) != 0;
}

#define DIGEST(kind, CONTEXT, n, data, length, expected) do { \
    CONTEXT context; unsigned char digest[64]; size_t at = 0; \
    kind##Init(&context); \
    while (at < (length)) { \
        size_t step = (length) - at < 61 ? (length) - at : 61; \
        kind##Update(&context, (const unsigned char *)(data) + at, step); \
        at += step; \
    } \
    kind##Final(digest, &context); \
    shown(#kind, digest, n, expected); \
} while (0)

int main(void) {
    static char big[10000];
    for (unsigned i = 0, s = 1; i < sizeof big; i++) big[i] = (char)((s = s * 1664525u + 1013904223u) >> 24);
    DIGEST(MD5, MD5_CTX, 16, "abc", 3u, "900150983cd24fb0d6963f7d28e17f72");
    DIGEST(SHA1, SHA1_CTX, 20, "abc", 3u, "a9993e364706816aba3e25717850c26c9cd0d89d");
    DIGEST(SHA256, SHA2_CTX, 32, "abc", 3u, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    DIGEST(SHA512, SHA2_CTX, 64, "abc", 3u,
           "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
           "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
    DIGEST(MD5, MD5_CTX, 16, big, sizeof big, NULL);
    DIGEST(SHA1, SHA1_CTX, 20, big, sizeof big, NULL);
    DIGEST(SHA256, SHA2_CTX, 32, big, sizeof big, NULL);
    DIGEST(SHA384, SHA2_CTX, 48, big, sizeof big, NULL);
    DIGEST(SHA512, SHA2_CTX, 64, big, sizeof big, NULL);
    return wrong;
}
