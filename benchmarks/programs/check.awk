# Word counts, fields, strings, regular expressions, arithmetic and user functions over the input.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
function joined(list, n,   i, text) { for (i = 1; i <= n; i++) text = text (i > 1 ? "-" : "") list[i]; return text }
{ for (i = 1; i <= NF; i++) count[$i]++; letters += length($0); $2 = "X" i; total += length($0) }
/^[a-m].*(ing|er|[aeiou]{1,2}s)$/ { matched++ }
NR % 7 == 0 { gsub(/[aeiou]+/, "<&>"); kept = kept substr($0, 3, 9) }
END {
    for (w in count) { sum += count[w] * count[w]; if (count[w] > most) most = count[w] }
    print NR, letters, total, matched + 0, sum, most
    print kept
    n = split("the:quick:brown:fox", part, ":")
    print joined(part, n), toupper(part[2]), index("banana", "nan"), match("foobar", /o+b/), RSTART, RLENGTH
    printf "%5.3f|%-6s|%06d|%x|%c|%e\n", 3.14159, "ab", 42, 255, 65, 12345.678
    print fib(15), int(-3.7), 2 ^ 10, 7 % 3, log(exp(2)), sin(0), 1e6, 0.1 + 0.2, "10" < "9", 10 < 9
    delete count
    print length(count), sprintf("%s", 1e300 * 10), substr("hello", 0, 3), (1, 2) in count
}
