"""Building a tree of boxes over simplices: top down, split by the binned surface area heuristic.

Source: Wald, On fast construction of SAH-based bounding volume hierarchies, IEEE RT 2007.
Node n has its left child at n + 1 and its right child at right[n]; a leaf holds one simplex and
has right[n] = -1 - simplex. A tree of m simplices has 2 m - 1 nodes.
"""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

N_BINS = 12
SAH_DEPTH = 48  # below this depth the halves have equal counts, which bounds the depth


@jit
def box_simplices(vertices, simplices, boxes):
    """Boxes (m, 6) = (lower, upper) of simplices (m, 3) of vertex numbers."""
    for i in range(simplices.shape[0]):
        for k in range(3):
            a = vertices[simplices[i, 0], k]
            b = vertices[simplices[i, 1], k]
            c = vertices[simplices[i, 2], k]
            boxes[i, k] = min(a, min(b, c))
            boxes[i, 3 + k] = max(a, max(b, c))


@jit
def _bound(boxes, order, start, end, box, middle):
    """The box of simplices order[start:end] and twice the box of their middles."""
    for k in range(3):
        box[k] = middle[k] = np.inf
        box[3 + k] = middle[3 + k] = -np.inf
    for s in range(start, end):
        i = order[s]
        for k in range(3):
            low, high = boxes[i, k], boxes[i, 3 + k]
            twice = low + high
            box[k] = min(box[k], low)
            box[3 + k] = max(box[3 + k], high)
            middle[k] = min(middle[k], twice)
            middle[3 + k] = max(middle[3 + k], twice)


@jit
def _half_area(b):
    x, y, z = b[3] - b[0], b[4] - b[1], b[5] - b[2]
    return x * y + y * z + z * x


@jit
def _cheapest_bin(boxes, order, start, end, axis, low, per_length, bins, counts, swept):
    """The last bin of the left half in the cheapest split, by sum of count times area."""
    for j in range(N_BINS):
        counts[j] = 0
        for k in range(3):
            bins[j, k] = np.inf
            bins[j, 3 + k] = -np.inf
    for s in range(start, end):
        i = order[s]
        j = min(N_BINS - 1, int((boxes[i, axis] + boxes[i, 3 + axis] - low) * per_length))
        counts[j] += 1
        for k in range(3):
            bins[j, k] = min(bins[j, k], boxes[i, k])
            bins[j, 3 + k] = max(bins[j, 3 + k], boxes[i, 3 + k])
    grown = swept[0]
    costs = swept[1]
    for k in range(3):
        grown[k] = np.inf
        grown[3 + k] = -np.inf
    n = 0
    for j in range(N_BINS - 1, 0, -1):
        n += counts[j]
        for k in range(3):
            grown[k] = min(grown[k], bins[j, k])
            grown[3 + k] = max(grown[3 + k], bins[j, 3 + k])
        costs[j - 1] = n * _half_area(grown) if n > 0 else np.inf
    for k in range(3):
        grown[k] = np.inf
        grown[3 + k] = -np.inf
    n = 0
    best, best_cost = 0, np.inf
    for j in range(N_BINS - 1):
        n += counts[j]
        for k in range(3):
            grown[k] = min(grown[k], bins[j, k])
            grown[3 + k] = max(grown[3 + k], bins[j, 3 + k])
        if n > 0 and n * _half_area(grown) + costs[j] < best_cost:
            best, best_cost = j, n * _half_area(grown) + costs[j]
    return best


@jit
def build_tree(boxes, order, node_boxes, right):
    """Fill node_boxes (2 m - 1, 6) and right (2 m - 1); `order` (m,) is workspace.

    Returns the depth of the deepest leaf.
    """
    m = boxes.shape[0]
    bins, counts, swept = np.empty((N_BINS, 6)), np.empty(N_BINS, np.int64), np.empty((2, N_BINS))
    middle = np.empty(6)
    stack = np.empty((160, 4), np.int64)  # start, end, parent, depth
    for i in range(m):
        order[i] = i
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, m, -1, 0
    top, node, deepest = 1, 0, 0
    while top > 0:
        top -= 1
        start, end, parent, depth = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        deepest = max(deepest, depth)
        if parent >= 0:
            right[parent] = node
        if end - start == 1:
            for k in range(6):
                node_boxes[node, k] = boxes[order[start], k]
            right[node] = -1 - order[start]
            node += 1
            continue
        _bound(boxes, order, start, end, node_boxes[node], middle)
        axis, length = 0, middle[3] - middle[0]
        for k in range(1, 3):
            if middle[3 + k] - middle[k] > length:
                axis, length = k, middle[3 + k] - middle[k]
        low = middle[axis]
        split = (start + end) // 2
        if length > 0.0 and depth < SAH_DEPTH:
            per_length = N_BINS / length
            if end - start > 4:
                best = _cheapest_bin(
                    boxes, order, start, end, axis, low, per_length, bins, counts, swept
                )
            else:
                best = N_BINS // 2 - 1
            left = start
            for s in range(start, end):
                i = order[s]
                j = min(N_BINS - 1, int((boxes[i, axis] + boxes[i, 3 + axis] - low) * per_length))
                if j <= best:
                    order[s] = order[left]
                    order[left] = i
                    left += 1
            if start < left < end:
                split = left
        stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = split, end, node, depth + 1
        stack[top + 1, 0], stack[top + 1, 1] = start, split
        stack[top + 1, 2], stack[top + 1, 3] = -1, depth + 1
        top += 2
        node += 1
    return deepest


_boxes, _numbers = np.empty((0, 6)), np.empty(0, np.int32)
_points, _rows = read_only(np.empty((0, 3))), read_only(np.empty((0, 3)), np.int32)
warm(box_simplices, _points, _rows, _boxes)
warm(build_tree, _boxes, _numbers, _boxes, _numbers)
