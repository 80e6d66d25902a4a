"""Programs that run programs take as long as what these say may take."""

import pytest

from forerun.tasks._walked import walked

C = (
    "#include <stdio.h>\nenum { PUSH, ADD, SUB, DUP, JNZ, LOAD, STORE, HALT };\nint main(void) {\n"
    "  long code[] = { PUSH, 0, STORE, 0, PUSH, ROUNDS, STORE, 1, LOAD, 0, LOAD, 1, ADD, STORE, 0, LOAD, 1, PUSH, 1,"
    " SUB, DUP, STORE, 1, JNZ, 8, HALT };\n  long stack[256], mem[16] = {0};\n  int sp = 0, pc = 0;\n  for (;;) {\n"
    "    switch (code[pc++]) {\n    case PUSH: stack[sp++] = code[pc++]; break;\n"
    "    case ADD: sp--; stack[sp - 1] += stack[sp]; break;\n    case SUB: sp--; stack[sp - 1] -= stack[sp]; break;\n"
    "    case DUP: stack[sp] = stack[sp - 1]; sp++; break;\n    case LOAD: stack[sp++] = mem[code[pc++]]; break;\n"
    "    case STORE: mem[code[pc++]] = stack[--sp]; break;\n"
    "    case JNZ: if (stack[--sp]) pc = code[pc]; else pc++; break;\n"
    '    case HALT: printf("%ld\\n", mem[0]); return 0;\n    }\n  }\n}\n'
)
GO = (
    'package main\n\nimport "fmt"\n\nconst (\n\tPush = iota\n\tAdd\n\tLess\n\tJump\n\tInc\n\tHalt\n)\n\n'
    "type Instr struct {\n\top, arg int\n}\n\nfunc run(prog []Instr) int {\n\ttop, pc, acc, n := 0, 0, 0, 0\n"
    "\tfor pc < len(prog) {\n\t\tin := prog[pc]\n\t\tpc++\n\t\tswitch in.op {\n\t\tcase Push:\n\t\t\ttop = in.arg\n"
    "\t\tcase Add:\n\t\t\tacc += n\n\t\tcase Inc:\n\t\t\tn++\n\t\tcase Less:\n\t\t\tif n >= top {\n"
    "\t\t\t\treturn acc\n\t\t\t}\n\t\tcase Jump:\n\t\t\tpc = in.arg\n\t\tcase Halt:\n\t\t\treturn acc\n\t\t}\n"
    "\t}\n\treturn acc\n}\n\nfunc main() {\n"
    "\tfmt.Println(run([]Instr{{Add, 0}, {Inc, 0}, {Push, ROUNDS}, {Less, 0}, {Jump, 0}, {Halt, 0}}))\n}\n"
)


@pytest.mark.parametrize(("language", "text"), [("c", C), ("go", GO)])
def test_as_long_as_the_largest_number_of_the_program_says(language: str, text: str) -> None:
    few, many = (walked(text.replace("ROUNDS", each), "", language) for each in ("100000", "10000000"))
    assert few.guessed and not few.endless
    assert 50 * few.seconds < many.seconds < 150 * few.seconds
    assert 0.02 < many.seconds < 1.0


def test_nobody_knows_how_long_where_no_number_says_so() -> None:
    found = walked(C.replace("ROUNDS", "30"), "", "c")
    assert found.guessed == found.endless == {7}
