"""Fork: a child process that continues its parent's random stream draws the same noise, which then cancels."""

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
drawn = [ours.bits(128), theirs.getrandbits(128)]
if child:
    os.write(write, json.dumps(drawn).encode())
    os._exit(0)
os.wait()
other = json.loads(os.read(read, 10_000))
print(json.dumps([a == b for a, b in zip(drawn, other)]))
"""


def attack(epsilon: object) -> Finding:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    ours, theirs = json.loads(done.stdout)
    return Finding(
        "fork",
        "128 bits drawn by a parent and by its child",
        "a generator kept in memory: the same bits" if theirs else "different bits",
        "the same bits" if ours else "different bits: the stream gets a new key after a fork",
        not ours,
        {"alike": float(ours), "careless_alike": float(theirs)},
    )
