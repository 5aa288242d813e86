"""Metrics by their names, their labels, and in raw column names."""

import pytest

from nsys_walls.sources.ncu_csv.metrics import Metrics


class Table:
    """A small metric table."""

    def wants(self, name):
        return name in {"a__bytes.sum", "launch__shared_mem_per_block_dynamic"}

    def from_label(self, section, label, unit):
        if label == "Traffic":
            return "a__ratio.pct" if unit == "%" else f"a__bytes.sum.per_second@{section}"
        return None


@pytest.fixture
def metrics():
    return Metrics(Table())


def _found(metric):
    return metric.name, metric.exponent, metric.is_counter, metric.is_fact


def test_internal_names_need_no_label(metrics):
    assert _found(metrics.find("Any", "a__bytes.sum", "Mbyte")) == ("a__bytes.sum", 6, True, False)
    assert _found(metrics.find(None, "b__bytes.sum", "byte")) == ("b__bytes.sum", 0, False, False)


@pytest.mark.parametrize("label", ["Bytes a__bytes.sum", "Bytes (a__bytes.sum)"])
def test_label_and_name_printed_together_are_the_name(metrics, label):
    assert metrics.find("Any", label, "byte").name == "a__bytes.sum"


def test_one_label_is_two_metrics_by_unit_and_section(metrics):
    assert metrics.find("S", "Traffic", "%").name == "a__ratio.pct"
    assert _found(metrics.find("S", "Traffic", "Tbyte/s"))[:2] == ("a__bytes.sum.per_second@S", 12)
    assert metrics.find("T", "Traffic", "Tbyte/s").name == "a__bytes.sum.per_second@T"


def test_unknown_labels_and_units_are_kept_apart(metrics):
    assert _found(metrics.find("S", "No Such Label", "us")) == ("No Such Label", 3, False, False)
    assert metrics.find("S", "a__bytes.sum", "parsec").exponent is None


def test_facts_describe_the_launch(metrics):
    shared = metrics.find("Launch Statistics", "Dynamic Shared Memory Per Block", "Kbyte/block")
    assert _found(shared) == ("launch__shared_mem_per_block_dynamic", 3, False, True)
    both = metrics.find(None, "launch__shared_mem_per_block_dynamic", "byte/block")
    assert _found(both) == ("launch__shared_mem_per_block_dynamic", 0, True, True)


def test_raw_columns_take_their_unit_from_the_row_or_from_their_name(metrics):
    names = ["ID", "Kernel Name", "a__bytes.sum", "a__bytes.sum [Kbyte]", "b__c [a/b]"]
    columns = metrics.columns(names, ["", "", "Mbyte", "", ""])
    found = [column and (column.name, column.unit, column.exponent) for column in columns]
    assert found == [
        None,
        None,
        ("a__bytes.sum", "Mbyte", 6),
        ("a__bytes.sum", "Kbyte", 3),
        ("b__c", "a/b", None),
    ]
