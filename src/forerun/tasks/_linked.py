"""Graphs of NetworkX: how many nodes and edges they have, what these take, and how long algorithms on them work.

Measured once (NetworkX 3.6, one thread of an AMD EPYC, Zen 4), on graphs that the library draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forerun.tasks._arrays import Array, Many, Range, Thing, length_of
from forerun.tasks._expressions import Expressions
from forerun.tasks._holding import MOST

Size = tuple[float, float]
"""Nodes and edges."""
_NODE, _NEIGHBOURS, _EDGE, _MARK = 265.0, 170.0, 110.0, 144.0
"""Bytes of a node, more of one that has edges, of an edge, and of an attribute of one."""
_PLACE, _PAIR, _PATH = 60.0, 37.0, 126.0
"""Bytes of what an algorithm says of a node, and of two: a number, or a path."""
_NODE_NS, _EDGE_NS, _PAIR_NS, _ADD_NS = 800.0, 1200.0, 30.0, 1000.0
"""Nanoseconds that drawing takes for each, and for two nodes of which half are asked whether they are joined; of one
that is added by hand."""


def _grid(rows: float, columns: float) -> Size:
    return rows * columns, 2 * rows * columns - rows - columns


_DRAWN: Mapping[str, Callable[..., Size]] = {
    "path_graph": lambda n: (n, n - 1),
    "cycle_graph": lambda n: (n, n),
    "star_graph": lambda n: (n + 1, n),
    "complete_graph": lambda n: (n, n * (n - 1) / 2),
    "grid_2d_graph": _grid,
    "balanced_tree": lambda r, h: ((r ** (h + 1) - 1) / max(r - 1, 1), (r ** (h + 1) - 1) / max(r - 1, 1) - 1),
    "karate_club_graph": lambda: (34.0, 78.0),
    "gnp_random_graph": lambda n, p: (n, n * (n - 1) / 2 * p),
    "gnm_random_graph": lambda n, m: (n, m),
    "barabasi_albert_graph": lambda n, m: (n, (n - m) * m),
    "powerlaw_cluster_graph": lambda n, m, p=0.0: (n, (n - m) * m),
    "watts_strogatz_graph": lambda n, k, p=0.0: (n, n * k / 2),
    "random_regular_graph": lambda d, n: (n, n * d / 2),
    "random_geometric_graph": lambda n, radius: (n, n * n / 2 * math.pi * radius**2),
    "random_labeled_tree": lambda n: (n, n - 1),
    "full_rary_tree": lambda r, n: (n, n - 1),
    "scale_free_graph": lambda n: (n, 2.2 * n),
    "les_miserables_graph": lambda: (77.0, 254.0),
    "planted_partition_graph": lambda count, size, inside, outside: (
        count * size,
        count * size * size / 2 * inside + count * (count - 1) / 2 * size * size * outside,
    ),
}
_ALSO = {
    "fast_gnp_random_graph": "gnp_random_graph",
    "erdos_renyi_graph": "gnp_random_graph",
    "binomial_graph": "gnp_random_graph",
    "connected_watts_strogatz_graph": "watts_strogatz_graph",
    "newman_watts_strogatz_graph": "watts_strogatz_graph",
    "dense_gnm_random_graph": "gnm_random_graph",
}
_NAMES = "n m p k d r h radius".split()
_EMPTY = frozenset("Graph DiGraph MultiGraph MultiDiGraph".split())
_PAIRS = frozenset("gnp_random_graph erdos_renyi_graph binomial_graph planted_partition_graph".split())
"""Which ask a random number for each pair of nodes."""
_LINEAR: Mapping[str, float] = {
    name: each
    for names, each in (
        ("single_source_shortest_path_length single_source_shortest_path shortest_path_length bfs_tree bfs_edges"
         " dfs_edges dfs_tree dfs_preorder_nodes connected_components number_connected_components is_connected"
         " node_connected_component descendants ancestors is_bipartite topological_sort eccentricity"
         " is_directed_acyclic_graph number_weakly_connected_components weakly_connected_components", 150.0),
        ("articulation_points bridges biconnected_components condensation", 2000.0),
        ("degree_centrality", 100.0),
        ("single_source_dijkstra_path_length single_source_dijkstra dijkstra_path dijkstra_path_length"
         " single_source_dijkstra_path astar_path", 550.0),
        ("minimum_spanning_tree minimum_spanning_edges maximum_spanning_tree", 2300.0),
        ("core_number k_core", 800.0), ("greedy_color", 350.0),
        ("strongly_connected_components number_strongly_connected_components", 1300.0),
        ("clustering average_clustering square_clustering", 6000.0), ("triangles transitivity", 1100.0),
        ("pagerank adjacency_matrix", 1300.0), ("hits", 2500.0), ("eigenvector_centrality", 12_000.0),
        ("katz_centrality", 5000.0), ("label_propagation_communities asyn_lpa_communities", 4000.0),
        ("louvain_communities maximum_flow maximum_flow_value minimum_cut max_weight_matching", 20_000.0),
        ("greedy_modularity_communities", 150_000.0),
    )
    for name in names.split()
}  # fmt: skip
"""Nanoseconds of an algorithm for each node and edge."""
_FROM_ALL: Mapping[str, float] = {
    "betweenness_centrality": 400.0, "edge_betweenness_centrality": 400.0, "load_centrality": 400.0,
    "closeness_centrality": 90.0, "harmonic_centrality": 90.0, "average_shortest_path_length": 90.0, "diameter": 90.0,
    "radius": 90.0, "center": 90.0, "all_pairs_shortest_path_length": 85.0, "all_pairs_shortest_path": 210.0,
    "all_pairs_dijkstra_path_length": 550.0, "all_pairs_dijkstra": 900.0,
}  # fmt: skip
"""The same of one that begins at each node in turn."""
_OF_PAIRS: Mapping[str, tuple[float, float]] = {
    "spring_layout": (1640.0, 64.0), "fruchterman_reingold_layout": (1640.0, 64.0),
    "kamada_kawai_layout": (20_000, 134.0), "to_numpy_array": (1.0, 8.0),
}  # fmt: skip
"""Nanoseconds, and bytes, for each two nodes."""
_FLOYD_NS = 82.0
_CHANGED = frozenset("compose union disjoint_union relabel_nodes convert_node_labels_to_integers complement".split())


@dataclass(slots=True)
class Graph(Thing):
    """Of so many nodes; `values` holds what it takes."""

    nodes: float = 0.0
    edges: float = 0.0
    marks: float = 0.0
    """Bytes of what each edge is marked with."""


class Linking(Expressions):
    """Calls of NetworkX."""

    def _linked(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a function of the package gives."""
        first = arguments[0] if arguments else None
        if name in _EMPTY:
            if isinstance(first, Graph):
                return self._graph(first.nodes, first.edges)
            made = self._graph(0.0, 0.0)
            self._joined(made, length_of(first) or 0.0)
            return made
        if rule := _DRAWN.get(_ALSO.get(name, name)):
            given = {each: value for each, value in options.items() if each in _NAMES}
            known = [one for one in arguments if isinstance(one, float)]
            nodes, edges = rule(*known, **given)
            pairs = nodes**2 if name in _PAIRS else 0.0
            self._spend(nodes * _NODE_NS + edges * _EDGE_NS + pairs * _PAIR_NS)
            return self._graph(max(nodes, 0.0), max(edges, 0.0))
        graphs = [one for one in arguments if isinstance(one, Graph)]
        if graphs and name in _CHANGED:
            return self._graph(sum(one.nodes for one in graphs), sum(one.edges for one in graphs))
        return self._on(graphs[0], name, options) if graphs else None

    def _on(self, own: Graph, name: str, options: Mapping[str, Any]) -> Any:
        """What an algorithm gives."""
        n, whole = own.nodes, own.nodes + own.edges
        each, of_pair = _LINEAR.get(name, 0.0), _OF_PAIRS.get(name, (0.0, 0.0))
        begins = k if isinstance(k := options.get("k"), float) and name == "betweenness_centrality" else n
        work = each * whole + _FROM_ALL.get(name, 0.0) * begins * whole + of_pair[0] * n * n
        self._spend(work + (_FLOYD_NS * n**3 if name == "floyd_warshall" else 0.0))
        if name.endswith("spanning_tree") or name in ("bfs_tree", "dfs_tree"):
            return self._graph(n, n)
        if not work and name != "floyd_warshall":
            return None
        if of_pair[1]:
            return self._alloc((n * n * of_pair[1] / 8.0,), "f", 8.0)
        made, all_pairs = Many(0.0), name.startswith(("all_pairs", "floyd"))
        self._passing.append(made)
        small = _PATH if name == "all_pairs_shortest_path" else _PAIR if all_pairs else _PLACE
        self._put(made, None, n * n if all_pairs else n, small=small)
        return made

    def _graph(self, nodes: float, edges: float) -> Graph:
        made = Graph(nodes=nodes, edges=edges)
        self._passing.append(made)
        self._takes(made)
        return made

    def _takes(self, own: Graph) -> None:
        size = own.nodes * _NODE + min(own.nodes, 2 * own.edges) * _NEIGHBOURS + own.edges * (_EDGE + own.marks)
        held = Array((size,), "i", 1.0)
        held.block.bytes = min(size, MOST)
        own.values[""] = held
        self._look()

    def _joined(self, own: Graph, edges: float) -> None:
        """So many edges more; nobody counts at which nodes they end: at half as many."""
        own.edges += edges
        own.nodes = max(own.nodes, math.ceil(own.edges / 2))
        self._takes(own)

    def _of_graph(self, own: Graph, name: str, arguments: Sequence[Any], marked: bool) -> Any:
        """What a method of a graph gives."""
        first = arguments[0] if arguments else None
        if name == "add_weighted_edges_from" or (name == "add_edge" and marked):
            own.marks = _MARK
        if name == "add_edge":
            self._spend(_ADD_NS)
            self._joined(own, self._times)
        elif name == "add_node":
            self._spend(_ADD_NS)
            own.nodes += self._times
            self._takes(own)
        elif name in ("add_edges_from", "add_weighted_edges_from") and (count := length_of(first)):
            self._spend(count * _ADD_NS)
            self._joined(own, count)
        elif name == "add_nodes_from" and (count := length_of(first)):
            own.nodes += count
            self._takes(own)
        elif name in ("copy", "to_directed", "to_undirected", "reverse"):
            self._spend((own.nodes + 2 * own.edges) * _ADD_NS)
            return self._graph(own.nodes, own.edges * (2.0 if name == "to_directed" else 1.0))
        elif name == "subgraph":
            return own
        elif name in ("number_of_nodes", "order", "number_of_edges", "size"):
            return own.nodes if name in ("number_of_nodes", "order") else own.edges
        elif name in ("nodes", "edges", "degree"):
            return Range(own.edges if name == "edges" else own.nodes, (0.0, 0.0))
        elif name in ("neighbors", "successors", "predecessors", "adj"):
            return Range(2 * own.edges / max(own.nodes, 1.0), 0.0)
        return None
