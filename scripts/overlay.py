# SPDX-License-Identifier: GPL-2.0
"""The repo's overlay files and patches, and their order.

patches/series lists the patches, one a line, in the order in which they apply.
Indented lines below a patch name the overlay files that come with it; a name
that ends in '/' stands for all files below it that no other line names.

Every upstream file is changed by one patch only, so that it can be made again
from the pristine file and that patch, regardless of other changes.
"""
import contextlib
import fcntl
import hashlib
import os
import re
import sys
import time

REPO = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(REPO, "build"))
PRISTINE = os.path.join(BUILD, "pristine")
LINUX = os.path.join(BUILD, "linux")
STATE = os.path.join(BUILD, "tree")
PATCHES = os.path.join(REPO, "patches")
ROOTS = ("Documentation", "include", "kernel", "samples", "tools")
NOT_SOURCE = re.compile(r"(\.o|\.ko|\.cmd|\.mod|\.orig|\.rej|\.swp|\.pyc|~)$|^\.(?!gitignore$|kunitconfig$)")

class Bad(Exception):
    """Something in the repo or on the machine is not as it must be."""


def say(text):
    print(f"{os.path.basename(sys.argv[0])}: {text}", flush=True)


def run_main(main):
    try:
        sys.exit(main())
    except Bad as bad:
        print(f"{os.path.basename(sys.argv[0])}: {bad}", file=sys.stderr)
        sys.exit(1)


def note_wait(sign):
    """Tell scripts/test that a wait begins or ends. Waiting does not count as the test's time."""
    if os.environ.get("STROBE_WAITS"):
        with open(os.environ["STROBE_WAITS"], "a", encoding="ascii") as stream:
            print(sign, time.time(), file=stream)


@contextlib.contextmanager
def build_lock(how=fcntl.LOCK_EX):
    """Lock the build directory exclusively, or with LOCK_SH against changes of its tree; nests
    within a shell script's lock."""
    if os.environ.get("STROBE_LOCKED") == BUILD:
        yield
        return
    os.makedirs(BUILD, exist_ok=True)
    with open(os.path.join(BUILD, ".lock"), "w") as lock:
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except OSError:
            say(f"waiting for another build in {BUILD}")
            note_wait("+")
            fcntl.flock(lock, how)
            note_wait("-")
        os.environ["STROBE_LOCKED"] = BUILD
        yield
        del os.environ["STROBE_LOCKED"]


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def later(path):
    """{case: the reason why it does not pass with Strobe yet}: lines of a name, a tab, a reason"""
    lines = read(path).decode().splitlines() if os.path.exists(path) else []
    return dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))


def digest(data):
    return hashlib.sha256(data).hexdigest()


def diff_key(path, diff):
    """A key that changes when the diff of a file or the pristine file does."""
    return digest(diff.encode() + read(os.path.join(PRISTINE, path)))


def kernel_version(tree):
    """The version of a kernel tree, as its Makefile has it: '6.12.117'."""
    try:
        text = read(os.path.join(tree, "Makefile")).decode()
        parts = [re.search(rf"^{k} = *(\S*)$", text, re.M).group(1)
                 for k in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    except (OSError, AttributeError):
        raise Bad(f"{tree}: no kernel tree (no version in its Makefile)") from None
    return ".".join(parts)


def overlay_files():
    """Paths, relative to the repo, of the files that are copied into the tree."""
    found = []
    for root in ROOTS:
        for folder, dirs, names in os.walk(os.path.join(REPO, root)):
            dirs[:] = sorted(d for d in dirs if d != "__pycache__")
            found += [os.path.relpath(os.path.join(folder, n), REPO)
                      for n in sorted(names) if not NOT_SOURCE.search(n)]
    return found


def split_diffs(text):
    """The text before the first diff, and each file's diff with a 'diff --git' line on top."""
    parts, named = [[]], False
    lines = text.splitlines(keepends=True)
    for line, following in zip(lines, lines[1:] + [""]):
        if line.startswith("diff --git "):
            parts.append([])
            named = True
        elif line.startswith("--- a/") and following.startswith("+++ b/"):
            if not named:
                path = line.split()[1][2:]
                parts.append([f"diff --git a/{path} b/{path}\n"])
            named = False
        parts[-1].append(line)
    return ["".join(part) for part in parts]


class Patch:
    """A file below patches/: the message, and a diff for each upstream file."""

    def __init__(self, name):
        self.name = name
        self.brings = []
        try:
            text = read(os.path.join(PATCHES, name)).decode()
        except OSError as error:
            raise Bad(f"patches/series names {name}: {error.strerror}") from None
        self.message, *parts = split_diffs(text)
        self.diffs = {}
        for part in parts:
            path = re.match(r"diff --git a/(\S+) b/\1\n?", part)
            if not path or path.group(1) in self.diffs:
                raise Bad(f"{name}: cannot use {part.splitlines()[0]!r}")
            self.diffs[path.group(1)] = part
        # A diff without a hunk only assigns the file to this patch, for make refresh.
        self.changes = [path for path, diff in self.diffs.items() if "\n@@ " in diff]

    def header(self, field):
        head = self.message.partition("\n\n")[0]
        found = re.search(rf"^{field}: (.*(?:\n[ \t].*)*)", head, re.M)
        return re.sub(r"\n[ \t]+", " ", found.group(1)) if found else ""

    def subject(self):
        return re.sub(r"^\[PATCH[^]]*\] *", "", self.header("Subject"))

    def body(self):
        text = self.message.partition("\n\n")[2]
        return re.split(r"^---$", text, flags=re.M)[0].strip()


def series():
    """The patches in order. Fails if an upstream file is in more than one."""
    patches, owner = [], {}
    try:
        lines = read(os.path.join(PATCHES, "series")).decode().splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line[0].isspace():
            patches.append(Patch(line.strip()))
        elif patches:
            patches[-1].brings.append(line.strip())
        else:
            raise Bad(f"patches/series: {line.strip()!r} stands below no patch")
    for patch in patches:
        for path in patch.diffs:
            if path in owner:
                raise Bad(f"{path} is changed by {owner[path]} and {patch.name}; one must own it")
            owner[path] = patch.name
    return patches


def share_out(patches, paths):
    """{patch name: [overlay files that it brings]}; files that no patch brings are under None."""
    claims = {}
    for patch in patches:
        for entry in patch.brings:
            if entry in claims:
                raise Bad(f"patches/series names {entry} twice")
            claims[entry] = patch.name
    shares = {}
    for path in paths:
        claim = path
        while claim and claim not in claims:
            claim = claim.rstrip("/").rpartition("/")[0]
            claim = claim and claim + "/"
        shares.setdefault(claims.get(claim), []).append(path)
    return shares
