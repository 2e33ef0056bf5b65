"""Fork: a child process that goes on with its parent's random stream has its parent's noise; two answers then cancel."""

from __future__ import annotations

import json
import subprocess
import sys

from lapcat.audit.attacks.finding import Finding

SCRIPT = """
import json, os, random
import numpy as np
from lapcat.core.coins import system_coins
ours, theirs = system_coins(), random.Random(1)
ours.bits(64)
read, write = os.pipe()
child = os.fork() == 0
said = [ours.bits(128), theirs.getrandbits(128)]
if child:
    os.write(write, json.dumps(said).encode())
    os._exit(0)
os.wait()
heard = json.loads(os.read(read, 10_000))
print(json.dumps([a == b for a, b in zip(said, heard)]))
"""


def attack(epsilon: object) -> Finding:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    ours, theirs = json.loads(done.stdout)
    return Finding(
        "fork",
        "128 bits drawn by a parent and by its child",
        "a generator kept in memory: the same bits" if theirs else "other bits",
        "the same bits" if ours else "other bits: the stream gets a new key after a fork",
        not ours,
        {"alike": float(ours), "careless_alike": float(theirs)},
    )
