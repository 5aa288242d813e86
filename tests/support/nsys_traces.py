"""Build Nsight Systems SQLite exports of any schema, and read them into memory.

Tables and columns appear with the versions that brought them, in their place: some were
inserted in the middle. Only what a reader could want, or should keep out, is there. Names are
given as text; they become ids of StringIds, as in a real export.
"""

import sqlite3
from contextlib import closing

import pyarrow as pa

from nsys_walls.sources import Request
from nsys_walls.sources.nsys_sqlite import READER
from nsys_walls.store.schema import TABLES

#: Export schemas in which something that matters changed; the first three recorded no number.
SCHEMAS = (
    "2020.3", "2020.5", "2021.2", "2.7.0", "2.9.1", "3.0.0", "3.1.7", "3.4.0", "3.7.2", "3.11.2",
    "3.13.2", "3.16.1", "3.17.1", "3.17.2", "3.20.2", "3.23.3", "3.24.7", "3.24.8", "3.24.18",
    "3.25.0",
)  # fmt: skip
NEWEST = SCHEMAS[-1]

#: What must never reach the store: they stand in tables of every trace made here.
SECRETS = ("alice", "build-box-7", "/srv/secret/run.nsys-rep", "TOKEN=hunter2", "./train --key")

PID = 4242
MICROSECOND = 1000


def has(schema, since):
    """Say whether a schema is as new as another; unknown ones are newer than all."""
    order = {name: position for position, name in enumerate(SCHEMAS)}
    return order.get(schema, len(SCHEMAS)) >= order[since]


def global_pid(pid=PID):
    """Pack a process id as nsys does: hardware id 1, then the pid, then 24 empty bits."""
    return 1 << 48 | pid << 24


def global_tid(pid=PID, tid=None):
    """Pack a thread id; a thread is called like its process unless told otherwise."""
    return global_pid(pid) | (pid if tid is None else tid)


_WORK = "start end deviceId contextId"
_KERNEL = (
    (_WORK, "2020.3"),
    ("greenContextId", "3.7.2"),
    ("streamId correlationId globalPid demangledName shortName", "2020.3"),
    ("mangledName", "2.7.0"),
    ("launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ", "2020.3"),
    ("staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal", "2020.3"),
    ("gridId sharedMemoryExecuted graphNodeId", "2020.3"),
    ("sharedMemoryLimitConfig", "2020.5"),
    ("graphId clusterX clusterY clusterZ", "3.23.3"),
    ("sharedMemoryRequestedPercentage", "3.24.8"),
    ("tensorSizeMinusOneElements:TEXT", "3.24.18"),
)
_MEMCPY = (
    (_WORK, "2020.3"),
    ("greenContextId", "3.7.2"),
    ("streamId correlationId globalPid bytes copyKind deprecatedSrcId srcKind dstKind", "2020.3"),
    ("srcDeviceId dstDeviceId", "2020.3"),
    ("migrationCause", "2020.5"),
    ("graphNodeId", "2020.3"),
    ("virtualAddress", "2.7.0"),
    ("copyCount", "3.17.2"),
)
_MEMSET = (
    (_WORK, "2020.3"),
    ("greenContextId", "3.13.2"),
    ("streamId correlationId globalPid value bytes graphNodeId memKind", "2020.3"),
)
_GRAPH = (
    (_WORK, "2020.3"),
    ("greenContextId streamId correlationId globalPid graphId graphExecId", "2020.3"),
)
_RUNTIME = (
    ("start end eventClass globalTid correlationId nameId returnValue", "2020.3"),
    ("callchainId", "2020.5"),
)
_SYNC = (
    (_WORK, "2020.3"),
    ("greenContextId", "3.7.2"),
    ("streamId correlationId globalPid syncType", "2020.3"),
    ("deprecatedSyncType", "3.17.1"),
    ("eventId", "2020.3"),
    ("eventSyncId", "3.17.1"),
)
_NVTX = (
    ("start end eventType rangeId category color text:TEXT globalTid endGlobalTid", "2020.3"),
    ("textId domainId doubleValue:REAL jsonText:TEXT", "2020.3"),
    ("binaryData:TEXT", "3.16.1"),
)
_GPU_2020 = (("vmId deviceId name:TEXT busLocation:TEXT isDiscrete", "2020.5"),)
_GPU = (
    ("vmId id name:TEXT busLocation:TEXT isDiscrete l2CacheSize totalMemory", "2021.2"),
    ("memoryBandwidth clockRate smCount pwGpuId uuid:TEXT chipName:TEXT cuDevice", "2021.2"),
    ("computeMajor computeMinor smMajor smMinor", "2021.2"),
)
_CUDA_GPU = (
    ("vmId name:TEXT pciBusId:TEXT globalMemoryBandwidth globalMemorySize l2CacheSize", "2020.3"),
    ("coreClockRate numMultiprocessors computeCapabilityMajor computeCapabilityMinor", "2020.3"),
    ("deviceId pid", "2020.3"),
)
_CUDA_DEVICE = (("gpuId cudaId pid", "3.17.1"), ("uuid:TEXT numMultiprocessors", "3.24.7"))
_DIAGNOSTIC = (("timestamp timestampType source severity text:TEXT globalPid", "3.11.2"),)

_COPY_LABELS = (
    "UNKNOWN HTOD DTOH HTOA ATOH ATOA ATOD DTOA DTOD HTOH PTOP UVM_HTOD UVM_DTOH UVM_DTOD"
)
_SYNC_LABELS = "UNKNOWN EVENT_SYNCHRONIZE STREAM_WAIT_EVENT STREAM_SYNCHRONIZE CONTEXT_SYNCHRONIZE"
_MEMORY_LABELS = "PAGEABLE PINNED DEVICE ARRAY MANAGED DEVICE_STATIC MANAGED_STATIC UNKNOWN"

A100 = {
    "name": "NVIDIA A100-SXM4-40GB", "chip": "GA100", "bus": "0000:41:00.0",
    "uuid": "a1000000-0000-4000-8000-000000000001", "sm_count": 108, "clock_hz": 1_410_000_000,
    "bandwidth_bytes_per_s": 1_555_200_000_000, "memory_bytes": 42_297_524_224,
    "l2_bytes": 41_943_040, "compute": (8, 0), "discrete": 1, "id": 0, "cuda_ordinal": 0,
}  # fmt: skip


def kernel(start=0, end=None, name="saxpy(int, float *)", **columns):
    """Describe a launch; ``columns`` are those of the table."""
    short = name.partition("(")[0].split()[-1].partition("<")[0]
    row = {
        "start": start, "end": start + 10 * MICROSECOND if end is None else end, "deviceId": 0,
        "contextId": 1, "streamId": 7, "correlationId": None, "globalPid": global_pid(),
        "demangledName": name, "shortName": short, "mangledName": f"_Z{len(short)}{short}",
        "registersPerThread": 32, "gridX": 128, "gridY": 2, "gridZ": 1, "blockX": 256, "blockY": 1,
        "blockZ": 1, "staticSharedMemory": 0, "dynamicSharedMemory": 1024,
        "tensorSizeMinusOneElements": "[]",
    }  # fmt: skip
    return row | columns


def copy(start, end, copied, kind=1, **columns):
    """Describe a copy; kind 1 is from host to device."""
    row = {"start": start, "end": end, "bytes": copied, "copyKind": kind, "srcKind": 0}
    return {"deviceId": 0, "streamId": 7, "globalPid": global_pid(), "dstKind": 2} | row | columns


def fill(start, end, filled, **columns):
    """Describe a memset."""
    row = {"start": start, "end": end, "bytes": filled, "memKind": 2, "deviceId": 0, "streamId": 7}
    return {"globalPid": global_pid()} | row | columns


def graph(start, end, **columns):
    """Describe a CUDA graph that was traced as one row."""
    row = {"start": start, "end": end, "deviceId": 0, "streamId": 7, "globalPid": global_pid()}
    return row | columns


def call(start, correlation, end=None, *, thread=None, name="cudaLaunchKernel_v7000"):
    """Describe an API call."""
    end = start + 2 * MICROSECOND if end is None else end
    thread = global_tid() if thread is None else thread
    return {"start": start, "end": end, "globalTid": thread, "correlationId": correlation,
            "nameId": name, "returnValue": 0, "eventClass": 0}  # fmt: skip


def sync(start, end, kind, **columns):
    """Describe a synchronisation: 1 an event, 2 a stream waits for an event, 3 a stream, 4 all."""
    row = {"start": start, "end": end, "deviceId": 0, "streamId": 7, "globalPid": global_pid()}
    return row | {"contextId": 1, "syncType": kind, "eventId": 0} | columns


def nvtx(start, end, text=None, *, registered=None, kind=59, thread=None, **columns):
    """Describe an NVTX row: by default a push-pop range (59) with text of its own."""
    thread = global_tid() if thread is None else thread
    row = {"start": start, "end": end, "eventType": kind, "text": text, "textId": registered}
    return row | {"globalTid": thread, "domainId": 0} | columns


class _Builder:
    def __init__(self, path, schema):
        self.connection, self.schema = sqlite3.connect(path), schema
        self.strings = {}

    def string(self, value):
        """Number a text; anything else stands as it is."""
        if not isinstance(value, str):
            return value
        return self.strings.setdefault(value, len(self.strings) + 1)

    def create(self, name, parts):
        """Create a table with the columns that the schema has."""
        columns = [
            column.partition(":")
            for names, since in parts
            if has(self.schema, since)
            for column in names.split()
        ]
        declared = ", ".join(f'"{column}" {kind or "INTEGER"}' for column, _, kind in columns)
        self.connection.execute(f"CREATE TABLE {name} ({declared})")
        return [column for column, _, _ in columns]

    def fill(self, name, parts, rows, named=()):
        """Create a table and insert rows; columns that the schema lacks are dropped."""
        columns = self.create(name, parts)
        marks = ", ".join("?" * len(columns))
        for row in rows:
            values = [
                self.string(row.get(column)) if column in named else row.get(column)
                for column in columns
            ]
            self.connection.execute(f"INSERT INTO {name} VALUES ({marks})", values)  # noqa: S608 # our own

    def pairs(self, name, columns, rows):
        """Create a table of two columns."""
        self.connection.execute(f"CREATE TABLE {name} ({columns})")
        self.connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)  # noqa: S608 # our own


def build_trace(path, *, schema=NEWEST, gpus=(A100,), cuda_devices=(), diagnostics=(), **rows):
    """Write an export.

    Args:
        path: The file to make.
        schema: One of `SCHEMAS`, or a number of the future.
        gpus: GPUs in base units, see `A100`; none: no table.
        cuda_devices: (gpuId, cudaId, pid, uuid), where the schema has them.
        diagnostics: (severity, text), where the schema has them.
        rows: ``kernels``, ``copies``, ``fills``, ``graphs``, ``calls``, ``syncs``, ``nvtx``: as the
            functions above make them; a table that is not given is absent.

    Returns:
        The path.
    """
    builder = _Builder(path, schema)
    with closing(builder.connection), builder.connection:
        _write_metadata(builder)
        _write_gpus(builder, gpus)
        tables = {
            "kernels": ("CUPTI_ACTIVITY_KIND_KERNEL", _KERNEL,
                        ("demangledName", "shortName", "mangledName")),
            "copies": ("CUPTI_ACTIVITY_KIND_MEMCPY", _MEMCPY, ()),
            "fills": ("CUPTI_ACTIVITY_KIND_MEMSET", _MEMSET, ()),
            "graphs": ("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", _GRAPH, ()),
            "calls": ("CUPTI_ACTIVITY_KIND_RUNTIME", _RUNTIME, ("nameId",)),
            "syncs": ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", _SYNC, ()),
            "nvtx": ("NVTX_EVENTS", _NVTX, ("textId",)),
        }  # fmt: skip
        for what, given in rows.items():
            name, parts, named = tables[what]
            builder.fill(name, parts, given, named)
        if cuda_devices and has(schema, "3.17.1"):
            names = ("gpuId", "cudaId", "pid", "uuid")
            devices = [dict(zip(names, device, strict=False)) for device in cuda_devices]
            builder.fill("TARGET_INFO_CUDA_DEVICE", _CUDA_DEVICE, devices)
        if diagnostics and has(schema, "3.11.2"):
            said = [{"severity": severity, "text": text} for severity, text in diagnostics]
            builder.fill("DIAGNOSTIC_EVENT", _DIAGNOSTIC, said)
        strings = [(number, text) for text, number in builder.strings.items()]
        builder.pairs("StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL", strings)
    return path


def execute(path, *statements):
    """Change a trace by hand."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def _write_metadata(builder):
    user, host, path, variable, command = SECRETS
    recorded = [
        ("EXPORT_PRODUCT_VERSION", f"product of {builder.schema}"),
        ("EXPORT_SCHEMA_VERSION", builder.schema),
        ("EXPORT_USER", user),
        ("EXPORT_HOST", host),
        ("EXPORT_PARAM_INPUT_PATH_ABS" if has(builder.schema, "3.13.2")
         else "EXPORT_OUTUPT_PATH_ABS", path),
    ]  # fmt: skip
    pairs = "name TEXT NOT NULL, value TEXT"
    if has(builder.schema, "3.4.0"):
        builder.pairs("META_DATA_EXPORT", pairs, recorded)
        builder.pairs("META_DATA_CAPTURE", pairs, [("PROCESS:ARGS", command)])
    elif has(builder.schema, "2.7.0"):
        builder.pairs("EXPORT_META_DATA", pairs, recorded)
    builder.pairs("TARGET_INFO_SYSTEM_ENV", "name TEXT, value TEXT", [("Environment", variable)])
    builder.pairs("PROCESSES", "globalPid INTEGER, name TEXT", [(global_pid(), command)])
    if has(builder.schema, "3.0.0"):
        for name, prefix, labels in (
            ("ENUM_CUDA_MEMCPY_OPER", "CUDA_MEMCPY_KIND_", _COPY_LABELS),
            ("ENUM_CUDA_MEM_KIND", "CUDA_MEMOPR_MEMORY_KIND_", _MEMORY_LABELS),
            ("ENUM_CUPTI_SYNC_TYPE", "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_", _SYNC_LABELS),
        ):
            symbols = [(number, prefix + label) for number, label in enumerate(labels.split())]
            builder.pairs(name, "id INTEGER NOT NULL PRIMARY KEY, name TEXT", symbols)


def _write_gpus(builder, gpus):
    if not gpus:
        return
    if has(builder.schema, "2021.2"):
        builder.fill("TARGET_INFO_GPU", _GPU, [_listed_gpu(gpu) for gpu in gpus])
        return
    in_mebibytes = builder.schema == "2020.3"
    builder.fill("TARGET_INFO_CUDA_GPU", _CUDA_GPU, [_early_gpu(gpu, in_mebibytes) for gpu in gpus])
    if has(builder.schema, "2020.5"):
        listed = [
            {"deviceId": gpu["cuda_ordinal"], "name": gpu["name"], "busLocation": gpu["bus"],
             "isDiscrete": gpu["discrete"]}
            for gpu in gpus
        ]  # fmt: skip
        builder.fill("TARGET_INFO_GPU", _GPU_2020, listed)


def _listed_gpu(gpu):
    return {
        "id": gpu["id"], "name": gpu["name"], "busLocation": gpu["bus"], "uuid": gpu["uuid"],
        "isDiscrete": gpu["discrete"], "l2CacheSize": gpu["l2_bytes"], "chipName": gpu["chip"],
        "totalMemory": gpu["memory_bytes"], "memoryBandwidth": gpu["bandwidth_bytes_per_s"],
        "clockRate": gpu["clock_hz"], "smCount": gpu["sm_count"], "pwGpuId": gpu["id"],
        "cuDevice": gpu["cuda_ordinal"], "computeMajor": gpu["compute"][0],
        "computeMinor": gpu["compute"][1], "smMajor": 99,
    }  # fmt: skip


def _early_gpu(gpu, in_mebibytes):
    return {
        "name": gpu["name"], "pciBusId": gpu["bus"], "deviceId": gpu["cuda_ordinal"],
        "globalMemoryBandwidth": gpu["bandwidth_bytes_per_s"] // 1000,
        "globalMemorySize": gpu["memory_bytes"] // (2**20 if in_mebibytes else 1),
        "l2CacheSize": gpu["l2_bytes"], "coreClockRate": gpu["clock_hz"] // 1000,
        "numMultiprocessors": gpu["sm_count"], "computeCapabilityMajor": gpu["compute"][0],
        "computeCapabilityMinor": gpu["compute"][1],
    }  # fmt: skip


class MemorySink:
    """Takes the rows of one source into memory, under the rules of the store."""

    def __init__(self):
        self.parts = {}

    def write(self, name, rows):
        """Append rows: columns by name, cast safely; absent ones become null."""
        schema = TABLES[name]
        assert set(rows.column_names) <= set(schema.names)
        columns = [
            rows.column(field.name).cast(field.type)
            if field.name in rows.column_names
            else pa.nulls(rows.num_rows, field.type)
            for field in schema
        ]
        self.parts.setdefault(name, []).append(pa.Table.from_arrays(columns, schema=schema))

    def table(self, name):
        """Give all rows of a table."""
        return pa.concat_tables(self.parts.get(name, [TABLES[name].empty_table()]))

    def rows(self, name):
        """Give all rows of a table as dicts."""
        return self.table(name).to_pylist()


def read_trace(path, **options):
    """Read an export; gives the sink and what the reader found out.

    Args:
        path: The export.
        options: Further values of the `Request`.
    """
    sink = MemorySink()
    return sink, READER.read(Request(path=path, **options), sink)


def launches(sink):
    """List the launches with what they refer to: kernel, names, device and range in one dict."""
    names = {row["name"]: row for row in sink.rows("names")}
    devices = {row["gpu"]: row for row in sink.rows("devices")}
    kernels = {row["kernel"]: row for row in sink.rows("kernels")}
    ranges = {row["range"]: row["name"] for row in sink.rows("ranges")}
    return [
        kernels[row["kernel"]]
        | row
        | {
            "name": names[kernels[row["kernel"]]["name"]],
            "device": devices[kernels[row["kernel"]]["gpu"]],
            "range": ranges.get(row["range"]),
        }
        for row in sink.rows("launches")
    ]
