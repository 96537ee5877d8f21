"""Every export of a report, read by parsers that are not ours: Python's json, csv and xml, and prometheus_client where it
is installed.   export_check.py <roofline> <scripts folder>
"""
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOFLINE, SCRIPTS = sys.argv[1:3]


def run(*arguments):
    done = subprocess.run([ROOFLINE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode()


def refuse_constant(word):
    raise ValueError(f"{word} is no JSON")


def load(text):
    return json.loads(text, parse_constant=refuse_constant)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def fit_points(report):
    """Counted from the report itself, by the rule that docs/ci.md states."""
    return [
        point
        for point in report["points"]
        if point["outcome"] == "measured"
        and not point["impossible"]
        and point["end"] in ("converged", "budget_spent", "interrupted", "unsettled")
    ]


def check_github(report, path):
    names = set()
    for direction in ("bigger", "smaller"):
        entries = load(run("export", path, "--to", "github-benchmark", "--direction", direction)[0])
        for entry in entries:
            assert set(entry) <= {"name", "unit", "value", "range", "extra"}, entry
            assert is_number(entry["value"]) and isinstance(entry["unit"], str), entry
            assert entry["name"] not in names, entry["name"]
            names.add(entry["name"])
        if direction == "smaller":
            assert len(entries) == len(fit_points(report)), (len(entries), len(fit_points(report)))
            times = sorted(entry["value"] for entry in entries)
            expected = sorted(point["time_median_s"] * 1e6 for point in fit_points(report))
            assert all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(times, expected))


def check_bencher(report, path):
    names = load(run("export", path, "--to", "bencher")[0])
    assert len(names) == len(fit_points(report))
    for name, measures in names.items():
        assert 0 < len(name) <= 1024
        for slug, measure in measures.items():
            assert 0 < len(slug) <= 64 and set(measure) <= {"value", "lower_value", "upper_value"}
            assert all(is_number(value) for value in measure.values()), (name, slug, measure)
            assert measure["value"] > 0, (name, slug, measure)


def check_metrics(report, path):
    try:
        from prometheus_client import parser
        from prometheus_client.openmetrics import parser as openmetrics
    except ImportError:
        print("python3 has no prometheus_client: metrics are not parsed")
        return
    for to, parse in (
        ("prometheus", parser.text_string_to_metric_families),
        ("openmetrics", openmetrics.text_string_to_metric_families),
    ):
        families = {family.name: family for family in parse(run("export", path, "--to", to)[0])}
        times = families["roofline_time_seconds"].samples
        assert len(times) == len(fit_points(report)), (to, len(times))
        expected = sorted(point["time_median_s"] for point in fit_points(report))
        assert sorted(sample.value for sample in times) == expected, to
        fit = families["roofline_point_fit"].samples
        assert len(fit) == len(report["points"])
        assert sum(sample.value for sample in fit) == len(times)


def check_junit(report, path):
    root = xml.etree.ElementTree.fromstring(run("export", path, "--to", "junit")[0])
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    assert len(cases) == len(report["points"]) == int(root.get("tests"))
    for kind, key in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert sum(case.find(kind) is not None for case in cases) == int(suite.get(key)), kind
    incorrect = sum(point["outcome"] == "incorrect" or point["impossible"] is True for point in report["points"])
    assert int(suite.get("failures")) == incorrect
    assert int(suite.get("errors")) == sum(point["outcome"] == "failed" for point in report["points"])


def check_csv(report, path):
    rows = list(csv.DictReader(io.StringIO(run("export", path, "--to", "csv")[0])))
    keys = [line.split()[0] for line in run("columns")[0].splitlines()[1:] if line.split() and line[3] != " "]
    assert len(rows) == len(report["points"])
    assert set(rows[0]) == set(keys), set(rows[0]) ^ set(keys)
    for row, point in zip(rows, report["points"]):
        assert row["id"] == point["id"]
        if point["outcome"] == "measured":
            assert float(row["time_median_s"]) == point["time_median_s"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for script in ("failing", "noisy_neighbour", "undercounted_bytes", "quiet"):
            path = os.path.join(folder, script + ".json")
            source = "scripted:" + os.path.join(SCRIPTS, script + ".script")
            subprocess.run([ROOFLINE, "run", "--backend", source, "-o", path], capture_output=True, check=False)
            with open(path, encoding="utf-8") as file:
                report = load(file.read())
            for check in (check_github, check_bencher, check_metrics, check_junit, check_csv):
                check(report, path)
            told = run("export", path, "--to", "bencher")[1]
            assert bool(told) == (len(fit_points(report)) != len(report["points"])), told
            output = os.path.join(folder, "out.csv")
            run("export", path, "--to", "csv", "-o", output)
            assert os.path.getsize(output) > 0
            done = subprocess.run([ROOFLINE, "export", path, "--to", "csv", "-o", path], capture_output=True, check=False)
            assert done.returncode == 2 and load(open(path, encoding="utf-8").read()) == report
            summary = run("export", path, "--to", "step-summary")[0]
            assert summary.startswith("\n") and len(summary.encode()) < 2**20


main()
print("all right")
