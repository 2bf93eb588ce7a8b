"""Checks of every test program that the graphs of --graph for other viewers hold together: of Model Explorer's JSON that it has the
members of that format and no others, that ids are unique and edges and node data are of nodes that are there; of DOT that it
has the same nodes and edges, and that Graphviz reads it where it is installed. Where Model Explorer is installed, too, nodes are
given to its own classes."""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys

from checks import DATA, expect, model_files, output_of

NODE = {"id", "label", "namespace", "attrs", "incomingEdges", "outputsMetadata"}
EDGE = {"sourceNodeId", "sourceNodeOutputId", "targetNodeInputId"}
QUOTED = r'"((?:[^"\\]|\\.)*)"'
DOT_NODE = re.compile(rf" +{QUOTED} \[label={QUOTED}, tooltip={QUOTED}\];")
DOT_EDGE = re.compile(rf"  {QUOTED} -> {QUOTED};")
DOT_REST = re.compile(rf'|digraph {QUOTED} {{|  node \[shape=box\];|  subgraph {QUOTED} {{|    label={QUOTED};| *}}')
RECORDS = {"delegation/two_delegates.pte": "delegation/two_delegates.etrecord", "f07/gpt_xnn.pte": "delegation/gpt_xnnpack.etrecord"}
MOST_SECONDS = 60


def model_explorer():
    """Its classes, without what else its package loads."""
    found = importlib.util.find_spec("model_explorer")
    if found is None:
        return None
    spec = importlib.util.spec_from_file_location("graph_builder", pathlib.Path(found.origin).parent / "graph_builder.py")
    module = sys.modules["graph_builder"] = importlib.util.module_from_spec(spec)  # where its dataclasses look for it
    spec.loader.exec_module(module)
    return module


def check_graph(name, graph, classes):
    """Its nodes and edges."""
    expect(set(graph) == {"id", "nodes"}, name, "members of a graph", set(graph))
    ids = [node["id"] for node in graph["nodes"]]
    expect(len(set(ids)) == len(ids), name, graph["id"], "ids repeat")
    edges = []
    for node in graph["nodes"]:
        expect(set(node) == NODE, name, "members of a node", set(node))
        expect(all(set(attr) == {"key", "value"} and isinstance(attr["value"], str) for attr in node["attrs"]), name, node["id"], "attrs")
        expect(all(set(edge) == EDGE for edge in node["incomingEdges"]), name, node["id"], "members of an edge")
        edges += [(edge["sourceNodeId"], node["id"]) for edge in node["incomingEdges"]]
        if classes is not None:
            classes.GraphNode(**{**node, "incomingEdges": [classes.IncomingEdge(**edge) for edge in node["incomingEdges"]]})
    expect({end for edge in edges for end in edge} <= set(ids), name, graph["id"], "edges of nodes that are not there")
    return ids, edges


def check_dot(name, text, graphs):
    nodes, edges = [], []
    for line in text.splitlines():
        if match := DOT_NODE.fullmatch(line):
            nodes.append(match[1])
        elif match := DOT_EDGE.fullmatch(line):
            edges.append((match[1], match[2]))
        else:
            expect(DOT_REST.fullmatch(line), name, "no line of DOT", line)
    expect(nodes == [node for ids, _ in graphs for node in ids], name, "nodes of DOT are others")
    expect(edges == [edge for _, found in graphs for edge in found], name, "edges of DOT are others")
    if text and shutil.which("dot"):
        done = subprocess.run(["dot", "-Tcanon"], input=text.encode(), capture_output=True, timeout=MOST_SECONDS)
        expect(done.returncode == 0 and not done.stderr, name, "Graphviz", done.stderr)


def check_program(name, arguments, classes):
    form = lambda *words: output_of("pteinspect", "--graph", *words, *arguments)
    collection = json.loads(form("--model-explorer"))
    expect(set(collection) == {"label", "graphs"}, name, "members of a collection", set(collection))
    graphs = [check_graph(name, graph, classes) for graph in collection["graphs"]]
    check_dot(name, form("--dot").decode(), graphs)
    values = 0
    for figure in ("macs", "moved_bytes"):
        data = json.loads(form("--node-data", figure))
        expect(set(data) == {graph["id"] for graph in collection["graphs"]}, name, "graphs of the node data", set(data))
        for graph, (ids, _) in zip(collection["graphs"], graphs):
            results = data[graph["id"]]["results"]
            expect(set(results) <= set(ids), name, "node data of nodes that are not there")
            expect(all(list(result) == ["value"] for result in results.values()), name, "members of node data")
            values += len(results)
    return values


def check_times():
    """Of a profile: times of nodes that the program's graphs have."""
    program, dump = DATA / "branches/xnnpack.pte", DATA / "branches/xnnpack.etdp"
    collection = json.loads(output_of("pteinspect", "--graph", "--model-explorer", program))
    times = json.loads(output_of("pteprof", dump, program, "--node-data"))
    for graph in collection["graphs"]:
        results = times[graph["id"]]["results"]
        expect(set(results) <= {node["id"] for node in graph["nodes"]}, "times of nodes that are not there", results)
        expect({"executorch_call_delegate", "aten_erf_out", "lowered_module_0/XNNFullyConnected"} <= set(results), "times", results)


def check():
    classes = model_explorer()
    values = 0
    for path in model_files():
        if path.suffix != ".ptd":
            name = str(path.relative_to(DATA))
            values += check_program(name, [path], classes)
            if name in RECORDS:
                check_program(name + " with its record", [path, "--etrecord", DATA / RECORDS[name]], classes)
    expect(values > 500, "hardly any node data", values)
    check_times()
