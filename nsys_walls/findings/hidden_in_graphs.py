"""NW901: CUDA graphs were traced as a whole, so their kernels can't be seen.

Meaning:
    Nsight Systems records a launch of a CUDA graph as one row by default. The kernels inside
    are in no table of this report, stand at no wall, and no other finding counts them: every
    share of kernel time is a share of what is left.

Evidence:
    Rows of whole graphs in the trace: how many, and their share of the time in which the GPUs
    were busy, which must be above 0.5 %. Nothing is saved by seeing them, so there is no bound.

Abstains:
    Never: a trace without such rows hides nothing in them.

Try:
    Trace again with `nsys profile --cuda-graph-trace=node`, which records every kernel of a
    graph. It costs the program some time, so compare the length of a step with that of this
    trace.
"""

from collections.abc import Iterator

from nsys_walls.findings import Finding, Rule
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.texts import text
from nsys_walls.units import duration, percent

_SMALL_RATIO = 0.005


def check(analysis: Analysis) -> Iterator[Finding]:
    """Compare the time of graph rows with the busy time."""
    graphs = analysis.around.graphs
    if graphs is None or graphs.busy_ns <= _SMALL_RATIO * analysis.busy_ns:
        return
    share = graphs.busy_ns / analysis.busy_ns
    yield Finding(
        code=RULE.code,
        title=text("NW901.title", share=percent(share)),
        message=text(
            "NW901.message",
            launches=graphs.launches,
            time=duration(graphs.busy_ns),
            share=percent(share),
            median=duration(graphs.median_ns),
        ),
        advice=text("NW901.advice"),
        kernels=(),
        time_ratio=0.0,
        evidence={
            "graph_launches": graphs.launches,
            "graph_hidden_ns": graphs.time_ns,
            "graph_busy_ns": graphs.busy_ns,
            "graph_median_ns": graphs.median_ns,
            "busy_ns": analysis.busy_ns,
        },
    )


RULE = Rule(code="NW901", name="hidden-in-graphs", check=check)
