"""Programs in Rust: trees of letters, and what is let go."""

import ast

import pytest

from forerun.tasks._figures import calculated, wide
from forerun.tasks._objects import MANY, Number
from forerun.tasks._walked import walked

TRIE = (
    "#[derive(Default)]\nstruct Node {\n    children: [Option<Box<Node>>; 26],\n    end: bool,\n}\n\n"
    "fn insert(root: &mut Node, word: &str) {\n    let mut node = root;\n    for b in word.bytes() {\n"
    "        node = node.children[(b - b'a') as usize].get_or_insert_with(|| Box::new(Node::default()));\n    }\n"
    "    node.end = true;\n}\n\nfn main() {\n    let mut root = Node::default();\n    let mut seed: u64 = 42;\n"
    "    for _ in 0..100000 {\n        let mut w = String::new();\n        for _ in 0..8 {\n"
    "            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);\n"
    "            w.push((b'a' + ((seed >> 33) % 26) as u8) as char);\n        }\n"
    "        insert(&mut root, &w);\n    }\n"
    '    println!("{}", root.end);\n}\n'
)
ORDERS = (
    "struct Order { id: u32, lines: Vec<(usize, u32)> }\n\nfn main() {\n    let mut stock = vec![0u64; 2000];\n"
    "    for id in 0..400_000u32 {\n        let mut lines = Vec::new();\n        for k in 0..3 {\n"
    "            lines.push(((id as usize * 7 + k) % 2000, 1 + id % 5));\n        }\n"
    "        let o = Order { id, lines };\n        for &(p, q) in &o.lines {\n"
    "            stock[p] += (q + o.id % 2) as u64;\n        }\n    }\n"
    '    println!("{}", stock[7]);\n}\n'
)


def test_a_tree_of_letters_has_a_node_for_each_beginning() -> None:
    """Of 100,000 words about 420,000, each with 26 places."""
    found = walked(TRIE, "", "rust")
    assert found.believed and not found.guessed
    assert 7e7 < found.bytes < 1.6e8


def test_what_is_let_go_each_time_is_much_less_than_it_looks() -> None:
    found = walked(ORDERS, "", "rust")
    assert found.settled and not found.guessed
    assert found.bytes < 1e6


def test_a_number_that_is_moved_to_the_right_keeps_its_range() -> None:
    drawn = Number(1e19, 1.44e18, 1.98e19, MANY, drawn=True)
    moved = calculated(ast.RShift(), drawn, Number.of(33.0, True))
    assert moved.low == pytest.approx(1.44e18 / 2**33) and moved.high == pytest.approx(1.98e19 / 2**33)
    assert calculated(ast.Mod(), moved, Number.of(26.0, True)).distinct == 26


def test_numbers_are_as_wide_as_they_are_written() -> None:
    assert [wide(Number.of(1_000_000.0, True), spec) for spec in ("", "x", "o", "b", "012x")] == [7, 5, 7, 20, 12]
