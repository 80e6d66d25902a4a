"""Scripts in other languages, gone through: what their own ways of saying things come to."""

import ast

import pytest

from forerun.tasks._inputs import described
from forerun.tasks._lines import Used
from forerun.tasks._tongues import translated
from forerun.tasks._walked import walked


def told(language: str, text: str, stdin: bytes = b"") -> Used:
    return walked(text, described(stdin) if stdin else "", language)


def said(language: str, text: str) -> str:
    return ast.unparse(translated(language, text))


def test_patterns_bind_names_and_ask() -> None:
    text = (
        "rec = { op: 'in', qty: 5 }\ncase rec\nin { op: 'in', qty: Integer => q } if q > 3\n  puts q\n"
        "in [first, *rest]\n  puts first\nelse\n  puts 0\nend\n"
    )
    found = said("ruby", text)
    assert "q = rec['qty']" in found and "rec['op'] == 'in' and q > 3" in found and "rest = rec[1:]" in found


def test_what_is_changed_in_a_value_is_changed_once() -> None:
    text = "print length(" + "(" * 12 + "$s" + " =~ s/a/b/)" * 12 + ");\n"
    assert said("perl", text).count("re.sub") == 12


def test_tap_may_be_given_no_name() -> None:
    assert "pos += 1" in said("ruby", "def take = @src[@pos].tap { @pos += 1 }\n")


def test_continue_of_a_loop_around_leaves_the_inner_one() -> None:
    text = "<?php\nforeach ($rows as $r) {\n    foreach ($tests as $t) {\n        if ($t > $r) continue 2;\n    }\n}\n"
    assert "break" in said("php", text) and "continue" not in said("php", text)


def test_what_is_spliced_off_is_gone() -> None:
    text = "<?php\n$a = [1, 2, 3];\n$b = array_splice($a, 1);\narray_splice($a, 0, 0, [7]);\necho count($b);\n"
    found = said("php", text)
    assert "del a[1:]" in found and "a.insert(0, 7)" in found


def test_lists_made_anew_are_not_as_long_as_the_program() -> None:
    """Each is as long as what it is made of, also where others of its place were shorter."""
    text = (
        "<?php\nfunction pairs($text) {\n    $out = [];\n    foreach (explode(' ', $text) as $w) $out[] = $w;\n"
        "    for ($i = count($out) - 1; $i > 0; $i--) $out[] = $out[$i - 1] . $out[$i];\n    return $out;\n}\n"
        "$n = 0;\nwhile ($line = fgets(STDIN)) {\n    foreach (pairs(trim($line)) as $t) $n++;\n}\necho $n;\n"
    )
    stdin = b"one two\n" + b"some words of a line\n" * 20_000
    assert told("php", text, stdin).seconds < 1 and told("php", text, stdin).bytes < 1e7


def test_operators_of_tables_are_called() -> None:
    text = (
        "local V = {}\nV.__index = V\n"
        "local function new(n)\n  local v = setmetatable({ n = n }, V)\n"
        "  for i = 1, n do v[i] = i end\n  return v\nend\n"
        "V.__add = function(a, b)\n  local o = new(a.n)\n  for i = 1, a.n do o[i] = a[i] + b[i] end\n  return o\nend\n"
        "function V:sum() local s = 0; for i = 1, #self do s = s + self[i] end return s end\n"
        "local a, b = new(1000), new(1000)\nfor k = 1, 1000 do a = a + b end\nprint(a:sum())\n"
    )
    few, many = told("lua", text.replace("for k = 1, 1000", "for k = 1, 100")), told("lua", text)
    assert 0.02 < many.seconds < 1 and few.seconds == pytest.approx(many.seconds / 10, rel=0.3)


def test_coroutines_run_and_what_they_wait_for_is_bounded() -> None:
    text = (
        "local function channel(cap)\n  local q, ch = {}, {}\n  function ch.put(v)\n"
        "    while #q >= cap do coroutine.yield() end\n    q[#q + 1] = v\n  end\n  return ch\nend\n"
        "local c = channel(16)\n"
        "local co = coroutine.create(function() for i = 1, 300000 do c.put({ n = i }) end end)\n"
        "while coroutine.resume(co) do end\n"
    )
    found = told("lua", text)
    assert 0.02 < found.seconds < 2 and found.bytes < 1e5


def test_tables_that_are_filled_are_not_filled_again() -> None:
    text = (
        "local function f(n)\n  local r = {}\n  for i = 1, n do r[i] = 0 end\n"
        "  for k = 1, 50 do\n    for i = 1, n do r[i] = k end\n  end\n  return r\nend\nprint(#f(20000))\n"
    )
    assert told("lua", text).bytes == pytest.approx(16 * 20_000, rel=0.5)


def test_a_search_from_each_place_reaches_each_once() -> None:
    text = (
        "local n, seen, adj, order = 3000, {}, {}, {}\nfor i = 1, n do adj[#adj + 1] = { i % n + 1 } end\n"
        "for root = 1, n do\n  if not seen[root] then\n    local work = { { root, 0 } }\n    while #work > 0 do\n"
        "      local top = work[#work]\n      top[2] = 1\n      work[#work] = nil\n      seen[top[1]] = true\n"
        "      for _, w in ipairs(adj[top[1]]) do if not seen[w] then work[#work + 1] = { w, 0 } end end\n"
        "    end\n  end\nend\nprint(#order)\n"
    )
    assert told("lua", text).seconds < 0.5


def test_lines_begin_with_a_word_as_often_as_the_input_says() -> None:
    text = (
        "const rl = require('readline').createInterface({ input: process.stdin });\nconst asked = [];\n"
        "rl.on('line', (line) => {\n  const [kind, a] = line.split(' ');\n  switch (kind) {\n"
        "    case 'n': break;\n    case 't': asked.push(a); break;\n  }\n});\n"
        "rl.on('close', () => {\n  let s = 0;\n  for (const q of asked) for (let i = 0; i < 1000000; i++) s += i;\n"
        "  console.log(s);\n});\n"
    )
    stdin = b"".join(b"n p%d\n" % i for i in range(20_000)) + b"".join(b"t p%d\n" % i for i in range(30))
    assert told("javascript", text, stdin).seconds < 1


def test_loops_that_end_when_a_number_is_large_go_halfway() -> None:
    text = (
        "<?php\n$n = 0;\nfor ($p = 0; $p < 10000; $p++) {\n    $x = 0.0;\n    for ($i = 0; $i < 400; $i++) {\n"
        "        $x = $x * $x + $p;\n        if ($x > 4.0) break;\n        $n++;\n    }\n}\necho $n;\n"
    )
    whole = told("php", text.replace("if ($x > 4.0) break;", ""))
    assert told("php", text).seconds < 0.8 * whole.seconds


def test_partitions_go_on_where_they_were_left() -> None:
    text = (
        "<?php\n$a = [];\nfor ($i = 0; $i < 30000; $i++) $a[] = mt_rand(0, 1000000);\n"
        "$l = 0; $r = 29999; $m = 15000;\nwhile ($l < $r) {\n    $p = $a[$m]; $i = $l; $j = $r;\n"
        "    while ($i <= $j) {\n        while ($a[$i] < $p) $i++;\n        while ($a[$j] > $p) $j--;\n"
        "        if ($i <= $j) { $t = $a[$i]; $a[$i] = $a[$j]; $a[$j] = $t; $i++; $j--; }\n    }\n"
        "    if ($m <= $j) $r = $j; else $l = $i;\n}\necho $a[$m];\n"
    )
    assert told("php", text).seconds < 2


def test_flags_may_be_one_or_the_other() -> None:
    text = (
        "my ($n, $in) = (0, 0);\nwhile (my $line = <STDIN>) {\n    chomp $line;\n"
        "    if ($line =~ /^From /) { $in = 1; next; }\n"
        "    if ($in) { if ($line eq '') { $in = 0; } next; }\n    for my $k (1 .. 100) { $n += $k; }\n}\nprint $n;\n"
    )
    mails = (b"From a%d\nSubject: x\n\n" % n + b"more of it\nand more\n" * (n % 7) for n in range(3000))
    assert told("perl", text, b"".join(mails)).seconds > 0.01


def test_numbers_of_perl_are_one_each() -> None:
    text = "my @a;\nfor my $i (1 .. 1000000) { push @a, 7; }\nprint scalar(@a);\n"
    assert told("perl", text).bytes == pytest.approx(34e6, rel=0.35)


def test_what_is_handed_to_a_default_is_what_is_there() -> None:
    text = (
        "sub f {\n    my %arg = @_;\n    my $n = 0;\n"
        "    for my $r (@{ $arg{rows} || [] }) { $n += $_ for 1 .. 1000; }\n"
        "    return $n;\n}\nmy $s = 0;\nfor my $k (1 .. 300) { $s += f(rows => [1, 2, 3, 4]); }\nprint $s;\n"
    )
    assert told("perl", text).seconds > 0.02


def test_a_text_that_begins_anew_is_not_as_long_as_all() -> None:
    text = (
        "const text = require('fs').readFileSync(0, 'utf8');\nconst rows = [];\nlet field = '';\n"
        "for (let i = 0; i < text.length; i++) {\n  const ch = text[i];\n"
        "  if (ch === ',') { rows.push(field); field = ''; } else field += ch;\n}\nconsole.log(rows.length);\n"
    )
    assert told("javascript", text, b"some,words,of,a,line,\n" * 5000).bytes < 6e7


def test_functions_that_call_each_other_go_as_deep_as_they_are_told() -> None:
    text = (
        "def best(d)\n  (1..8).map { |i| d.zero? ? i : mean(d - 1) }.max\nend\n"
        "def mean(d)\n  (1..8).sum { |i| best(d) } / 8\nend\nputs mean(DEPTH)\n"
    )
    one, two = (told("ruby", text.replace("DEPTH", each)).seconds for each in "12")
    assert 20 < two / one < 200


def test_a_cache_that_is_full_stays_as_large() -> None:
    text = (
        "class Cache\n  def initialize(most)\n    @most = most\n    @kept = {}\n  end\n"
        "  def drop\n    @kept.delete(@kept.keys.first)\n  end\n"
        "  def put(k)\n    drop if @kept.size >= @most\n    @kept[k] = k * 2\n  end\nend\n"
        "c = Cache.new(100)\n200000.times { |i| c.put(i) }\n"
    )
    assert told("ruby", text).bytes < 1e5


def test_a_loop_inside_goes_on_with_the_same_counter() -> None:
    text = (
        "my @lines = <STDIN>;\nmy ($i, @out) = (0);\nwhile ($i < @lines) {\n    my @block;\n"
        "    while ($i < @lines && $lines[$i] !~ /^end/) { push @block, $lines[$i]; $i++; }\n"
        "    push @out, join('', @block);\n    $i++;\n}\nprint scalar(@out);\n"
    )
    assert told("perl", text, b"some line of it\nanother one\nend\n" * 5000).bytes < 2e7


def test_small_arrays_have_places_to_spare() -> None:
    """Measured once, PHP 8.2: of three keys 397 bytes each, of two elements 237."""
    text = "<?php\n$a = [];\nfor ($i = 0; $i < 100000; $i++) $a[] = ROW;\necho count($a);\n"
    for row, size in (("['id' => $i, 'n' => $i * 2, 'k' => $i + 1]", 397e5), ("[$i, $i * 2]", 237e5)):
        assert told("php", text.replace("ROW", row)).bytes == pytest.approx(size, rel=0.2)


def test_what_parts_a_text_may_be_many_letters() -> None:
    assert "re.split" in said("php", "<?php\nforeach (preg_split('/[^a-z0-9]+/', $t) as $w) echo $w;\n")


def test_nodes_that_are_halved_when_they_are_full_stay_small() -> None:
    text = (
        "<?php\nclass Node { public $keys = []; public $kids = []; }\nclass Tree {\n    private $root;\n"
        "    function __construct() { $this->root = new Node(); $this->root->kids[] = new Node(); }\n"
        "    function split($p, $i) {\n        $l = $p->kids[$i]; $r = new Node();\n"
        "        $r->keys = array_splice($l->keys, 16);\n        array_splice($p->kids, $i + 1, 0, [$r]);\n    }\n"
        "    function put($k) {\n        $x = $this->root->kids[0];\n"
        "        if (count($x->keys) === 32) $this->split($this->root, 0);\n"
        "        array_splice($x->keys, 0, 0, [$k]);\n    }\n}\n"
        "$t = new Tree();\nfor ($i = 0; $i < 200000; $i++) $t->put($i);\n"
    )
    assert told("php", text).seconds < 2 and told("php", text).bytes < 3e7


def test_a_text_with_another_letter_is_another_text() -> None:
    text = (
        'words = $stdin.read.split("\\n")\nkept = Hash.new { |h, k| h[k] = [] }\n'
        "words.each do |w|\n  w.size.times do |i|\n    key = w.dup\n    key[i] = '_'\n    kept[key] << w\n  end\nend\n"
        "puts kept.size\n"
    )
    assert "key = w[:]" in said("ruby", text)
    stdin = "\n".join(f"{n * 7919 % 99991:05d}" for n in range(5000)).encode()
    assert told("ruby", text, stdin).bytes > 1e6


def test_things_that_are_made_where_there_is_none_are_few() -> None:
    text = (
        "<?php\nclass T { public $n = 0; }\n$all = [];\nfor ($i = 0; $i < 200000; $i++) {\n"
        "    ($all[$i % 10] ??= new T())->n++;\n}\necho count($all);\n"
    )
    assert " not in all" in said("php", text)
    assert told("php", text).bytes < 1e5


def test_lists_that_places_of_a_list_are_begin_by_being_used() -> None:
    text = (
        "my (@near, @rows);\npush @{ $rows[$_ % 3] }, $_ for 0 .. 9;\n$near[$_] = [1, 2] for 0 .. 9;\n"
        "print @{ $near[1] };\n"
    )
    found = said("perl", text)
    assert "near = []" in found and "rows = collections.defaultdict(list)" in found
    assert "in rows.values()" in said("perl", f"{text}for my $row (@rows) {{ print $row }}\n")


def test_a_search_goes_to_places_not_to_all_that_are_beside_them() -> None:
    text = (
        "my @near;\n$near[$_] = [map { $_ * 7 % 900 } 0 .. 99] for 0 .. 899;\nsub mark {\n    my ($seen, $i) = @_;\n"
        "    my @todo = ($i);\n    while (defined(my $c = pop @todo)) {\n        next if $seen->[$c];\n"
        "        $seen->[$c] = 1;\n        for my $p (@{ $near[$c] }) { push @todo, $p unless $seen->[$p] }\n    }\n}\n"
        "my @seen = (0) x 900;\nmark(\\@seen, 3);\n"
    )
    assert told("perl", text).seconds < 0.3


def test_what_a_quotient_leaves_is_a_rest() -> None:
    """Of a table of rows all are gone through, also by a function that does more than give something."""
    table = ", ".join(f"['{chr(97 + n)}', {2**n}]" for n in range(19, -1, -1))
    text = (
        f"const table = [{table}];\nfor (let i = 1; i < 20000; i++) {{\n  let n = i;\n"
        "  const r = table.reduce((s, [c, v]) => {\n    const k = Math.floor(n / v);\n    n -= k * v;\n"
        "    return s + c.repeat(k);\n  }, '');\n"
        "  for (const c of r) if (c === 'a') console.log(c);\n}\n"
    )
    assert "for c, v in table:" in said("javascript", text)
    assert told("javascript", text).seconds < 0.5


def test_what_a_function_gives_seldom_says_little_of_its_length() -> None:
    text = (
        "sub word {\n    my $n = shift;\n    return 'x' x 1000 if $n % 100 == 0;\n    return 'ab';\n}\n"
        "my $text = '';\nfor my $i (1 .. 100000) { $text .= word($i) }\nprint length $text;\n"
    )
    assert told("perl", text).bytes < 2e7


def test_what_is_put_into_things_of_the_programs_own_is_put_in_by_them() -> None:
    text = (
        "class Table\n  def initialize\n    @rows = []\n  end\n  def <<(line)\n    @rows << line.split(',')\n    self\n"
        '  end\nend\ntable = Table.new\n200000.times { |i| table << "#{i},b,c" }\n'
    )
    assert told("ruby", text).bytes > 1e7


def test_what_is_made_for_a_key_has_lists_of_its_own() -> None:
    text = (
        "Part = Struct.new(:code, :inside)\nparts = Hash.new { |h, k| h[k] = Part.new(k, []) }\n"
        "20000.times { |i| parts[i % 5000].inside << i }\nn = 0\n"
        "5000.times { |i| parts[i].inside.each { |x| n += x } }\nputs n\n"
    )
    assert told("ruby", text).seconds < 0.1


def test_whether_something_is_added_is_asked_before() -> None:
    found = said("ruby", "seen = Set.new\n[1, 1].each do |i|\n  next unless seen.add?(i)\n  puts i\nend\n")
    assert found.index("i not in seen") < found.index("seen.add(i)")


def test_a_text_that_is_rewritten_again_and_again_becomes_long() -> None:
    text = (
        'local rules = { F = "F+G", G = "F-G" }\nlocal s = "F"\nfor _ = 1, 18 do s = s:gsub("%a", rules) end\n'
        'local n = 0\nfor c in s:gmatch("[F%+]") do\n  if c == "F" then n = n + 1 end\nend\nprint(n, #s)\n'
    )
    assert 0.003 < told("lua", text).seconds < 0.3


def test_lines_up_to_a_blank_one_are_read_first() -> None:
    text = (
        "local names, n = {}, 0\nfor line in io.lines() do\n  if line == '' then break end\n"
        "  names[#names + 1] = line\nend\nfor line in io.lines() do\n  for _, name in ipairs(names) do\n"
        "    if line:find(name) then n = n + 1 end\n  end\nend\n"
    )
    stdin = b"first\nsecond\n\n" + b"some words of a line\n" * 100_000
    assert told("lua", text, stdin).bytes < 1e6 and told("lua", text, stdin).seconds > 0.005


def test_a_file_that_is_a_thing_of_lines_is_read() -> None:
    text = "<?php\n$n = 0;\nforeach (new SplFileObject('php://stdin') as $line) $n += strlen(rtrim($line));\necho $n;\n"
    assert told("php", text, b"some words of a line\n" * 100_000).seconds > 0.005


def test_modules_that_are_mixed_in_are_classes_above() -> None:
    text = (
        "module Keeps\n  def keep(x)\n    @kept << x * 2\n  end\nend\nclass Box\n  include Keeps\n"
        "  def initialize\n    @kept = []\n  end\n  def put(x)\n    keep(x)\n  end\nend\n"
        "b = Box.new\n200000.times { |i| b.put(i) }\n"
    )
    assert "class Box(Keeps)" in said("ruby", text)
    assert told("ruby", text).bytes > 1e6


def test_what_cases_are_about_is_asked_once() -> None:
    text = (
        "t = [1, 2]\ncase x = t.shift\nwhen 1..4 then puts 1\nwhen /a/ then puts x\nend\nn = 0\nbig = 0\n"
        "300000.times do\n  case rand(100)\n  when 0..1 then big += [n, n].map { |y| y.to_s * 9 }.size\n"
        "  else n += 1\n  end\nend\n"
    )
    assert said("ruby", text).count("t.pop(0)") == 1
    assert told("ruby", text).seconds < 0.1


def test_pairs_of_a_mapping_in_a_list_are_gone_through() -> None:
    """And of a list without others most is left."""
    text = (
        "roads = Array.new(3000) { {} }\n3000.times do |i|\n"
        "  ((0..9).map { |k| (i * 7 + k) % 3000 } - [i]).each { |j| roads[i][j] = 1.5 }\nend\n"
        "sum = 0.0\n3000.times { |i| roads[i].each { |j, w| sum += w * j } }\nputs sum\n"
    )
    assert told("ruby", text).bytes > 1e6
    assert told("ruby", text).takes[6] > 5e-4


def test_what_makes_things_may_call_their_class_anything() -> None:
    text = (
        "package Frac;\nuse overload '/' => sub { Frac->new($_[0]{n} * $_[1]{d}, $_[0]{d} * $_[1]{n}) };\n"
        "sub new {\n    my ($c, $n, $d) = @_;\n    return bless { n => $n, d => $d }, $c;\n}\n"
        "package main;\nmy @all = map { Frac->new($_, 1) / Frac->new(2, 3) } 1 .. 50000;\nprint scalar @all;\n"
    )
    found = said("perl", text)
    assert "def __init__(self, n, d)" in found and "def __truediv__" in found
    assert told("perl", text).bytes > 1e7


def test_one_of_several_texts_is_one_of_so_many() -> None:
    """And what is put together of two of them one of all pairs."""
    text = (
        "local seed = 7\nlocal function rnd(n)\n  seed = seed * 16807 % 2147483647\n  return seed % n + 1\nend\n"
        f"local a = {{ {', '.join(f'{chr(34)}first{n}{chr(34)}' for n in range(40))} }}\n"
        f"local b = {{ {', '.join(f'{chr(34)}last{n}{chr(34)}' for n in range(40))} }}\n"
        "local seen = {}\nfor i = 1, 100000 do\n  local k = a[rnd(#a)] .. b[rnd(#b)]\n"
        "  seen[k] = (seen[k] or 0) + 1\nend\n"
    )
    assert 1e5 < told("lua", text).bytes < 5e5


def test_a_text_has_all_that_a_round_adds() -> None:
    text = (
        "let n = 0\nfor (let i = 0; i < 100; i++) {\n  let s = ''\n"
        "  for (let k = 0; k < 1000; k++) {\n    s += 'word' + (k % 50)\n    s += ' '\n  }\n"
        "  for (const c of s) n += c === 'w' ? 1 : 0\n}\nconsole.log(n)\n"
    )
    at_once = text.replace("\n    s += ' '", " + ' '\n")
    assert 0.9 < told("javascript", text).takes[8] / told("javascript", at_once).takes[8] < 1.1


def test_texts_of_texts_have_as_many_words_as_all_of_these() -> None:
    text = (
        "local words = {}\nfor i = 1, 500 do words[i] = 'word' .. i end\nlocal n = 0\n"
        "for p = 1, 400 do\n  local lines = {}\n  for i = 1, 10 do\n    local line = {}\n"
        "    for k = 1, 10 do line[k] = words[(i * k * p) % 500 + 1] end\n"
        "    lines[i] = table.concat(line, ' ') .. '.'\n  end\n"
        "  for w in table.concat(lines, ' '):gmatch('%a+') do\n    n = n + #w\n  end\nend\nprint(n)\n"
    )
    assert told("lua", text).takes[12] > 5e-4


def test_tables_that_a_call_makes_are_classes() -> None:
    """Whose things are made by calling them, with what is above."""
    text = (
        "local Object = {}\nObject.__index = Object\nfunction Object:extend()\n  local c = {}\n  c.__index = c\n"
        "  return setmetatable(c, self)\nend\nfunction Object:__call(...)\n  local o = setmetatable({}, self)\n"
        "  o:init(...)\n  return o\nend\nlocal Point = Object:extend()\nfunction Point:init(x) self.x = x end\n"
        "function Point:move(by) self.x = self.x + by end\nlocal Far = Point:extend()\n"
        "function Far:move(by) Point.move(self, 2 * by) end\nlocal all = {}\n"
        "for i = 1, 50000 do all[i] = Far(i) end\nfor _, p in ipairs(all) do p:move(1) end\n"
    )
    found = said("lua", text)
    assert "class Far(Point)" in found and "def __init__(self, x=None)" in found
    assert "super().move(2 * by)" in found and "class Object" not in found
    assert told("lua", text).bytes > 4e6 and not told("lua", text).guessed


def test_blanks_between_slashes_part_words() -> None:
    assert said("perl", "my @w = split / /, $line;\nmy @c = split //, $line;\n").count(".split()") == 1


def test_what_is_quoted_here_ends_before_its_mark() -> None:
    assert "END" not in said("perl", "my $t = <<'END';\none\ntwo\nEND\nprint $t;\n")


def test_asking_a_mapping_puts_nothing_there() -> None:
    text = (
        "my ($before, %n);\nfor my $i (1 .. 200000) {\n    my $w = 'word' . ($i % 50);\n"
        '    $n{"$before $w"}++ if defined $before;\n    $before = $w;\n}\n'
        'printf "%-14s %6d\\n", $_, $n{$_} for (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n)[0 .. 7];\n'
    )
    assert told("perl", text).bytes < 1e6


def test_the_less_of_two_is_no_list() -> None:
    """And not more than either of them."""
    text = (
        "class Lots\n  def initialize\n    @lots = []\n  end\n  def put(n)\n    @lots << n\n  end\n"
        "  def all\n    @lots.sum\n  end\n  def take(n)\n    left = [n, all].min\n    while left > 0\n"
        "      got = [@lots[0], left].min\n      left -= got\n      @lots.shift\n    end\n  end\nend\n"
        "x = Lots.new\n20000.times { |i| x.put(rand(20) + 1) }\n20000.times { |i| x.take(rand(20) + 1) }\n"
    )
    assert "min(n, self.all())" in said("ruby", text)
    assert told("ruby", text).takes[14] < 1.0


def test_a_search_that_tries_the_best_first_mostly_finds_its_way() -> None:
    text = (
        "class Board\n  def initialize(n)\n    @n = n\n    @at = Array.new(n) { Array.new(n, 0) }\n  end\n"
        "  def near(x, y)\n    [[1, 2], [2, 1], [-1, 2], [2, -1]].map { |a, b| [x + a, y + b] }\n  end\n"
        "  def solve(x, y, step = 1)\n    return true if step == @n * @n\n"
        "    near(x, y).sort_by { |a, b| a + b }.each do |a, b|\n"
        "      return true if solve(a, b, step + 1)\n    end\n    false\n  end\nend\nBoard.new(30).solve(0, 0)\n"
    )
    assert told("ruby", text).seconds < 0.1 and told("ruby", text).guessed


def test_what_is_found_one_after_the_other_is_held_by_nobody() -> None:
    text = 'local n = 0\nfor w in io.read("a"):gmatch("%a+") do\n  n = n + #w\nend\nprint(n)\n'
    stdin = b"some words of a line\n" * 20_000
    assert told("lua", text, stdin).bytes < 3 * len(stdin)


def test_functions_give_nothing_as_often_as_they_say() -> None:
    text = (
        'local function name_of(n)\n  if n % 2 == 0 then return nil end\n  return "some" .. n\nend\nlocal all = {}\n'
        "for i = 1, 100000 do\n  local v = name_of(i)\n  if not v then all[#all + 1] = { i, i } end\nend\nprint(#all)\n"
    )
    assert 2e6 < told("lua", text).bytes < 1e7


def test_ruby_puts_into_lists_without_blanks() -> None:
    text = "a=[]; 9.times{|i| v=i*i%7; a<<v unless a.include?(v)}; puts a.size\n"
    assert "a.append(v)" in ast.unparse(translated("ruby", text))


@pytest.mark.parametrize(
    ("language", "text", "each"),
    [
        ("ruby", "t = 'some text ' * 100000\na = t.bytes\nputs a.sum\n", 9.0),
        ("ruby", "t = 'some text ' * 100000\nn = 0\nt.each_byte { |b| n += b }\nputs n\n", 1.0),
        (
            "ruby",
            "t = 'some text ' * 100000\nu = t.bytes.each_with_index.map { |b, i| b ^ i }.pack('C*')\nputs u\n",
            19.0,
        ),
        ("php", "<?php $t = str_repeat('some text ', 100000); $a = unpack('C*', $t); echo array_sum($a);", 16.0),
    ],
)
def test_bytes_are_numbers_that_take_none_beside_their_places(language: str, text: str, each: float) -> None:
    assert 0.9 * each * 1e6 <= told(language, text).bytes <= 1.3 * each * 1e6 + 2e6


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ruby", "kept = {}\nDATA.each_line { |l| 100.times { |i| kept[\"#{l.chomp}-#{i}\"] = i } }\n__END__\n"),
        ("ruby", "kept = DATA.read.split(\"\\n\").product((1..100).to_a).map { |x, i| \"#{x}#{i}\" }\n__END__\n"),
        ("perl", "my %kept; while (my $l = <DATA>) { chomp $l; for my $i (1..100) { $kept{$l . $i}++ } }\n__DATA__\n"),
    ],
)  # fmt: skip
def test_what_stands_at_the_end_of_a_program_is_read_as_its_input(language: str, text: str) -> None:
    words = [f"word{n}" for n in range(900)]
    done = walked(text + "\n".join(words), "", language)
    assert not done.guessed and 4e6 < done.bytes < 4e7
    assert walked(text + "\n".join(words[:90]), "", language).bytes < 0.2 * done.bytes


def test_rows_that_are_made_by_what_is_put_into_them() -> None:
    text = (
        "<?php\n$a = [];\nfor ($i = 0; $i < 400; $i++) for ($j = 0; $j < 10; $j++) $a[$i][$j] = $i * $j / 7;\n"
        "$s = 0;\nforeach ($a as $row) for ($k = 0; $k < 10000; $k++) $s += $row[$k % 10];\necho $s;\n"
    )
    assert "a.setdefault(i, {})[j] = " in said("php", text)
    assert told("php", text).seconds > 0.02, "four million rounds"
    rows = "$a[$i] = [];\nfor"
    assert "setdefault" not in said("php", text.replace("for ($j", f"{{ {rows} ($j").replace("/ 7;\n", "/ 7; }\n"))
