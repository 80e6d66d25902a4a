"""Visits of a web site, from its log to sessions: who came how long, and which pages come after which."""

import random
import re
from collections import Counter, defaultdict
from itertools import pairwise

LINE = re.compile(r"(\d+) (\S+) GET (\S+) (\d{3}) (\d+)")
GAP_S = 1800
PAGES = [f"/{part}/{name}" for part in ("shop", "help", "blog") for name in range(40)]


def log(lines, seed=7):
    """Made up: visitors who come again, pages of which some are liked more."""
    draw = random.Random(seed)
    clock = 1_700_000_000
    for _ in range(lines):
        clock += draw.randrange(4)
        visitor = f"10.{draw.randrange(8)}.{draw.randrange(50)}.{draw.randrange(50)}"
        page = PAGES[int(len(PAGES) * draw.random() ** 2)]
        yield f"{clock} {visitor} GET {page} {draw.choice((200, 200, 200, 304, 404))} {draw.randrange(300, 90_000)}"


def parsed(lines):
    """Time, visitor, page, status, bytes of each line."""
    for line in lines:
        found = LINE.match(line)
        if found:
            when, visitor, page, status, size = found.groups()
            yield int(when), visitor, page, int(status), int(size)


def sessions(records):
    """Lists of visits without a pause of half an hour, by visitor."""
    found = defaultdict(list)
    for record in records:
        own = found[record[1]]
        if own and record[0] - own[-1][-1][0] < GAP_S:
            own[-1].append(record)
        else:
            own.append([record])
    return found


def main():
    """Reads a log and tells what is in it."""
    records = list(parsed(log(150_000)))
    found = sessions(records)
    long = sorted((each for own in found.values() for each in own), key=len, reverse=True)
    after = Counter((a[2], b[2]) for each in long for a, b in pairwise(each))
    traffic = Counter()
    for _, _, page, status, size in records:
        if status == 200:
            traffic[page] += size
    print(len(records), "visits,", len(found), "visitors,", len(long), "sessions, the longest of", len(long[0]))
    print("most traffic:", traffic.most_common(3))
    print("one after the other:", after.most_common(3))


if __name__ == "__main__":
    main()
