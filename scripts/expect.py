# SPDX-License-Identifier: GPL-2.0
"""The results that each stage of a test run must have, and the faults that a run has to disprove.

The file scripts/expected has lines of these forms, with tabs between the fields:

STAGE	floor	NUMBER		at least so many results have to pass
STAGE	skip	NAME	REASON	this result has to be skipped
STAGE	open	REASON		skips of the stage are only printed
STAGE	package	NAME		without the package NAME, skips are only printed, and no floor holds

A line 'package' is for stages that need a package of Debian. It has no effect where apt
offers the package, whether it is installed or not, since scripts/setup installs it there.

A stage is a file of scripts/tests.*, and stands for one engine in one configuration. A
skip without a line fails, so that no test stops running unnoticed; a line whose test
is not skipped fails as well. EXPECTED in the environment replaces scripts/expected.

scripts/faults describes its format itself.
"""
import collections
import fnmatch
import os
import re
import subprocess

from overlay import REPO, Bad, read

EXPECTED = os.environ.get("EXPECTED") or os.path.join(REPO, "scripts", "expected")
FAULTS = os.environ.get("FAULTS") or os.path.join(REPO, "scripts", "faults")


class Stage:
    """The results that a stage must have."""

    def __init__(self):
        self.floor, self.skips, self.open, self.packages = 0, {}, False, []


def lines(path):
    """(number, text) of each line that is not a comment"""
    if not os.path.exists(path):
        return
    for number, line in enumerate(read(path).decode().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line


def expected():
    """{name of a stage: Stage}"""
    stages = collections.defaultdict(Stage)
    for number, line in lines(EXPECTED):
        fields = line.split("\t")
        stage = stages[fields[0]]
        if fields[1:2] == ["floor"] and len(fields) == 3:
            stage.floor = int(fields[2])
        elif fields[1:2] == ["skip"] and len(fields) == 4:
            stage.skips[fields[2]] = fields[3]
        elif fields[1:2] == ["open"] and len(fields) == 3:
            stage.open = True
        elif fields[1:2] == ["package"] and len(fields) == 3:
            stage.packages.append(fields[2])
        else:
            raise Bad(f"{EXPECTED}:{number}: not 'STAGE floor NUMBER' nor 'STAGE skip NAME REASON'")
    return stages


def offered(package):
    """Whether apt knows a package of this name."""
    try:
        return not subprocess.run(["apt-cache", "show", package], check=False,
                                  capture_output=True).returncode
    except FileNotFoundError:
        return False


def check_stage(name, stage, results):
    """Add a failure to a stage's results for each difference from what is expected."""
    prefix = f"{name}: "
    skipped = {item.removeprefix(prefix) for item, _ in results.skipped}
    complete = all(map(offered, stage.packages))
    if not stage.open and complete:
        for item in sorted(skipped - set(stage.skips)):
            results.failed.append((prefix + item, f"skipped, and no line in {EXPECTED} says so"))
    for item in sorted(set(stage.skips) - skipped):
        results.failed.append((prefix + item, f"not skipped, as {EXPECTED} says"))
    if len(results.passed) < stage.floor and complete:
        results.failed.append((name, f"{len(results.passed)} results passed, "
                                     f"{stage.floor} have to ({EXPECTED})"))


def read_faults():
    """[(title of a section, the number of its faults, {fault: [pattern]})]"""
    sections = []
    for number, line in lines(FAULTS):
        head = re.fullmatch(r"= (\d+) (.+)", line)
        rows = sections[-1][2] if sections else {}
        if head:
            sections.append((head[2], int(head[1]), {}))
        elif sections and not line.startswith("\t") and line not in rows:
            rows[line] = []
        elif rows and line.startswith("\t"):
            rows[list(rows)[-1]].append(line.strip())
        else:
            raise Bad(f"{FAULTS}:{number}: neither a section, nor a new fault or a test in one")
    return sections


def lacking(pattern, results):
    """Return '' if all results that match the pattern have passed, and there are any."""
    if not any(fnmatch.fnmatchcase(item, pattern) for item in results.passed):
        return f"no test passed that is '{pattern}'"
    for word, which in ("failed", results.failed), ("was skipped", results.skipped):
        for item, _ in which:
            if fnmatch.fnmatchcase(item, pattern):
                return f"'{item}' {word}, which is '{pattern}'"
    return ""


def has_run(pattern, ran):
    """Whether the stage that a pattern of results names is among those that ran; None: all are."""
    return ran is None or bool(fnmatch.filter(ran, pattern.split(": ")[0]))


def check_faults(results, ran=None):
    """
    Add a failure for each fault that no test has disproved; return those that have no test.

    If only some stages ran, the others' tests are not looked for.
    """
    wrong, unproven = [], []
    for title, number, rows in read_faults():
        if len(rows) != number:
            wrong.append((f"faults {title}", f"{len(rows)} of them, but there have to be {number}"))
        for fault, patterns in rows.items():
            if not patterns:
                wrong.append((f"faults: {fault}", "no test is named for it"))
            for pattern in patterns:
                if pattern.startswith("none: "):
                    unproven.append((fault, pattern[len("none: "):]))
                elif has_run(pattern, ran) and lacking(pattern, results):
                    wrong.append((f"faults: {fault}", lacking(pattern, results)))
    results.failed += wrong
    return unproven
