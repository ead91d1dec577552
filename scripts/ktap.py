#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Read test results in KTAP, the format of KUnit and kselftest.

The line of a group only repeats the results of its members, so members count and
groups do not, unless the group failed though no member did. If the number of results
is not as planned, that is a failure: a test that dies half-way must not look like one
that passed. "not ok" is a failure with any directive but SKIP: no test is allowed to fail.
"ok # XFAIL" counts as skipped, since the test did not get the result that it wants.

usage: ktap.py FILE     print the results in FILE and their number; exit status 1 if one
                        failed, or none passed
"""
import re
import sys

# Prefixes of lines of KTAP: time stamps of the console, "# " of kselftest.
NOISE = re.compile(r"^(?:<\d+>)?(?:\[ *\d+\.\d+\] ?)?((?:# )*)(.*)$")
RESULT = re.compile(r"^(\s*)(ok|not ok)\b(?: +\d+)?(?: *-)? *([^#]*?)\s*(?:# *(.*))?$")
PLAN = re.compile(r"^(\s*)1\.\.(\d+)(?: *# *(?:SKIP)?(.*))?$", re.I)
VERSION = re.compile(r"^(\s*)K?TAP version \d+$")


class Results:
    """passed: names; failed and skipped: (name, why) pairs."""

    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []

    def add(self, other, prefix=""):
        self.passed += [prefix + name for name in other.passed]
        self.failed += [(prefix + name, why) for name, why in other.failed]
        self.skipped += [(prefix + name, why) for name, why in other.skipped]

    def __len__(self):
        return len(self.passed) + len(self.failed) + len(self.skipped)


class Level:
    """A nesting level that is being read."""

    def __init__(self, depth):
        self.depth, self.plan, self.seen, self.results = depth, None, 0, Results()

    def close(self, results, name):
        if self.plan is not None and self.plan != self.seen:
            results.failed.append((name, f"planned {self.plan} results, gave {self.seen}"))


def depth_of(quotes, blanks):
    return len(quotes) + len(blanks)


def parse(text):
    """The results in text; empty if there is no KTAP in it."""
    levels = [Level(-1)]
    for line in text.splitlines():
        quotes, rest = NOISE.match(line.rstrip("\r")).groups()
        plan, result, version = PLAN.match(rest), RESULT.match(rest), VERSION.match(rest)
        found = plan or result or version
        if not found:
            continue
        depth = depth_of(quotes, found.group(1))
        if version:
            while len(levels) > 1 and levels[-1].depth >= depth:
                fold(levels, None)
            levels.append(Level(depth))
        elif plan:
            enter(levels, depth)
            levels[-1].plan = int(plan.group(2))
            if plan.group(3) and not levels[-1].plan:
                levels[-1].results.skipped.append(("all of it", plan.group(3).strip()))
        else:
            take(levels, depth, *result.group(2, 3, 4))
    while len(levels) > 1:
        fold(levels, None)
    return levels[0].results


def enter(levels, depth):
    """Make the level of this depth the innermost one."""
    while len(levels) > 1 and levels[-1].depth > depth:
        fold(levels, None)
    if levels[-1].depth < depth:
        levels.append(Level(depth))


def fold(levels, name):
    """End the innermost level, and add its results to the next one, with the group's name."""
    inner = levels.pop()
    inner.close(inner.results, "the plan")
    levels[-1].results.add(inner.results, f"{name}: " if name else "")


def take(levels, depth, verdict, name, directive):
    """Take one result line; deeper levels that came just before are its members."""
    members = Results()
    while len(levels) > 1 and levels[-1].depth > depth:
        inner = levels.pop()
        inner.close(inner.results, "the plan")
        members.add(inner.results)
    enter(levels, depth)
    level = levels[-1]
    level.seen += 1
    name = name or f"test {level.seen}"
    level.results.add(members, f"{name}: ")
    word = (directive or "").split(" ")[0].upper().rstrip(":")
    if len(members):
        if verdict == "not ok" and not members.failed and word != "SKIP":
            level.results.failed.append((name, directive or "not ok, though no member failed"))
    elif word == "SKIP" or (verdict == "ok" and word == "XFAIL"):
        level.results.skipped.append((name, directive[len(word):].strip(" :") or "no reason given"))
    elif verdict == "ok":
        level.results.passed.append(name)
    else:
        level.results.failed.append((name, directive or ""))


def reasons(text, most=12):
    """For each result that is not ok: its line, after at most @most lines that it alone printed."""
    told = []
    for line in text.splitlines():
        rest = NOISE.match(line.rstrip("\r")).group(2)
        result = RESULT.match(rest)
        if not result and not PLAN.match(rest) and not VERSION.match(rest):
            told.append(line)
            continue
        # A group repeats what its members say. Of it only what came after the last one is told.
        if result and result.group(2) == "not ok" and told and \
                not (result.group(4) or "").upper().startswith("SKIP"):
            yield told[-most:] + [line]
        told = []


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as stream:
        text = stream.read()
    results = parse(text)
    for name in results.passed:
        print(f"passed: {name}")
    for word, which in ("skipped", results.skipped), ("FAILED", results.failed):
        for name, why in which:
            print(f"{word}: {name}{': ' + why if why else ''}")
    for lines in reasons(text):
        print("a failure:", *lines, sep="\n| ")
    if results.failed or not results.passed:
        print(f"the end of {sys.argv[1]}:", *text.rstrip().splitlines()[-40:], sep="\n| ")
    print(f"{len(results.passed)} passed, {len(results.failed)} failed")
    return 1 if results.failed or not results.passed else 0


if __name__ == "__main__":
    sys.exit(main())
