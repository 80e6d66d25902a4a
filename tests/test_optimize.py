"""`forerun optimize` as it is meant to be used, and the kinds of code that real programs hold."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import forerun
from forerun.toolchains.llvm.elf import read_object
from tests.conftest import CHECKSUM

Run = Callable[..., tuple[int, str, str]]

LOW = r"""
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
int common_symbol;
_Thread_local int tls = 4;
__attribute__((weak)) int weak_fn(int x) { return x + 1; }
__attribute__((visibility("hidden"))) int hidden_fn(int x) { return x * 3; }
int real(int x) { return x - 7; }
int aliased(int x) __attribute__((alias("real")));
static int impl(int x) { return x + 2; }
static void *resolve(void) { return (void *)impl; }
int chosen(int x) __attribute__((ifunc("resolve")));
int sumv(int n, ...) { va_list ap; va_start(ap, n); int s = 0; while (n--) s += va_arg(ap, int); va_end(ap); return s; }
int machine(const unsigned char *p) {
  static void *t[] = {&&inc, &&dec, &&end};
  int a = 0;
  goto *t[*p];
inc: a++; goto *t[*++p];
dec: a--; goto *t[*++p];
end: return a + tls + common_symbol;
}
static jmp_buf env;
int jump(int x) { volatile int v = x; if (setjmp(env)) return v; v++; if (x > 3) longjmp(env, 1); return -v; }
int assembly(int x) { int r; __asm__ volatile("" : "=r"(r) : "0"(x * 5) : "cc"); return r; }
__asm__(".globl raw_label\nraw_label: .byte 7\n");
extern const unsigned char raw_label;
typedef int v4 __attribute__((vector_size(16)));
v4 vec(v4 a, v4 b) { return a * b + a; }
__attribute__((constructor)) static void begin(void) { common_symbol = 5; }
__attribute__((section(".mysection"), used)) static int kept = 9;
int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n - 1]; }
__int128 big(__int128 a) { return a / 3; }
_Atomic int at;
int main(void) {
  v4 v = vec((v4){1, 2, 3, 4}, (v4){5, 6, 7, 8});
  printf("%d %d %d %d %d %d ", weak_fn(1), hidden_fn(2), aliased(9), chosen(3), sumv(3, 1, 2, 3), kept);
  printf("%d %d %d %d %d ", machine((const unsigned char *)"\0\0\1\2"), jump(2), jump(5), assembly(6), raw_label);
  printf("%d %d %d %d\n", v[3], vla(5), (int)big(30), at++);
}
"""
TEMPLATES = r"""
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
template <class T> T add(const std::vector<T> &v) {
  T s{};
  for (auto &x : v) s += x;
  if (v.empty()) throw std::runtime_error("empty");
  return s;
}
struct Global { Global() : x(add(std::vector<int>{1, 2, 3})) {} ~Global() { std::puts("bye"); } int x; } global;
int guarded(int n) {
  try { return add(std::vector<int>(n, 2)); }
  catch (const std::exception &e) { return -(int)std::string(e.what()).size(); }
}
int main() { std::printf("%d %d %d\n", guarded(3), guarded(0), global.x); }
"""
COROUTINE = r"""
#include <coroutine>
#include <cstdio>
using always = std::suspend_always;
struct task {
  struct promise_type {
    int v;
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    always initial_suspend() { return {}; }
    always final_suspend() noexcept { return {}; }
    void return_value(int x) { v = x; }
    void unhandled_exception() {}
    always yield_value(int x) { v = x; return {}; }
  };
  std::coroutine_handle<promise_type> h;
};
task squares(int n) { for (int i = 0; i < n; i++) co_yield i * i; co_return n; }
int main() {
  auto t = squares(4);
  for (t.h.resume(); !t.h.done(); t.h.resume()) std::printf("%d ", t.h.promise().v);
  std::printf("%d\n", t.h.promise().v);
  t.h.destroy();
}
"""
PROGRAMS = {
    "checksum.c": (CHECKSUM, []),
    "low.c": (LOW, ["-fcommon"]),
    "sections.c": (LOW, ["-O2", "-g", "-fPIC", "-ffunction-sections"]),
    "templates.cpp": (TEMPLATES, []),
    "coroutine.cpp": (COROUTINE, ["-std=c++20"]),
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text(CHECKSUM)


@pytest.mark.parametrize("name", PROGRAMS)
def test_real_code_stays_right(run_forerun: Run, compiler: str, name: str) -> None:
    text, flags = PROGRAMS[name]
    Path(name).write_text(text)
    subprocess.run([compiler, "-Oz", *flags, "-c", name, "-o", "plain.o"], check=True)
    code, out, err = run_forerun(
        "optimize", name, "-o", "ours.o", "--budget", "16", "--format", "json", "--", "-Oz", *flags
    )
    ours, plain = (read_object(Path(f).read_bytes()) for f in ("ours.o", "plain.o"))
    assert code == 0 and not ours.replaces(plain) and ours.size <= plain.size, err
    assert json.loads(out)[0]["text_after"] == ours.text and json.loads(out)[0]["text_before"] == plain.text
    driver = compiler.replace("clang", "clang++") if name.endswith(".cpp") else compiler
    told = []
    for file in ("plain.o", "ours.o"):
        subprocess.run([driver, file, "-o", "program"], check=True)
        told.append(subprocess.run(["./program"], capture_output=True, text=True, check=True).stdout)
    assert told[0] == told[1] and told[0].strip()


def test_the_answer_for_people(run_forerun: Run) -> None:
    code, out, err = run_forerun("optimize", "a.c", "--budget", "4", "--explain")
    lines = out.splitlines()
    assert code == 0 and lines[0].split()[:3] == ["file", "text", "before"] and lines[1].startswith("a.c")
    assert "a.c: passes" in out and "without this pass" in out and "4/4" in err


def test_machine_formats_hold_raw_values_and_nothing_else(run_forerun: Run) -> None:
    words = ["optimize", "a.c", "--budget", "4", "--explain", "--format"]
    rows = json.loads(run_forerun(*words, "json")[1])
    lines = [json.loads(line) for line in run_forerun(*words, "jsonl")[1].splitlines()]
    table = list(csv.DictReader(io.StringIO(run_forerun(*words, "csv")[1])))
    assert rows == lines and len(table) == len(rows) == 1
    row = rows[0]
    assert json.loads(table[0]["explain"]) == row["explain"] and float(table[0]["gain"]) == row["gain"]
    assert row["gain"] == (row["size_before"] - row["size_after"]) / row["size_before"] > 0
    assert isinstance(row["text_before"], int)
    assert [part["after"] for part in row["explain"]][-1] == row["size_after"]


def test_outputs(run_forerun: Run, compiler: str) -> None:
    for name in ("out.o", "out.ll", "out.bc"):
        assert run_forerun("optimize", "a.c", "--budget", "4", "-o", name)[0] == 0
    subprocess.run([compiler, "-c", "-w", "out.ll", "-o", "text.o"], check=True)
    assert Path("out.bc").read_bytes()[:4] == b"BC\xc0\xde"
    symbols = {s.name for s in read_object(Path("text.o").read_bytes()).defined}
    assert symbols == {"crc", "sorted", "main"} == {s.name for s in read_object(Path("out.o").read_bytes()).defined}
    assert run_forerun("optimize", "a.c", "out.bc", "--budget", "1", "-o", "new/")[0] == 0
    assert sorted(f.name for f in Path("new").iterdir()) == ["a.o", "out.o"]


def test_the_same_question_has_the_same_answer(run_forerun: Run) -> None:
    words = ["optimize", "a.c", "--budget", "10", "--format", "json"]
    first = run_forerun(*words)[1]
    assert first == run_forerun(*words)[1] == run_forerun(*words, "--no-store")[1]


def test_a_budget_in_seconds(run_forerun: Run) -> None:
    code, out, _ = run_forerun("optimize", "a.c", "--budget", "0.5s", "--format", "json")
    assert code == 0 and json.loads(out)[0]["compilations"] > 0


def test_every_objective(run_forerun: Run) -> None:
    for objective in ("size", "text", "instructions", "cycles"):
        code, out, err = run_forerun("optimize", "a.c", "--objective", objective, "--budget", "3", "--format", "json")
        row = json.loads(out)[0]
        assert code == 0 and row[f"{objective}_after"] <= row[f"{objective}_before"], err
    code, _, err = run_forerun("optimize", "a.c", "--objective", "cycles", "--hot", "crc", "--hot", "none")
    assert code == 1 and "no code of none" in err


def test_a_lock_file_can_be_verified(run_forerun: Run) -> None:
    assert run_forerun("optimize", "a.c", "--budget", "4", "--lock", "forerun.lock")[0] == 0
    code, out, err = run_forerun("verify", "forerun.lock", "--format", "json")
    assert code == 0 and json.loads(out)[0]["status"] == "verified", err


def test_the_library_gives_what_the_command_line_gives(run_forerun: Run) -> None:
    result = forerun.optimize("a.c", budget=6)
    row = json.loads(run_forerun("optimize", "a.c", "--budget", "6", "--format", "json")[1])[0]
    assert (result.before, result.after) == (row["size_before"], row["size_after"]) and result.gain > 0


def test_the_library_writes_the_object_the_ir_and_the_bitcode(tmp_path: Path, compiler: str) -> None:
    for name in ("a.o", "a.ll", "a.bc"):
        forerun.optimize("a.c", budget=2, output=name)
    assert Path("a.o").read_bytes()[:4] == b"\x7fELF" and Path("a.bc").read_bytes()[:2] == b"BC"
    assert "define" in Path("a.ll").read_text()


def test_what_the_assembler_reads_is_measured_anew(run_forerun: Run) -> None:
    code = '__asm__(".data\\n.globl d\\nd:\\n.incbin \\"data\\"\\n.text"); int f(int x) { return x % 3; }\n'
    Path("i.c").write_text(code)
    for size in (5, 70):
        Path("data").write_bytes(bytes(size))
        row = json.loads(run_forerun("optimize", "i.c", "--budget", "3", "--format", "json")[1])[0]
        assert row["data_after"] == size


def test_lists_and_the_doctor(run_forerun: Run) -> None:
    assert "passes" in run_forerun("tasks")[1] and "coreset" in run_forerun("models")[1]
    code, out, err = run_forerun("doctor", "--format", "json")
    rows = {row["what"]: row for row in json.loads(out)}
    assert code == 0 and not err and rows["libLLVM works"]["value"] != "no" and rows["setting timeout"]["value"] == "30"
