/* Normal forms, case folding, widths, categories and grapheme breaks over all of Unicode in steps. */
#include "utf8proc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned hash(unsigned h, const unsigned char *text) {
    for (; *text; text++) h = (h ^ *text) * 16777619u;
    return h;
}

int main(void) {
    unsigned forms[5] = {1, 2, 3, 4, 5}, properties = 0;
    utf8proc_int32_t before = 'a';
    for (utf8proc_int32_t c = 1; c < 0x30000; c += 1 + c % 5) {
        utf8proc_uint8_t text[16] = "";
        if (!utf8proc_codepoint_valid(c)) continue;
        text[utf8proc_encode_char(c, text)] = 0;
        utf8proc_uint8_t *made[] = {utf8proc_NFC(text), utf8proc_NFD(text), utf8proc_NFKC(text), utf8proc_NFKD(text),
                                    utf8proc_NFKC_Casefold(text)};
        for (int i = 0; i < 5; i++) forms[i] = hash(forms[i], made[i]), free(made[i]);
        properties = properties * 31 + (unsigned)(utf8proc_charwidth(c) + 8 * utf8proc_category(c));
        properties = properties * 31 + (unsigned)(utf8proc_toupper(c) ^ utf8proc_tolower(c));
        properties += utf8proc_grapheme_break(before, c);
        before = c;
    }
    for (int i = 0; i < 5; i++) printf("%u\n", forms[i]);
    printf("%u\n", properties);
    utf8proc_uint8_t *known = utf8proc_NFC((const utf8proc_uint8_t *)"e\xcc\x81");
    return strcmp((char *)known, "\xc3\xa9") != 0;
}
