"""What is looked for in chains and lists, and put there where it is not found, is put there once."""

import pytest

from forerun.tasks._walked import walked

C = (
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "typedef struct E { char *key; int n; struct E *next; } E;\nstatic E *table[1024];\n"
    "static unsigned hash(const char *s) {\n  unsigned h = 0;\n  for (; *s; s++) h = h * 31 + *s;\n"
    "  return h % 1024;\n}\n"
)
MAIN = (
    "int main(void) {\n  char s[32];\n  for (int i = 0; i < 2000000; i++) {\n"
    '    sprintf(s, "key-%d", i * 7 % DIFFERENT);\n    add(s);\n  }\n  printf("%d\\n", table[0]->n);\n}\n'
)
MAKES = (
    "    e = malloc(sizeof(E));\n    e->key = strdup(k);\n    e->n = 0;\n    e->next = table[h];\n    table[h] = e;\n"
)
SEARCHES = {
    "asked in the loop": "static void add(const char *k) {\n  unsigned h = hash(k);\n  E *e = table[h];\n"
    "  while (e && strcmp(e->key, k)) e = e->next;\n  if (!e) {\n" + MAKES + "  }\n  e->n++;\n}\n",
    "left by a break": "static void add(const char *k) {\n  unsigned h = hash(k);\n  E *e = table[h];\n"
    "  for (; e; e = e->next) if (strcmp(e->key, k) == 0) break;\n  if (e == NULL) {\n" + MAKES + "  }\n  e->n++;\n}\n",
    "left by a return": "static void add(const char *k) {\n  unsigned h = hash(k);\n  E *e;\n"
    "  for (e = table[h]; e; e = e->next)\n    if (!strcmp(e->key, k)) { e->n++; return; }\n" + MAKES + "}\n",
    "a function's": "static E *find(const char *k) {\n  for (E *e = table[hash(k)]; e; e = e->next)\n"
    "    if (!strcmp(k, e->key)) return e;\n  return NULL;\n}\nstatic void add(const char *k) {\n  E *e;\n"
    "  if ((e = find(k)) == NULL) {\n    unsigned h = hash(k);\n" + MAKES + "  }\n  e->n++;\n}\n",
    "a function's, kept": "static E *find(const char *k) {\n  E *e = table[hash(k)];\n"
    "  while (e != NULL && strcmp(e->key, k) != 0) e = e->next;\n  return e;\n}\nstatic void add(const char *k) {\n"
    "  E *e = find(k);\n  if (e) { e->n++; return; }\n  unsigned h = hash(k);\n" + MAKES + "}\n",
}  # fmt: skip


@pytest.mark.parametrize("way", SEARCHES)
@pytest.mark.parametrize("different", [20_000, 200_000])
def test_as_many_are_made_as_differ(way: str, different: int) -> None:
    found = walked(C + SEARCHES[way] + MAIN.replace("DIFFERENT", str(different)), "", "c")
    assert found.believed and not found.guessed
    assert 40 * different < found.bytes < 80 * different


def test_what_is_not_put_anywhere_is_asked_as_often_as_anything() -> None:
    """Nobody knows how often what is looked for is there."""
    counts = (
        "static int has(const char *k) {\n  E *e = table[hash(k)];\n  while (e && strcmp(e->key, k)) e = e->next;\n"
        "  return e != NULL;\n}\nstatic char *kept[2000000];\nstatic int many;\nstatic void add(const char *k) {\n"
        "  if (!has(k)) kept[many++] = malloc(64);\n}\n"
    )
    found = walked(C + counts + MAIN.replace("DIFFERENT", "20"), "", "c")
    assert found.bytes > 1.6e7


def test_a_name_is_as_long_as_its_format_says() -> None:
    text = (
        '#include <stdio.h>\n#include <string.h>\nint main(void) {\n  char s[64];\n  int t = 0;\n'
        "  for (int i = 0; i < 1000000; i++) {\n    sprintf(s, \"FORMAT%d\", i);\n"
        "    char *p = s, c;\n    while ((c = *p++)) t += c;\n  }\n  printf(\"%d\\n\", t);\n}\n"
    )  # fmt: skip
    short, long = (walked(text.replace("FORMAT", one), "", "c") for one in ("", "a rather long name for a key "))
    assert not short.guessed and long.takes[9] > 3 * short.takes[9]
