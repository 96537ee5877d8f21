"""Pictures of reports, read by parsers that are not ours: Python's xml, html and json.
   plot_check.py <roofline> <scripts folder>
"""
import html.parser
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOFLINE, SCRIPTS = sys.argv[1:3]
SVG = "{http://www.w3.org/2000/svg}"
NASTY = 'k<32>(a && b, "c\')]]>\x01\x1b[31m \u20ac \ud83d\ude00'.encode("utf-16", "surrogatepass").decode("utf-16")


def plot(path, *arguments):
    done = subprocess.run([ROOFLINE, "plot", path, *arguments], capture_output=True, check=False, env={})
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode("utf-8")


def check_svg(report, text):
    root = xml.etree.ElementTree.fromstring(text.encode("utf-8"))
    assert root.tag == SVG + "svg"
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter():
        assert element.tag.startswith(SVG), element.tag
        assert element.tag != SVG + "script"
        for name, value in element.attrib.items():
            assert not name.startswith("on") and "href" not in name, name
            assert "nan" not in value.lower() or name.startswith("data-") or name == "class", (name, value)
    for text_element in root.iter(SVG + "text"):
        assert 0 <= float(text_element.get("x")) <= width and 0 <= float(text_element.get("y")) <= height
    drawn = {element.get("data-id"): element for element in root.iter() if element.get("data-id")}
    wanted = {}
    for point in report["points"]:
        if point["outcome"] == "measured":
            wanted[point["id"].replace("\x01", " ").replace("\x1b", " ")] = point
    assert set(drawn) == set(wanted), set(drawn) ^ set(wanted)
    for name, element in drawn.items():
        point = wanted[name]
        assert element.find(SVG + "title").text.startswith(name[:4])
        assert element.get("data-class") == point["verdict"]
        for key, attribute in (
            ("intensity_flop_per_byte", "data-intensity"),
            ("achieved_flop_per_s", "data-achieved"),
            ("ceiling_flop_per_s", "data-roof"),
        ):
            value = element.get(attribute)
            assert (float(value) if value else None) == point[key], (name, key, value, point[key])


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.rows, self.inside, self.addresses = [], 0, None, []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.addresses += [given[name] for name in ("src", "href") if name in given]
        if tag == "script":
            self.inside = given.get("type", "program")
            self.scripts.append([self.inside, ""])
        self.rows += tag == "tr" and "data-id" in given

    def handle_endtag(self, tag):
        if tag == "script":
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1][1] += data


def check_html(report, text):
    page = Page()
    page.feed(text)
    assert not page.addresses, page.addresses
    assert page.rows == len(report["points"]), page.rows
    assert [kind for kind, _ in page.scripts] == ["application/json", "program"]
    assert json.loads(page.scripts[0][1]) == report


def main():
    with tempfile.TemporaryDirectory() as folder:
        for script in ("failing", "undercounted_bytes", "quiet"):
            path = os.path.join(folder, script + ".json")
            source = "scripted:" + os.path.join(SCRIPTS, script + ".script")
            subprocess.run([ROOFLINE, "run", "--backend", source, "-o", path], capture_output=True, check=False)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            report["points"][-1]["id"] = NASTY
            report["device"]["name"] = report["points"][0]["id"] = "</script><b>&amp;"
            with open(path, "w", encoding="utf-8") as file:
                json.dump(report, file)
            report = json.loads(
                subprocess.run([ROOFLINE, "show", "--json", path], capture_output=True, check=True).stdout
            )
            check_svg(report, plot(path, "--format", "svg"))
            check_html(report, plot(path, "--format", "html"))
            for kind in ("bandwidth", "sweep", "decode", "gap"):
                xml.etree.ElementTree.fromstring(plot(path, "--format", "svg", "--kind", kind).encode("utf-8"))
            plain = plot(path, "--ascii")
            assert plain.isascii() and "\x1b" not in plain


main()
print("all right")
