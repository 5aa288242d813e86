"""Lines on all that is not a kernel, for the written reports."""

from collections.abc import Iterator

from nsys_walls.reports import Document
from nsys_walls.reports.around_rows import CollectiveRow, Copy, IdleRow, RankRow
from nsys_walls.reports.wording import LINK_NAMES, cut_middle, printable, ratio_cell
from nsys_walls.texts import Text, Value, text
from nsys_walls.units import duration, percent, si

# Causes, copies and collectives that hold less than this share of the span are left out.
_SMALLEST_SHARE = 0.001
_RANKS_SHOWN = 16
_LINES_SHOWN = 24
_FILE_WIDTH = 40


def selection_line(document: Document, language: str) -> str | None:
    """Say what of the run is shown; None for all of it."""
    selection = document["selection"]
    if selection is None:
        return None
    parts = [f"--nvtx {pattern}" for pattern in selection["nvtx"]]
    parts += [f"--window {selection['window']}"] if selection["window"] else []
    parts += [f"--device {device}" for device in selection["devices"]]
    parts += [f"--stream {stream}" for stream in selection["streams"]]
    parts += [f"--kernel {selection['kernel']}"] if selection["kernel"] is not None else []
    return text("plain.shown", selection=printable(" ".join(parts))).written(language)


def time_lines(document: Document, language: str) -> Iterator[str]:
    """Account for the GPUs' time: busy, copies, idle and why, communication, ranks, samples."""
    totals = document["totals"]
    span_ns = totals["span_ns"]
    if not span_ns:
        return
    times_ns = {
        "busy": totals["busy_ns"],
        "copies": totals["copy_ns"],
        "other": totals["other_ns"],
        "idle": totals["idle_ns"],
    }
    share = {what: percent((time_ns or 0) / span_ns) for what, time_ns in times_ns.items()}
    key = "plain.time_other" if totals["other_ns"] else "plain.time"
    yield text(key, **share, span=duration(span_ns)).written(language)
    least_ns = _SMALLEST_SHARE * span_ns
    several = len(document["devices"]) > 1
    lines = [
        *((row["time_ns"], row["device"], _idle(row).written(language))
          for row in document["idle"]["by_cause"]),
        *((row["time_ns"], row["device"], _copy(row, language)) for row in document["copies"]),
    ]  # fmt: skip
    shown = [row for row in lines if row[0] >= least_ns]
    for _, device, line in shown[:_LINES_SHOWN]:
        yield f"  GPU {device}: {line}" if several else f"  {line}"
    if len(shown) > _LINES_SHOWN:
        more = len(shown) - _LINES_SHOWN
        yield "  " + text("plain.more_lines", lines=more).written(language)
    yield from (f"  {_collective(row, language)}" for row in document["communication"])
    yield from _ranks(document, language)
    for samples in document["sampling"]:
        yield "  " + text(
            "plain.sampling",
            device=str(samples["device"]),
            samples=samples["samples"],
            attributed=samples["attributed"],
        ).written(language)


def _idle(cause: IdleRow) -> Text:
    after = cause["cause"] == "host" and cause["call"]
    return text(
        f"plain.idle_{cause['cause']}{'_after' if after else ''}",
        time=duration(cause["time_ns"]),
        gaps=cause["gaps"],
        call=printable(cause["call"] or ""),
    )


def _copy(copy: Copy, language: str) -> str:
    operation = text(f"plain.{copy['operation'] or 'other'}")
    if "pageable" in {copy["source_memory"], copy["target_memory"]}:
        operation = text("plain.pageable", operation=operation)
    values: dict[str, Value] = {
        "operation": operation,
        "copies": copy["copies"],
        "time": duration(copy["time_ns"]),
    }
    if copy["bytes"] is None or copy["bytes_per_s"] is None:
        return text("plain.copy", **values).written(language)
    values |= {"bytes": si(copy["bytes"], "B"), "rate": si(copy["bytes_per_s"], "B/s")}
    if copy["wall"] is None or copy["wall_ratio"] is None:
        return text("plain.copy_rate", **values).written(language)
    wall = LINK_NAMES[copy["wall"]]
    return text("plain.copy_wall", **values, wall=wall, ratio=percent(copy["wall_ratio"])).written(
        language
    )


def _collective(row: CollectiveRow, language: str) -> str:
    values: dict[str, str | int] = {
        "name": row["class"].removeprefix("comm_"),
        "launches": row["launches"],
        "time": duration(row["time_ns"]),
    }
    if row["waiting_ns"] is None:
        return text("plain.collective", **values).written(language)
    return text(
        "plain.collective_waiting",
        **values,
        ranks=row["ranks"],
        waiting=duration(row["waiting_ns"]),
    ).written(language)


def _ranks(document: Document, language: str) -> Iterator[str]:
    ranks: list[RankRow] = document["ranks"]
    files = document["run"]["sources"]
    for rank in ranks[:_RANKS_SHOWN]:
        yield "  " + text(
            "plain.rank",
            rank=str(rank["rank"]),
            file=cut_middle(printable(files[rank["source"]]["file"]), _FILE_WIDTH),
            device=str(rank["device"]),
            kernels=duration(rank["kernel_ns"]),
            busy=duration(rank["busy_ns"]),
            idle=duration(rank["idle_ns"]),
            communication=duration(rank["communication_ns"]),
        ).written(language)
    if ranks:
        spread = document["rank_spread"]
        yield "  " + text(
            "plain.rank_spread",
            kernels=ratio_cell(spread["kernel_ns"]),
            idle=ratio_cell(spread["idle_ns"]),
        ).written(language)
