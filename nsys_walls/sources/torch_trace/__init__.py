"""PyTorch profiler traces: the JSON that ``prof.export_chrome_trace()`` writes, gzipped or not.

The flow: `content` opens the text, `events` parses it as a stream, `collect` sorts events into
columns of numbers (`columns`), and at the end of the file `ranges` and `calls` find the operator
that each piece of work was launched in, and `work` and `gpus` make rows of the rest. A trace with
the few things that Kineto writes and JSON forbids is read a second time through `mend`. Memory
grows by half a kB for each kernel with its call and operator, whatever else is in the file.
"""

from typing import TYPE_CHECKING

from nsys_walls.sources import Request, Sample, Sink, SourceInfo
from nsys_walls.sources.torch_trace.rules import is_trace

if TYPE_CHECKING:
    from nsys_walls.sources import Reader


class TorchTraceReader:
    """Reads traces of ``torch.profiler``; other Chrome traces are not recognised."""

    kind = "torch-trace"
    is_trace = True

    def recognises(self, sample: Sample) -> bool:
        """Say whether the content begins as the PyTorch profiler's JSON does."""
        return is_trace(sample.head)

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read launches, kernels, names, copies, ranges, calls, synchronisations and devices.

        Raises:
            InputError: ``damaged-file``: it ends early or is no JSON; ``no-kernels``: nothing
                ran on a GPU.
        """
        # readers are imported to look at a file's first bytes; the parser only to read it
        from nsys_walls.sources.torch_trace.read import read_trace  # noqa: PLC0415

        return read_trace(request, sink)


READER: "Reader" = TorchTraceReader()
