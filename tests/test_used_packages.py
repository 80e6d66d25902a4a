"""Models of scikit-learn, graphs and sparse matrices, gone through, beside what the packages themselves allocate."""

from __future__ import annotations

import gc
import tracemalloc
from textwrap import dedent

import pytest

pytest.importorskip("numpy")

from forerun.tasks._used import used

LEARNED = {
    "a forest": """
        from sklearn.datasets import make_classification
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.model_selection import train_test_split
        X, y = make_classification(n_samples=12000, n_features=30, n_informative=10, random_state=0)
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
        model = RandomForestClassifier(n_estimators=15, random_state=0)
        model.fit(X_train, y_train)
        print(model.score(X_test, y_test))
        """,
    "a pipeline": """
        import numpy as np
        from sklearn.decomposition import PCA
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        X = np.random.default_rng(0).normal(size=(40000, 40))
        y = (X[:, 0] > 0).astype(int)
        pipeline = make_pipeline(StandardScaler(), PCA(n_components=10), LogisticRegression())
        pipeline.fit(X, y)
        print(pipeline.predict(X[:10]))
        """,
    "polynomials": """
        import numpy as np
        from sklearn.linear_model import Ridge
        from sklearn.preprocessing import PolynomialFeatures
        X = np.random.default_rng(0).normal(size=(20000, 12))
        Z = PolynomialFeatures(degree=2).fit_transform(X)
        model = Ridge().fit(Z, X[:, 0])
        """,
    "neighbours": """
        from sklearn.datasets import make_blobs
        from sklearn.neighbors import KNeighborsClassifier
        X, y = make_blobs(n_samples=60000, n_features=8, random_state=0)
        model = KNeighborsClassifier(5).fit(X, y)
        distances, places = model.kneighbors(X[:20000])
        """,
    "clusters": """
        import numpy as np
        from sklearn.cluster import KMeans
        X = np.random.default_rng(0).random((100000, 6))
        labels = KMeans(n_clusters=6, n_init=1, random_state=0).fit_predict(X)
        """,
}
LINKED = {
    "attached": "G = nx.barabasi_albert_graph(10000, 5, seed=1)",
    "drawn by edges": "G = nx.gnm_random_graph(5000, 40000, seed=1)",
    "a grid": "G = nx.grid_2d_graph(120, 120)",
    "complete": "G = nx.complete_graph(400)",
    "by hand": """
        G = nx.Graph()
        for i in range(30000):
            G.add_edge(i, i + 1)
        """,
    "distances": """
        G = nx.path_graph(600)
        lengths = dict(nx.all_pairs_shortest_path_length(G))
        """,
}
SPARSE = {
    "a grid": """
        T = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(250, 250))
        I = sparse.identity(250)
        A = (sparse.kron(I, T) + sparse.kron(T, I)).tocsr()
        """,
    "random": 'A = sparse.random(20000, 10000, density=0.005, format="csr", rng=0)',
    "of places": """
        rows = np.random.randint(0, 50000, 800_000)
        columns = np.random.randint(0, 50000, 800_000)
        A = sparse.csr_matrix((np.ones(800_000), (rows, columns)), shape=(50000, 50000))
        """,
    "rows of it, and a product": """
        A = sparse.random(4000, 3000, density=0.01, format="csr", rng=0)
        B = A[:1000] @ A.T
        """,
    "dense again": """
        A = sparse.eye(1500, format="csr")
        B = A.toarray()
        """,
    "solved": """
        from scipy.sparse.linalg import cg
        A = sparse.diags([np.full(300_000, 4.0), np.full(299_999, -1.0)], [0, 1], format="csr")
        x, info = cg(A, np.ones(300_000), maxiter=5)
        """,
}


def allocated(text: str) -> float:
    """Bytes that Python and the packages hold at most, what importing leaves left out."""
    code = compile(text, "program.py", "exec")
    exec(code, {"__name__": "__main__"})  # imports, and what is made once
    gc.collect()
    tracemalloc.start()
    exec(code, {"__name__": "__main__"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)


@pytest.mark.parametrize("name", LEARNED)
def test_models_hold_what_scikit_learn_allocates(name: str) -> None:
    pytest.importorskip("sklearn")
    text = dedent(LEARNED[name])
    assert used(text).bytes == pytest.approx(allocated(text), rel=0.3)


@pytest.mark.parametrize("name", LINKED)
def test_graphs_hold_what_networkx_allocates(name: str) -> None:
    pytest.importorskip("networkx")
    text = f"import networkx as nx\n{dedent(LINKED[name])}"
    assert used(text).bytes == pytest.approx(allocated(text), rel=0.4)  # dictionaries grow by leaps


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_matrices_hold_what_scipy_allocates(name: str) -> None:
    pytest.importorskip("scipy")
    text = f"import numpy as np\nfrom scipy import sparse\n{dedent(SPARSE[name])}"
    assert used(text).bytes == pytest.approx(allocated(text), rel=0.3)
