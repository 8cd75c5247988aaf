"""Brings cases to the worker process, judges what comes of them, and keeps the counts.

The oracle is the same for every kind of file: the right answer, or a refusal of one line. All else is a fault:
*believed* (an answer that is wrong), *raised* (an exception that is not Abapa's, or an error of several lines),
*crashed* (the process is gone), *hung* (no answer in time).
"""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 30.0
"""A case takes milliseconds: what takes so long hangs."""
FIRST_SECONDS = 550.0
"""The first case of a process, which may compile kernels."""
LONGEST_ERROR = 2000
"""Characters; an error must not hand a file back."""
OUTCOMES = ("right", "refused", "believed", "raised", "crashed", "hung")

Judge = Callable[[Any], str | None]
"""What is wrong with an answer; None where nothing is."""

TALLY: dict[str, Counter[str]] = {}
"""Kind of damaged thing -> how many cases ended how."""


class Worker:
    """The worker process; started when it is first asked, and again after it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._fresh = True

    def ask(self, ask: str, seconds: float = SECONDS, **arguments: Any) -> dict[str, Any]:
        """What came of a case: ``answer``, ``refused``, ``raised``, ``crashed`` or ``hung`` and what is known of it."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps({"ask": ask, "arguments": arguments}) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass
        ready, _, _ = select.select([process.stdout], [], [], max(FIRST_SECONDS if self._fresh else 0.0, seconds))
        self._fresh = False
        if not ready:
            self.close()
            return {"hung": f"no answer in {seconds:g} s"}
        line = process.stdout.readline()
        if line:
            return json.loads(line)
        code = process.wait()
        self._said.seek(0)
        said = self._said.read()[-400:]
        self.close()
        return {"crashed": f"exit code {code}: {said}"}

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._said = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (closed with the process)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.hostile.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                text=True,
                cwd=Path(__file__).resolve().parents[2],
            )
            self._fresh = True
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._said.close()
        self._process = None


@dataclass
class Trial:
    """The cases of one test: each is brought, judged and counted; :meth:`verdict` is the assertion."""

    worker: Worker
    kind: str
    faults: list[str] = field(default_factory=list)

    def case(self, name: str, ask: str, judge: Judge, *, must_refuse: bool = False, **arguments: Any) -> str:
        """Bring a case; how it ended, one of OUTCOMES. ``must_refuse``: no answer is right."""
        found = self.worker.ask(ask, **arguments)
        outcome, detail = _judged(found, judge, must_refuse)
        self.count(outcome)
        if outcome not in ("right", "refused"):
            self.faults.append(f"{name}: {outcome}: {detail}")
        return outcome

    def count(self, outcome: str) -> None:
        """Count a case."""
        TALLY.setdefault(self.kind, Counter())[outcome] += 1

    def truth(self, ask: str, **arguments: Any) -> Any:
        """The answer to what nobody has damaged."""
        found = self.worker.ask(ask, FIRST_SECONDS, **arguments)
        assert "answer" in found, found
        return found["answer"]

    def verdict(self) -> None:
        """Fail where a case was at fault, and name the first ones."""
        assert not self.faults, f"{len(self.faults)} faults:\n" + "\n".join(self.faults[:20])


def _judged(found: dict[str, Any], judge: Judge, must_refuse: bool) -> tuple[str, str]:
    if "refused" in found:
        text = found["refused"]
        if len(text.splitlines()) == 1 and len(text) <= LONGEST_ERROR:
            return "refused", text
        return "raised", f"an error of {len(text):,} characters in {len(text.splitlines())} lines: {text[:200]!r}"
    if "answer" in found:
        wrong = "it should have been refused" if must_refuse else judge(found["answer"])
        return ("believed", wrong) if wrong else ("right", "")
    ((outcome, detail),) = found.items()
    return outcome, detail


def one_line(ran: dict[str, Any]) -> str | None:
    """What is wrong with how a command ended: right ones print no error; others one line and exit code 1 or 2."""
    code, err = ran["code"], ran["err"]
    if code == 0:
        return None if "Traceback" not in err else err[-300:]
    if code not in (1, 2) or len(err) > LONGEST_ERROR:
        return f"exit code {code}, {len(err)} characters of errors: {err[-300:]!r}"
    if code == 2 and not (err.startswith("abapa: ") and err.count("\n") == 1):
        return f"an error that is not one line: {err[-300:]!r}"
    return None


def equals(truth: Any) -> Judge:
    """Right is what was answered before the damage."""
    return lambda answer: None if answer == truth else f"{str(answer)[:300]} instead of {str(truth)[:300]}"
