"""Programs in Go, by what Go's own packages hold."""

import pytest

from forerun.tasks._walked import walked

HEAP = (
    'package main\n\nimport (\n\t"container/heap"\n\t"fmt"\n)\n\ntype Q []int\n\n'
    "func (q Q) Len() int { return len(q) }\n"
    "func (q Q) Less(i, j int) bool { return q[i] < q[j] }\nfunc (q Q) Swap(i, j int) { q[i], q[j] = q[j], q[i] }\n"
    "func (q *Q) Push(x any) { *q = append(*q, x.(int)) }\nfunc (q *Q) Pop() any {\n\told := *q\n\tn := len(old)\n"
    "\tx := old[n-1]\n\t*q = old[:n-1]\n\treturn x\n}\n\nfunc main() {\n\tq := &Q{}\n\tx := 1\n"
    "\tfor i := 0; i < 1000000; i++ {\n\t\tx = x * 1103515245 % 2147483647\n\t\theap.Push(q, x)\n"
    "\t\tif q.Len() > KEPT {\n\t\t\theap.Pop(q)\n\t\t}\n\t}\n\tt := 0\n\tfor q.Len() > 0 {\n"
    "\t\tt += heap.Pop(q).(int)\n\t}\n\tfmt.Println(t)\n}\n"
)
BUILT = (
    'package main\n\nimport (\n\t"fmt"\n\t"strings"\n)\n\nfunc main() {\n\tvar b strings.Builder\n'
    "\tfor i := 0; i < 1000000; i++ {\n\t\tb.WriteString(WHAT)\n\t\tb.WriteByte(' ')\n\t}\nUSED}\n"
)
COUNTED = (
    "\tn := map[string]int{}\n\tfor _, w := range strings.Fields(b.String()) {\n\t\tn[w]++\n\t}\n"
    "\tfmt.Println(len(n))\n"
)


@pytest.mark.parametrize("kept", [1000, 100_000])
def test_a_heap_keeps_as_many_as_its_length_is_asked_for(kept: int) -> None:
    found = walked(HEAP.replace("KEPT", str(kept)), "", "go")
    assert found.believed
    assert 8 * kept < found.bytes < 8 * kept + 1e7


@pytest.mark.parametrize("long", [1, 10, 100])
def test_what_is_built_is_one_text(long: int) -> None:
    text = BUILT.replace("WHAT", '"' + "x" * long + '"').replace("USED", "\tfmt.Println(b.Len())\n")
    assert (long + 1) * 1e6 <= walked(text, "", "go").bytes < 2.2e6 * (long + 1) + 1e6


def test_what_is_built_is_as_many_words_as_were_written() -> None:
    text = BUILT.replace("WHAT", 'fmt.Sprintf("word%d", i%5000)').replace("USED", COUNTED)
    found = walked(text, "", "go")
    assert found.believed and not found.guessed
    assert 2e7 < found.bytes < 7e7
