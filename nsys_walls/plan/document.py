"""The plan as data, for ``--format json`` (schema ``nsys-walls/plan/1``).

Keys are stable, new ones may come; ``null`` is "not known". Ids and names of kernels are
those of the report of the same run.
"""

from typing import TypedDict

from nsys_walls import __version__
from nsys_walls.plan import Command, Plan
from nsys_walls.plan.ncu import shell_line

PLAN_SCHEMA = "nsys-walls/plan/1"


class PlannedKernel(TypedDict):
    """A kernel that a command measures; ``time_ratio`` is of all kernel time."""

    id: int
    name: str
    time_ns: int
    time_ratio: float


class CommandRow(TypedDict):
    """One run of the program under ncu."""

    #: for a POSIX shell, with PROGRAM ARGS... in place of the program
    command: str
    #: the same as words, the program left out
    words: list[str]
    #: the CSV that it writes
    file: str
    compute_capability: str | None
    metrics: list[str]
    kernels: list[PlannedKernel]
    #: profiled launches: one of every shape of the names in the command
    launches: int
    time_ratio: float
    #: replays of a launch, estimated
    passes: int
    #: passes x traced time of the profiled launches
    replay_ns: float


class LeftOutRow(TypedDict):
    """A kernel that can't be measured, and why."""

    id: int
    name: str
    time_ratio: float
    reason: str


class PlanDocument(TypedDict):
    """The whole plan; every ``*_time_ratio`` is of all kernel time."""

    schema: str
    version: str
    run: str
    #: share of ``measurable_time_ratio`` that was asked for
    cover: float
    #: bytes and FLOP are known now
    measured_time_ratio: float | None
    #: the commands add this
    planned_time_ratio: float | None
    #: what has been measured or can be
    measurable_time_ratio: float | None
    #: runs of the program x length of the traced run
    program_ns: int | None
    replay_ns: float
    commands: list[CommandRow]
    left_out: list[LeftOutRow]


def plan_document(plan: Plan) -> PlanDocument:
    """Write a plan as data, ready for JSON."""

    def ratio(time_ns: int) -> float | None:
        return time_ns / plan.kernel_ns if plan.kernel_ns else None

    return {
        "schema": PLAN_SCHEMA,
        "version": __version__,
        "run": plan.run,
        "cover": plan.cover,
        "measured_time_ratio": ratio(plan.measured_ns),
        "planned_time_ratio": ratio(plan.planned_ns),
        "measurable_time_ratio": ratio(plan.measurable_ns),
        "program_ns": plan.program_ns,
        "replay_ns": plan.replay_ns,
        "commands": [_command(command, plan.kernel_ns) for command in plan.commands],
        "left_out": [
            {
                "id": row.kernel.id,
                "name": row.kernel.name,
                "time_ratio": row.kernel.time_ns / plan.kernel_ns,
                "reason": row.reason,
            }
            for row in plan.left_out
        ],
    }


def _command(command: Command, kernel_ns: int) -> CommandRow:
    return {
        "command": shell_line(command.words),
        "words": list(command.words),
        "file": command.log_file,
        "compute_capability": command.compute_capability,
        "metrics": list(command.metrics),
        "kernels": [
            {
                "id": kernel.id,
                "name": kernel.name,
                "time_ns": kernel.time_ns,
                "time_ratio": kernel.time_ns / kernel_ns,
            }
            for kernel in command.kernels
        ],
        "launches": command.launches,
        "time_ratio": command.time_ns / kernel_ns,
        "passes": command.passes,
        "replay_ns": command.replay_ns,
    }
