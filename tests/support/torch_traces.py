"""Build traces of the PyTorch profiler as its versions write them, and read them into memory.

Rows of work are those of `support.nsys_traces`: one list of rows can become a trace of either
profiler. Times are ns.
"""

import gzip
import json

from support.nsys_traces import A100, SECRETS, MemorySink, global_tid, kernel

from nsys_walls.sources import Request, Sample
from nsys_walls.sources.torch_trace import READER
from nsys_walls.textfile import read_head

#: Versions of PyTorch in whose traces something that matters changed.
VERSIONS = ("1.8", "2.0", "2.4", "2.8")
NEWEST = VERSIONS[-1]

_BASE_NS = 1_735_689_600_000_000_000
_PROFILED_NS = 88_511_388_202_755
_OLD_CATEGORIES = {
    "kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset", "cuda_runtime": "Runtime",
    "cpu_op": "Operator", "user_annotation": "Operator",
}  # fmt: skip
_WAYS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP"}
_MEMORIES = {0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed", 5: "Device Static"}


def span(category, name, start, end, *, pid=0, tid=7, **args):
    """Describe an event with a duration; arguments have their names with underscores as spaces."""
    named = {key.replace("_", " "): value for key, value in args.items()}
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start,
            "dur": end - start, "args": named}  # fmt: skip


def op(start, end, name="aten::mm", *, category="cpu_op", thread=None, number=None):
    """Describe an operator or annotation on the host."""
    pid, tid = _host(global_tid() if thread is None else thread)
    args = {} if number is None else {"External_id": number}
    return span(category, name, start, end, pid=pid, tid=tid, **args)


def launch(start=0, end=None, name="saxpy(int, float *)", **columns):
    """Describe a launch; ``columns`` are those of nsys's table of kernels."""
    return _kernel(kernel(start, end, name, **columns))


def sync(start, end, name="Stream Sync", *, stream=7, device=0, correlation=None):
    """Describe a synchronisation."""
    return span("cuda_sync", name, start, end, pid=device, tid=stream & 0x7FFFFFFF,
                cuda_sync_kind=name, stream=stream, correlation=correlation,
                device=device, context=1)  # fmt: skip


def _host(thread):
    return thread >> 24 & 0xFFFFFF, thread & 0xFFFFFF


def _kernel(row):
    return span(
        "kernel", row["demangledName"], row["start"], row["end"], pid=row["deviceId"],
        tid=row["streamId"], queued=0, device=row["deviceId"], context=row["contextId"],
        stream=row["streamId"], correlation=row["correlationId"],
        registers_per_thread=row["registersPerThread"],
        shared_memory=row["staticSharedMemory"] + row["dynamicSharedMemory"],
        blocks_per_SM=1.185185, warps_per_SM=9.481482,
        grid=[row["gridX"], row["gridY"], row["gridZ"]],
        block=[row["blockX"], row["blockY"], row["blockZ"]], graph_id=0,
        graph_node_id=row.get("graphNodeId") or 0,
    )  # fmt: skip


def _copy(row):
    source, target = _MEMORIES[row["srcKind"]], _MEMORIES[row["dstKind"]]
    name = f"Memcpy {_WAYS[row['copyKind']]} ({source} -> {target})"
    return _moved("gpu_memcpy", name, row)


def _fill(row):
    return _moved("gpu_memset", f"Memset ({_MEMORIES[row['memKind']]})", row)


def _moved(category, name, row):
    return span(category, name, row["start"], row["end"], pid=row["deviceId"], tid=row["streamId"],
                device=row["deviceId"], stream=row["streamId"],
                correlation=row.get("correlationId"), bytes=row["bytes"])  # fmt: skip


def _call(row):
    pid, tid = _host(row["globalTid"])
    name = row["nameId"].partition("_v")[0]
    return span("cuda_runtime", name, row["start"], row["end"], pid=pid, tid=tid, cbid=211,
                correlation=row["correlationId"])  # fmt: skip


def _range(row):
    name = row["text"] or row["textId"]
    return op(row["start"], row["end"], name, category="user_annotation", thread=row["globalTid"])


_FROM_ROWS = {"kernels": _kernel, "copies": _copy, "fills": _fill, "calls": _call, "nvtx": _range}


def from_rows(**rows):
    """Make events of nsys's rows: ``kernels``, ``copies``, ``fills``, ``calls``, ``nvtx``."""
    return [_FROM_ROWS[what](row) for what, given in rows.items() for row in given]


def trace_text(*events, version=NEWEST, gpus=(A100,), **members):
    """Write a trace as text.

    Args:
        events: What happened, see `span`; times that are texts are printed as they are.
        version: One of `VERSIONS`.
        gpus: GPUs in base units, see `support.nsys_traces.A100`.
        members: Further members of the document, before the events.
    """
    head, tail = _around(version, gpus, members)
    printed = [*_noise(version), *(_printed(event, version) for event in events)]
    array = '\n  "traceEvents": [\n' + ",\n".join(printed) + "\n  ]"
    return "{\n" + ",".join([*_pairs(head), array, *_pairs(tail)]) + "\n}\n"


def build_trace(path, *events, **options):
    """Write a trace, gzipped where the path says so; see `trace_text`."""
    data = trace_text(*events, **options).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def _around(version, gpus, members):
    """List the members before and behind the events."""
    head = {"schemaVersion": 1, _devices_key(version): [_gpu(gpu, version) for gpu in gpus],
            **members}  # fmt: skip
    tail = {"traceName": SECRETS[2]}
    if version in {"2.4", "2.8"}:
        (head if version == "2.8" else tail)["baseTimeNanoseconds"] = _BASE_NS
    return head, tail


def _pairs(members):
    return [
        f"\n  {json.dumps(key)}: {json.dumps(value, indent=2)}" for key, value in members.items()
    ]


def _devices_key(version):
    return "computeProperties" if version == "1.8" else "deviceProperties"


def _gpu(gpu, version):
    major, minor, count = (
        ("major", "minor", "multiProcessorCount")
        if version == "1.8"
        else ("computeMajor", "computeMinor", "numSms")
    )
    return {"id": gpu["cuda_ordinal"], "name": gpu["name"], "totalGlobalMem": gpu["memory_bytes"],
            major: gpu["compute"][0], minor: gpu["compute"][1], "warpSize": 32,
            count: gpu["sm_count"]}  # fmt: skip


def _noise(version):
    """Make what every trace holds besides, the user's secrets among it."""
    user, host, _, variable, command = SECRETS
    texts = {"process_name": command, "process_labels": host, "thread_name": f"{user} {variable}"}
    return [
        _printed({"ph": "M", "name": name, "pid": 0, "tid": 0, "ts": 0, "args": {"name": text}},
                 version)
        for name, text in texts.items()
    ] + [_printed({"ph": "s", "id": 1, "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": 7, "ts": 0},
                  version)]  # fmt: skip


def _printed(event, version):
    """Print an event as a version does: times in microseconds, some with three decimals."""
    fields = dict(event)
    offset = _PROFILED_NS if version in {"2.4", "2.8"} else _BASE_NS + _PROFILED_NS
    start, duration = fields.pop("ts", None), fields.pop("dur", None)
    if version == "1.8":
        fields["tid"] = str(fields.get("tid"))
        fields["cat"] = _OLD_CATEGORIES.get(fields.get("cat"), fields.get("cat"))
    times = {"ts": start + offset if isinstance(start, int) else start, "dur": duration}
    texts = [
        f'"{key}": {_time(value, version)}' for key, value in times.items() if value is not None
    ]
    return "  {" + ", ".join([json.dumps(fields, ensure_ascii=False)[1:-1], *texts]) + "}"


def _time(value, version):
    if isinstance(value, str):
        return value
    if version in {"1.8", "2.0"}:
        return str(value // 1000)
    sign = "-" if value < 0 else ""
    return f"{sign}{abs(value) // 1000}.{abs(value) % 1000:03}"


def sample(path):
    """Take the beginning of a file."""
    head, compressed = read_head(path)
    return Sample(path=path, head=head, compressed=compressed)


def read_trace(path, **options):
    """Read a trace; gives the sink and what the reader found out.

    Args:
        path: The trace.
        options: Further values of the `Request`.
    """
    sink = MemorySink()
    return sink, READER.read(Request(path=path, **options), sink)
