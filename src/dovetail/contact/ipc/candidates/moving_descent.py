"""Down the trees of two bodies that move: pairs of leaves that can meet, a few at a time.

As `candidates.tree_descent`, but two nodes are left out, too, where they are separated along a
direction by more than they approach each other along it (`candidates.approach`): the direction from
box to box and the normals of both nodes. Only what is proven to stay free is left out, so no time
of impact depends on which nodes are looked at: small ones and leaves. What the proof needs:
- Boxes and slabs hold the cores of all features below a node: of a simplex its corners, since all
  three bounds are convex; of a solid of revolution all of it (`bvh.slabs.slabs_of_boxes`).
- Both are about the centre that the twists turn a body about.
- All features of a body have one rounding, which is that of all nodes of its trees.
- Separations along a unit vector are no larger than the distance, and the bound on the approach
  until t holds at all times before, so a node left out until t is so until any earlier time.
- What keeps dmin + 1.25 `most_kept` and the rounding is not stopped by its CCD (`ccd.additive_ccd`,
  `ccd.plane`, `ccd.revolution`), whatever `min_gap_fraction` is; `SeenMotion.beyond` is more. Only
  a CCD that gives up at its limit of evaluations would have stopped before.
"""

import math

from dovetail.collision.bvh.slabs import RADIUS, ROUNDING
from dovetail.contact.ipc.candidates.approach import approach_along, stays_apart
from dovetail.runtime.jit import jit_in_place

SMALL = 20.0  # times the margin: sides of two boxes for which it pays to look along a direction


@jit_in_place
def next_moving_leaves(trees, root_a, root_b, seen, descent, depth):
    """Go on with a descent: leaves (i of a, j of b) that can meet, as `tree_descent.next_leaves`.

    `seen` is their motion; its margin has to include ten times the rounding of the sizes.
    """
    boxes, right, stack, found = trees.boxes, trees.right, descent.stack, descent.leaves
    slabs, Q, t = trees.slabs, seen.Q, seen.offset
    q00, q01, q02 = abs(Q[0][0]), abs(Q[0][1]), abs(Q[0][2])
    q10, q11, q12 = abs(Q[1][0]), abs(Q[1][1]), abs(Q[1][2])
    q20, q21, q22 = abs(Q[2][0]), abs(Q[2][1]), abs(Q[2][2])
    rounding = slabs[root_a, ROUNDING] + slabs[root_b, ROUNDING]  # the same at all nodes
    margin = seen.margin + rounding
    limit = 4.0 * margin * margin
    count, most = 0, found.shape[0]
    while depth > 0 and count < most:
        depth -= 1
        a, b = stack[depth, 0], stack[depth, 1]
        n, m = root_a + a, root_b + b
        cx, cy, cz = boxes[m, 0] + boxes[m, 3], boxes[m, 1] + boxes[m, 4], boxes[m, 2] + boxes[m, 5]
        hx, hy, hz = boxes[m, 3] - boxes[m, 0], boxes[m, 4] - boxes[m, 1], boxes[m, 5] - boxes[m, 2]
        ax, ay, az = boxes[n, 3] - boxes[n, 0], boxes[n, 4] - boxes[n, 1], boxes[n, 5] - boxes[n, 2]
        # twice the centre of b's box from b's, and from the centre of a's box, along the axes of a
        bx = Q[0][0] * cx + Q[0][1] * cy + Q[0][2] * cz
        by = Q[1][0] * cx + Q[1][1] * cy + Q[1][2] * cz
        bz = Q[2][0] * cx + Q[2][1] * cy + Q[2][2] * cz
        px = bx + 2.0 * t[0] - boxes[n, 0] - boxes[n, 3]
        py = by + 2.0 * t[1] - boxes[n, 1] - boxes[n, 4]
        pz = bz + 2.0 * t[2] - boxes[n, 2] - boxes[n, 5]
        x = max(0.0, abs(px) - ax - q00 * hx - q01 * hy - q02 * hz)
        y = max(0.0, abs(py) - ay - q10 * hx - q11 * hy - q12 * hz)
        z = max(0.0, abs(pz) - az - q20 * hx - q21 * hy - q22 * hz)
        squared = x * x + y * y + z * z
        if squared > limit:
            continue
        leaf_a, leaf_b = right[n] < 0, right[m] < 0
        if (leaf_a and leaf_b) or ax + ay + az + hx + hy + hz < SMALL * seen.margin:
            gap = 0.5 * math.sqrt(squared)
            c_b = (0.5 * bx, 0.5 * by, 0.5 * bz)
            c_a = (
                0.5 * (boxes[n, 0] + boxes[n, 3]),
                0.5 * (boxes[n, 1] + boxes[n, 4]),
                0.5 * (boxes[n, 2] + boxes[n, 5]),
            )
            if gap > rounding + seen.beyond:
                per = 0.5 / gap
                u = (
                    math.copysign(x * per, px), math.copysign(y * per, py),
                    math.copysign(z * per, pz),
                )  # fmt: skip
                reached = approach_along(u, seen, c_a, c_b, slabs[n, RADIUS], slabs[m, RADIUS])
                if gap > rounding + reached:
                    continue
            if stays_apart(slabs, n, m, seen, (0.5 * px, 0.5 * py, 0.5 * pz), c_a, c_b):
                continue
        if leaf_a and leaf_b:
            found[count, 0] = -1 - right[n]
            found[count, 1] = -1 - right[m]
            count += 1
        elif leaf_b or (not leaf_a and max(ax, max(ay, az)) > max(hx, max(hy, hz))):
            stack[depth, 0], stack[depth, 1] = right[n], b
            stack[depth + 1, 0], stack[depth + 1, 1] = a + 1, b
            depth += 2
        else:
            stack[depth, 0], stack[depth, 1] = a, right[m]
            stack[depth + 1, 0], stack[depth + 1, 1] = a, b + 1
            depth += 2
    return depth, count
