"""Trees that functions make which call themselves are there as a whole; what goes through them comes to each node."""

import ast

import pytest

from forerun.tasks._tongues import translated
from forerun.tasks._walked import walked

NODE = "class Node:\n    def __init__(self, left, right):\n        self.left, self.right = left, right\n"
MAKE = (
    "def make(d):\n    if d == 0:\n        return Node(None, None)\n    return Node(make(d - 1), make(d - 1))\n"
    "def check(n):\n    if n.left is None:\n        return 1\n    return 1 + check(n.left) + check(n.right)\n"
)
SORTED = (
    "import random\nclass Node:\n    def __init__(self, key):\n        self.key = key\n"
    "        self.left = self.right = None\n"
    "def insert(n, key):\n    while True:\n        if key < n.key:\n            if n.left is None:\n"
    "                n.left = Node(key)\n                return\n            n = n.left\n        else:\n"
    "            if n.right is None:\n                n.right = Node(key)\n                return\n"
    "            n = n.right\n"
    "def total(n):\n    if n is None:\n        return 0\n    return n.key + total(n.left) + total(n.right)\n"
    "root = Node(0.5)\nfor _ in range(100000):\n    insert(root, random.random())\n"
)
C = """#include <stdlib.h>
typedef struct Node { struct Node *left, *right; } Node;
static Node *make(int d) {
  Node *n = malloc(sizeof *n);
  if (d == 0) { n->left = n->right = NULL; } else { n->left = make(d - 1); n->right = make(d - 1); }
  return n;
}
int main(void) { Node *t = make(19); return t->left == NULL; }
"""
RUBY = """class Folder
  attr_reader :size, :kids
  def initialize(size); @size = size; @kids = []; end
  def add(k); @kids << k; self; end
  def total; @size + @kids.sum { |k| k.total }; end
end
def build(depth)
  d = Folder.new(depth)
  6.times { d.add(build(depth - 1)) } if depth > 0
  d
end
puts build(6).total
"""


def test_a_tree_is_there_as_a_whole() -> None:
    once = walked(f"{NODE}{MAKE}tree = make(14)\n")
    assert 32767 * 70 < once.bytes < 32767 * 150 and not once.guessed


def test_trees_that_are_gone_are_not_held() -> None:
    often = walked(f"{NODE}{MAKE}for _ in range(50):\n    make(10)\n")
    assert 2047 * 70 < often.bytes < 10 * 2047 * 112


@pytest.mark.parametrize(("text", "asks", "ns"), [(MAKE, "check(tree)", 65535 * 80), (SORTED, "total(root)", 2e5 * 60)])
def test_each_node_is_come_to(text: str, asks: str, ns: float) -> None:
    text = f"{NODE if text is MAKE else ''}{text}{'tree = make(15)' if text is MAKE else ''}\n"
    more = walked(f"{text}{asks}\n")
    assert ns / 3 < 1e9 * (more.seconds - walked(text).seconds) < 4 * ns and len(more.guessed) == len(
        walked(text).guessed
    )


def test_a_search_does_not_come_to_all() -> None:
    text = f"{NODE}{MAKE}tree = make(15)\n"
    asks = (
        "def find(n, k):\n    return n and n.left is not k and (find(n.left, k) or find(n.right, k))\nfind(tree, 1)\n"
    )
    assert walked(text + asks).seconds < 1.2 * walked(text).seconds


def test_what_c_asks_for_takes_a_chunk() -> None:
    assert walked(C, "", "c").bytes == pytest.approx((2**20 - 1) * 32, rel=0.01)
    assert "__size__ = 8.0" in _said(C.replace("malloc(sizeof *n)", "malloc(9 * sizeof *n)"))
    assert "__size__ = 16" in _said(C.replace("malloc(sizeof *n)", "other()"))


def _said(text: str) -> str:
    return ast.unparse(translated("c", text))


def test_add_of_a_class_of_its_own_is_called_once() -> None:
    found = walked(RUBY, "", "ruby")
    assert 55987 * 100e-9 < found.seconds < 55987 * 4e-6 and found.bytes > 55987 * 80
