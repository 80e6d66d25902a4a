/* Reads JSON on standard input, changes it, writes it twice; exits with 1 where what it wrote reads back as another. */
#include "cJSON.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    cJSON *tree = cJSON_Parse(text);
    if (!tree) return 2;
    cJSON *added = cJSON_AddArrayToObject(tree, "added");
    for (int i = 0; i < 20; i++) cJSON_AddItemToArray(added, cJSON_CreateNumber(i * 1.1 - 3));
    cJSON_AddStringToObject(tree, "text", "tab\t, quote\" and \xc3\xa9\x01");
    cJSON_DeleteItemFromArray(added, 3);
    cJSON_ReplaceItemInArray(added, 4, cJSON_CreateNull());
    cJSON *copy = cJSON_Duplicate(tree, 1);
    char *pretty = cJSON_Print(copy), *plain = cJSON_PrintUnformatted(tree);
    cJSON *again = cJSON_Parse(pretty);
    int differs = !cJSON_Compare(again, tree, 1);
    puts(pretty);
    cJSON_Minify(pretty);
    puts(pretty);
    puts(plain);
    cJSON_Delete(tree), cJSON_Delete(copy), cJSON_Delete(again);
    free(pretty), free(plain);
    return differs;
}
