"""The embedded vector store: kind `qdrant-edge`, Qdrant's engine in this process.

A point is one slot of a passage. Its id is key << 20 | slot: slot i holds the i-th window of every
field, and slot 0 the lexical vector as well. The key is thus in the id and points have no payload.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from salon.errors import IndexError_, IndexMismatchError, IndexMissingError, RetrievalUnavailable
from salon.ports import BackendContext, Registry, StoreShape, VectorStore
from salon.types import Arms, PassageVectors, SparseVector, Vector

_LEXICAL = "lexical"
_SLOT_BITS = 20
_SLOTS = 1 << _SLOT_BITS
_KEYS = 1 << 43
_PAGE = 256
_SHAPE = "shape.json"
_FLOAT_BYTES = 4

# Recall@6 against exact search: 1.000 on 50,000 drawn clustered vectors, 0.996 for 120 questions
# on 26,000 windows of books, where half as many links and half the search width give 0.956.
_LINKS = 32
_EF_BUILD = 128
_EF_SEARCH = 128
_QUANTILE = 0.99
# The best by bytes are scored again by floats; of fewer than these, some would be missed.
_RESCORED = 24
# Kilobytes of vectors without a graph that a segment may hold; below, all are compared.
_GRAPH_FROM_KB = 10_000


def register(registry: Registry) -> None:
    summary = "Qdrant's engine in this process: no server needed"
    registry.store("qdrant-edge", open_store, summary, ())


def open_store(
    location: str, context: BackendContext, create: StoreShape | None = None
) -> VectorStore:
    """Open the collection in the folder `location`, or make it there when `create` is given.

    One process at a time may have a folder open; the engine does not check it. Raises
    IndexMissingError when there is no collection, IndexError_ when it cannot be read or made.
    """
    return QdrantEdgeStore(Path(location), create)


class QdrantEdgeStore:
    """A VectorStore on one EdgeShard."""

    def __init__(self, folder: Path, create: StoreShape | None = None) -> None:
        import qdrant_edge

        # The engine's stubs say that an id may be a UUID, which ours never are.
        self._edge: Any = qdrant_edge
        self._folder = folder
        self._params = qdrant_edge.SearchParams(
            hnsw_ef=_EF_SEARCH, quantization=qdrant_edge.QuantizationSearchParams(rescore=True)
        )
        self._shape, self._resident = (create, False) if create else self._read_shape()
        self._shard: Any
        with self._writing("be opened" if create is None else "be made"):
            if create is None:
                self._shard = qdrant_edge.EdgeShard.load(str(folder))
            else:
                folder.mkdir(parents=True, exist_ok=True)
                self._shard = qdrant_edge.EdgeShard.create(str(folder), self._config())
                self._write_shape()

    def upsert(self, items: Sequence[PassageVectors]) -> None:
        points: list[Any] = []
        surplus: list[int] = []
        for item in items:
            slots = self._slots(item)
            first = item.key << _SLOT_BITS
            surplus += self._points_of(item.key, first + len(slots))
            points += [self._edge.Point(first + n, vectors) for n, vectors in enumerate(slots)]
        with self._writing("be written"):
            self._shard.update(self._edge.UpdateOperation.upsert_points(points))
            if surplus:
                self._shard.update(self._edge.UpdateOperation.delete_points(surplus))

    def delete(self, keys: Sequence[int]) -> None:
        points = [point for key in keys for point in self._points_of(key, key << _SLOT_BITS)]
        if points:
            with self._writing("be written"):
                self._shard.update(self._edge.UpdateOperation.delete_points(points))

    def search(self, vector: Vector, lexical: SparseVector, limit: int) -> Arms:
        if vector.shape != (self._shape.dimensions,):
            raise self._mismatch(vector.shape)
        if not np.isfinite(vector).all():
            raise RetrievalUnavailable("the question's vector has values that are not numbers")
        edge = self._edge
        values = vector.tolist()
        asked = max(limit, _RESCORED)
        requests = [
            edge.QueryRequest(
                limit=asked, query=edge.Query.Nearest(values, using=field), params=self._params
            )
            for field in self._shape.fields
        ]
        if lexical.indices:
            words = edge.SparseVector(lexical.indices, lexical.values)
            requests.append(
                edge.QueryRequest(limit=limit, query=edge.Query.Nearest(words, using=_LEXICAL))
            )
        with self._reading():
            answers = self._shard.query_batch(edge.QueryBatchRequest(requests))
        arms = [
            [(point.id >> _SLOT_BITS, point.score) for point in points[:limit]]
            for points in answers
        ]
        return Arms(
            dense=dict(zip(self._shape.fields, arms, strict=False)),
            lexical=arms[-1] if lexical.indices else [],
        )

    def count(self) -> int:
        """Every passage has a lexical vector at its first slot, be it an empty one."""
        has_lexical = self._edge.Filter(must=[self._edge.HasVectorCondition(_LEXICAL)])
        with self._reading():
            return int(self._shard.count(self._edge.CountRequest(exact=True, filter=has_lexical)))

    def optimize(self) -> None:
        """Build graphs for what outgrew full scans, and drop what was deleted; often nothing."""
        with self._writing("be optimised"):
            size = self._shard.info().points_count * self._shape.dimensions * _FLOAT_BYTES
            if size > _GRAPH_FROM_KB * 1024 and not self._resident:
                self._reside()
            self._shard.optimize()

    def flush(self) -> None:
        with self._writing("be written"):
            self._shard.flush()

    def close(self) -> None:
        """Write what is left and let go of the folder; closing twice is closing once."""
        with self._writing("be closed"):
            self._shard.close()

    def _slots(self, item: PassageVectors) -> list[dict[str, Any]]:
        """The vectors of a passage by slot; raises IndexMismatchError for another shape."""
        if not 0 < item.key < _KEYS or item.dense.keys() != set(self._shape.fields):
            raise IndexError_(
                f"passage {item.key} has the fields {sorted(item.dense)}",
                expected=f"a key from 1 to {_KEYS - 1} and the fields {sorted(self._shape.fields)}",
            )
        count = max(1, *(len(windows) for windows in item.dense.values()))
        if count > _SLOTS:
            raise IndexError_(f"passage {item.key} has {count} windows", expected=f"up to {_SLOTS}")
        slots: list[dict[str, Any]] = [{} for _ in range(count)]
        slots[0][_LEXICAL] = self._edge.SparseVector(item.sparse.indices, item.sparse.values)
        for field, windows in item.dense.items():
            if windows.ndim != 2 or windows.shape[1] != self._shape.dimensions:
                raise self._mismatch(windows.shape)
            for slot, window in zip(slots, windows.tolist(), strict=False):
                slot[field] = window
        return slots

    def _points_of(self, key: int, start: int) -> list[int]:
        """Ids of the passage's points from the id `start` on; ids come in ascending order."""
        found: list[int] = []
        while True:
            request = self._edge.ScrollRequest(
                offset=start, limit=_PAGE, with_payload=False, with_vector=False
            )
            with self._reading():
                records, _ = self._shard.scroll(request)
            ids = [record.id for record in records if record.id >> _SLOT_BITS == key]
            found += ids
            if len(ids) < _PAGE:
                return found
            start = ids[-1] + 1

    def _reside(self) -> None:
        """From now on, make segments whose vectors are read into memory when they are opened.

        A graph search is three times as fast then. Small collections stay as they are: the engine
        reserves 32 MB for each field of theirs, and would read all of it.
        """
        self._resident = True
        self._shard.flush()
        self._shard.close()
        self._shard = self._edge.EdgeShard.load(str(self._folder), self._config())
        self._write_shape()

    def _config(self) -> Any:
        edge, shape = self._edge, self._shape
        memory = edge.Memory.Cached if self._resident else edge.Memory.Cold
        return edge.EdgeConfig(
            vectors={
                field: edge.EdgeVectorParams(
                    size=shape.dimensions,
                    distance=edge.Distance.Cosine,
                    memory=memory,
                    # Graphs are walked over bytes, in half the time; the best are then scored
                    # again by their floats, so that no score is an approximation.
                    quantization_config=edge.ScalarQuantizationConfig(
                        type=edge.ScalarType.Int8, quantile=_QUANTILE, memory=edge.Memory.Cached
                    ),
                )
                for field in shape.fields
            },
            sparse_vectors={_LEXICAL: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            hnsw_config=edge.HnswIndexConfig(
                m=_LINKS, ef_construct=_EF_BUILD, full_scan_threshold=_GRAPH_FROM_KB
            ),
            # A search is too short to be divided: one segment, one thread.
            optimizers=edge.EdgeOptimizersConfig(
                default_segment_number=1, indexing_threshold=_GRAPH_FROM_KB
            ),
            max_search_threads=1,
            # Whoever writes flushes before the collection is used; a log would double the writes.
            wal_enabled=False,
        )

    def _write_shape(self) -> None:
        shape = {
            "dimensions": self._shape.dimensions,
            "fields": self._shape.fields,
            "resident": self._resident,
        }
        (self._folder / _SHAPE).write_text(json.dumps(shape), "utf-8")

    def _read_shape(self) -> tuple[StoreShape, bool]:
        try:
            found = json.loads((self._folder / _SHAPE).read_text("utf-8"))
            shape = StoreShape(int(found["dimensions"]), tuple(map(str, found["fields"])))
            return shape, bool(found["resident"])
        except FileNotFoundError:
            raise IndexMissingError(f"there is no vector collection in {self._folder}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise IndexError_(f"{self._folder / _SHAPE} is damaged: {error}") from error

    def _mismatch(self, shape: tuple[int, ...]) -> IndexMismatchError:
        return IndexMismatchError(
            f"vectors of shape {shape} do not fit the collection in {self._folder}",
            expected=f"vectors of {self._shape.dimensions} dimensions",
            cure="index again with the embedder that is in use",
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if not _of_engine(error):
                raise
            raise RetrievalUnavailable(
                f"the vector collection in {self._folder} cannot be searched: {error}"
            ) from error

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if not _of_engine(error):
                raise
            raise IndexError_(
                f"the vector collection in {self._folder} could not {what}: {error}"
            ) from error


def _of_engine(error: BaseException) -> bool:
    """Whether the engine raised it: it has no narrower kind, and its panics are no Exception."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"
