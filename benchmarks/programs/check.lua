-- Strings, tables, closures, coroutines, garbage collection and maths with known answers.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
assert(fib(18) == 2584)
assert(("hello world"):gsub("o", "0") == "hell0 w0rld")
assert(string.format("%5.2f|%-5s|%05d|%x|%q", 3.14159, "ab", 42, 255, "a\n") == ' 3.14|ab   |00042|ff|"a\\\n"')
assert(("key = value"):match("^(%w+)%s*=%s*(%w+)$") == "key")
assert(table.concat({1, 2, 3}, ",") == "1,2,3" and select("#", table.unpack({1, nil, 3}, 1, 3)) == 3)
assert(7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7.5 // 2 == 3.0 and 1 << 62 == 4611686018427387904)
assert(math.maxinteger + 1 == math.mininteger and math.type(2^53) == "float" and 2^53 == 9007199254740992)
assert(tostring(0/0) ~= tostring(1) and math.tointeger(3.0) == 3 and tonumber("0x1p4") == 16.0)

local function counter() local n = 0 return function() n = n + 1 return n end end
local a, b = counter(), counter()
assert(a() == 1 and a() == 2 and b() == 1)

local words = {}
for i = 1, 2000 do words[i] = string.rep(string.char(97 + i * 7 % 26), i % 9 + 1) .. (i * 7919 % 1000) end
table.sort(words)
for i = 2, #words do assert(words[i - 1] <= words[i]) end
table.sort(words, function(x, y) return x > y end)
for i = 2, #words do assert(words[i - 1] >= words[i]) end

local producer = coroutine.wrap(function() for i = 1, 50 do coroutine.yield(i * i) end return "done" end)
local sum = 0
for _ = 1, 50 do sum = sum + producer() end
assert(sum == 42925 and producer() == "done")

local ok, message = pcall(function() error({code = 7}) end)
assert(not ok and message.code == 7)
assert(select(2, pcall(function() local x = nil; return x.y end)):find("index a nil value"))

local vector = {}
vector.__index = vector
vector.__add = function(p, q) return setmetatable({x = p.x + q.x}, vector) end
vector.__eq = function(p, q) return p.x == q.x end
vector.__lt = function(p, q) return p.x < q.x end
vector.__tostring = function(p) return "v" .. p.x end
vector.__close = function() sum = sum + 1 end
local v = setmetatable({x = 1}, vector)
assert(tostring(v + v) == "v2" and v + v == setmetatable({x = 2}, vector) and v < v + v)
do local c <close> = v end
assert(sum == 42926)

local weak = setmetatable({}, {__mode = "v"})
for i = 1, 100 do weak[i] = {} end
collectgarbage()
assert(next(weak) == nil)
for _, mode in ipairs{"generational", "incremental"} do
  collectgarbage(mode)
  local keep = {}
  for i = 1, 3000 do keep[i % 100] = {i, tostring(i), function() return i end} end
  assert(keep[0][3]() == 3000)
end

goto past
assert(false)
::past::
local compiled = assert(load("local a, b = ... return a * b, #'four'"))
print(compiled(6, 7))
print(string.pack("<i4d", 1, 2.5):byte(1, -1))
print(utf8.char(233, 8364, 128512), utf8.len("é€"), ("%s"):rep(3, "-"):format(1, 2.0, true))
print(os.time{year = 2001, month = 9, day = 9, hour = 12} // 86400, #arg)
local primes, hash = {}, 5381
for n = 2, 2000 do
  local prime = true
  for _, p in ipairs(primes) do if p * p > n then break end if n % p == 0 then prime = false break end end
  if prime then primes[#primes + 1] = n hash = (hash * 33 ~ n) & 0xFFFFFFFF end
end
print(#primes, hash, string.format("%.14g %a", math.sin(1) ^ 2 + math.cos(1) ^ 2, 0.1))
