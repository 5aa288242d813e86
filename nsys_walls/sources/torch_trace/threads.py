"""The threads of a trace that calls were made and operators ran on."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from nsys_walls.sources.torch_trace.collect import Thread
from nsys_walls.traces.arrow import Ints, integers, optional_integers


class Threads:
    """Processes and threads behind the numbers of `Collected.threads`.

    Args:
        threads: The threads in the order of their numbers.

    Attributes:
        process: A number for the process of each thread.
        only_process: The process, where the trace has one and it is a number.
    """

    def __init__(self, threads: Sequence[Thread]) -> None:
        processes = [process for process, _ in threads]
        numbers = {process: number for number, process in enumerate(dict.fromkeys(processes))}
        self.process = np.array([numbers[process] for process in processes], np.int64)
        self.only_process = _number(processes[0]) if len(numbers) == 1 else None
        self._processes = optional_integers([_number(process) for process in processes])
        self._threads = optional_integers([_number(thread) for _, thread in threads])

    def columns(self, threads: Ints) -> dict[str, pa.Array]:
        """Make the columns process and thread of the store for some threads."""
        rows = integers(threads)
        return {"process": self._processes.take(rows), "thread": self._threads.take(rows)}


def _number(identity: int | str | None) -> int | None:
    """Take a number; what is no number was made up by a tool, and stays in the trace."""
    return identity if isinstance(identity, int) else None
