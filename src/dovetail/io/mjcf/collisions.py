"""Which geoms and bodies of a compiled model collide, by MuJoCo's rules.

Two geoms collide where (contype_1 & conaffinity_2) or (contype_2 & conaffinity_1) is not zero,
unless their bodies are rigidly joined, are parent and child (the world is nobody's parent here),
or are named by an <exclude>; and always where a <pair> names them.
"""

import numpy as np
from numpy.typing import NDArray

from dovetail.io.mjcf.compiled import Compiled

BoolArray = NDArray[np.bool_]


class Collisions:
    """Geoms by their masks, and which masks meet."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, model = compiled, compiled.model
        masks = np.column_stack((model.geom_contype, model.geom_conaffinity)).reshape(-1, 2)
        kinds, which = np.unique(masks, axis=0, return_inverse=True)
        self.kind: NDArray[np.intp] = which.reshape(-1)
        types, affinities = kinds[:, 0], kinds[:, 1]
        self.meet: BoolArray = (types[:, None] & affinities[None, :]) != 0
        self.meet |= self.meet.T
        self.paired = {int(geom) for geom in (*model.pair_geom1, *model.pair_geom2)}
        self.weld = model.body_weldid
        self.parent = model.body_weldid[model.body_parentid[model.body_weldid]]

    def geoms(self) -> set[int]:
        """Those that can collide: with a mask, or named by a <pair>."""
        model = self.compiled.model
        masked = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        return {int(geom) for geom in np.flatnonzero(masked)} | self.paired

    def excluded(self, owners: dict[int, str], moving: set[str]) -> list[tuple[str, str]]:
        """Pairs of bodies of the scene that never collide, of which one moves.

        `owners` has the body of the scene that each geom belongs to.
        """
        names = list(dict.fromkeys(owners.values()))
        number = {name: i for i, name in enumerate(names)}
        n = len(names)
        has = np.zeros((n, len(self.meet)), dtype=bool)
        body = np.zeros(n, dtype=np.int64)
        for geom, name in owners.items():
            has[number[name], self.kind[geom]] = True
            body[number[name]] = self.compiled.model.geom_bodyid[geom]
        collide = (has.astype(np.int64) @ self.meet @ has.T) > 0
        collide &= ~self._filtered(body)
        self._drop_excluded(collide, owners, number)
        self._add_pairs(collide, owners, number)
        moves = np.array([name in moving for name in names], dtype=bool)
        never = np.triu(~collide & (moves[:, None] | moves[None, :]), 1)
        return [(names[i], names[j]) for i, j in np.argwhere(never)]

    def partly(self, owners: dict[int, str]) -> list[str]:
        """Bodies whose geoms do not all meet the same others."""
        found: dict[str, set[bytes]] = {}
        for geom, name in owners.items():
            found.setdefault(name, set()).add(self.meet[self.kind[geom]].tobytes())
        return [name for name, rows in found.items() if len(rows) > 1]

    def _filtered(self, body: NDArray[np.int64]) -> BoolArray:
        """Rigidly joined, or parent and child of which none is held by the world."""
        weld, parent = self.weld[body], self.parent[body]
        filtered: BoolArray = weld[:, None] == weld[None, :]
        if not self.compiled.disabled("filterparent"):
            child = (parent[:, None] == weld[None, :]) & (weld[None, :] != 0)
            filtered = filtered | child | child.T
        return filtered

    def _drop_excluded(
        self, collide: BoolArray, owners: dict[int, str], number: dict[str, int]
    ) -> None:
        """Signatures of <exclude> are (body << 16) + other body."""
        model = self.compiled.model
        of_body: dict[int, set[int]] = {}
        for geom, name in owners.items():
            of_body.setdefault(int(model.geom_bodyid[geom]), set()).add(number[name])
        for signature in model.exclude_signature:
            first, second = int(signature) >> 16, int(signature) & 0xFFFF
            for i in of_body.get(first, ()):
                for j in of_body.get(second, ()):
                    collide[i, j] = collide[j, i] = False

    def _add_pairs(
        self, collide: BoolArray, owners: dict[int, str], number: dict[str, int]
    ) -> None:
        model = self.compiled.model
        for first, second in zip(model.pair_geom1, model.pair_geom2):
            ends = [owners.get(int(geom)) for geom in (first, second)]
            if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
                i, j = number[ends[0]], number[ends[1]]
                collide[i, j] = collide[j, i] = True
