"""Asks one question on the cluster that a catalogue names, and says in lines what happens: for test_spark_cluster.py.

A process of its own, because Spark has one context in a process, and the tests' own is another.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from lapcat.engines.spark import engine as engine_module
from lapcat.engines.spark.session import session
from lapcat.frontend.catalogue import read_cluster
from lapcat.session.files import open_deployment, refresh
from lapcat.session.ledger_files import catalogue_text
from lapcat.testing.reveal import reveal
from tests.support import seeded

QUESTION = "SELECT region, COUNT(*) AS n, SUM(pay) AS pay FROM staff GROUP BY region"


def say(word: str, rest: object = "") -> None:
    print(word, rest, flush=True)


def executors(spark: Any) -> int:
    """How many there are; the driver is counted among them, and is none."""
    return int(spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size()) - 1


def watch(spark: Any) -> None:
    """Says when the question is in the middle: some tasks are done, and more are not."""
    tracker = spark.sparkContext.statusTracker()
    while True:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None and info.numTasks > 8 and 2 <= info.numCompletedTasks < info.numTasks / 2:
                say("middle")
                return
        time.sleep(0.005)


def main(catalogue: str) -> None:
    spark = session(read_cluster(catalogue_text(catalogue)))
    say("master", spark.sparkContext.master)
    while executors(spark) < 2:
        time.sleep(0.05)
    look = engine_module.SparkEngine.execute

    def looked(self: Any, plan: Any, *attempt: Any) -> Any:
        threading.Thread(target=watch, args=(spark,), daemon=True).start()
        private = look(self, plan, *attempt)
        say("integers", reveal(private).tolist())
        return private

    engine_module.SparkEngine.execute = looked  # type: ignore[method-assign]
    refresh(open_deployment(catalogue), "staff")
    db = seeded(catalogue)  # type: ignore[arg-type]
    say("answer", len(db.sql(QUESTION).run(epsilon=1)))
    say("spent", db.budget().as_json()["tables"]["staff"]["spent"]["epsilon"])
    say("again", db.sql(QUESTION).run(epsilon=1).free)
    say("executors", executors(spark))
    spark.sparkContext.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
