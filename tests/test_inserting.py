"""What puts something into a tree or a chain by calling itself is as large as what it makes."""

from __future__ import annotations

import ast
import random
import tracemalloc
from textwrap import dedent

import pytest

from forerun.tasks._inserting import unrolled
from forerun.tasks._walked import walked

NODE = """
import random
class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None
"""
INSERT = """
def insert(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = insert(node.left, key)
    elif key > node.key:
        node.right = insert(node.right, key)
    return node
"""
METHOD = """
class Tree:
    def __init__(self):
        self.root = None
    def put(self, key):
        self.root = self._put(self.root, key)
    def _put(self, node, key):
        if not node:
            return Node(key)
        if key < node.key:
            node.left = self._put(node.left, key)
        else:
            node.right = self._put(node.right, key)
        return node
tree = Tree()
for i in range(5000):
    tree.put(random.random())
"""
ROTATING = """
def turned(node):
    below = node.left
    node.left, below.right = below.right, node
    return below
def insert(node, key, rank):
    if node is None:
        made = Node(key)
        made.rank = rank
        return made
    if key < node.key:
        node.left = insert(node.left, key, rank)
        if node.left.rank > node.rank:
            node = turned(node)
    else:
        node.right = insert(node.right, key, rank)
    if node.rank < 0:
        return turned(node)
    return node
root = None
for i in range(5000):
    root = insert(root, random.random(), 1)
"""
PLAIN = f"{NODE}{INSERT}root = None\nfor i in range(5000):\n    root = insert(root, random.random())\n"


@pytest.mark.parametrize("text", [PLAIN, NODE + METHOD, NODE + ROTATING], ids=["function", "method", "rotating"])
def test_trees_are_as_large_as_what_was_put_in(text: str) -> None:
    random.seed(1)
    tracemalloc.start()
    names: dict[str, object] = {}
    exec(compile(text, "tree.py", "exec"), names)
    true = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del names
    assert walked(text).bytes == pytest.approx(true, rel=0.5), "nodes, and no more"
    more = walked(text.replace("range(5000)", "range(50000)"))
    assert 9 < more.bytes / walked(text).bytes < 11
    assert 10 < more.seconds / walked(text).seconds < 20, "a few steps more for each"


def test_other_languages_have_such_trees_too() -> None:
    text = dedent("""
        #include <stdlib.h>
        struct node { int key; struct node *left, *right; };
        static struct node *insert(struct node *n, int key) {
            if (n == NULL) { struct node *m = calloc(1, sizeof *m); m->key = key; return m; }
            if (key < n->key) n->left = insert(n->left, key); else n->right = insert(n->right, key);
            return n;
        }
        int main(void) {
            struct node *root = NULL;
            for (int i = 0; i < 200000; i++) root = insert(root, rand());
            return root->key;
        }
    """)
    made = walked(text, language="c").bytes
    assert 4e6 < made < 7e6, "32 bytes each"
    by_type = text.replace("calloc(1, sizeof *m)", "malloc(sizeof(struct node))")
    assert walked(by_type, language="c").bytes == pytest.approx(made, rel=0.01)


def test_what_is_no_insertion_stays_as_it_is() -> None:
    for text in (
        "def size(n):\n    if n is None:\n        return 0\n    return 1 + size(n.left) + size(n.right)\n",
        INSERT.replace("node.right = insert(node.right, key)", "node.right = insert(node.left, key)"),
        INSERT.replace("return node\n", "return 1\n"),
        INSERT.replace("return Node(key)", "return"),
        "def fact(n):\n    if not n:\n        return 1\n    return n * fact(n - 1)\n",
    ):
        module = ast.parse(text)
        assert unrolled(module) is module
    module = ast.parse(PLAIN)
    before = ast.dump(module)
    assert "while True" in ast.unparse(unrolled(module)) and ast.dump(module) == before, "others ask of it, too"
