"""Do two bodies meet on a path? Answers in exact rational arithmetic, with no code of the package.

hulls, translation   the origin lies in the hull of a_i - b_j - {0, v}: a linear program over
fractions, solved by the simplex method with Bland's rule;
hulls, rotation      vertex through face and edge through edge are polynomials in the tangent t
of half the angle; roots are isolated by Sturm sequences, and signs at such
a root are decided by refining its interval;
balls                the least of a quadratic in the time.
"""

from fractions import Fraction
from itertools import combinations, pairwise


def vec(a):
    return tuple(Fraction(x) for x in a)


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Fraction(0))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def origin_in_hull(points):
    """Whether w >= 0 with sum w = 1 and sum w p = 0 exist: phase one of the simplex method."""
    rows = [[p[i] for p in points] + [Fraction(0)] for i in range(3)]
    rows.append([Fraction(1)] * len(points) + [Fraction(1)])
    n = len(points)
    basis = [n + i for i in range(4)]  # artificial variables
    cost = [sum((row[j] for row in rows), Fraction(0)) for j in range(n + 1)]
    while cost[n] > 0:
        enter = next((j for j in range(n) if cost[j] > 0), None)
        if enter is None:
            return False
        leave, least = None, None
        for i, row in enumerate(rows):
            if row[enter] > 0:
                ratio = (row[n] / row[enter], basis[i])
                if least is None or ratio < least:
                    leave, least = i, ratio
        if leave is None:
            return False
        pivot = rows[leave][enter]
        rows[leave] = [x / pivot for x in rows[leave]]
        for i, row in enumerate(rows):
            if i != leave and row[enter] != 0:
                factor = row[enter]
                rows[i] = [x - factor * y for x, y in zip(row, rows[leave])]
        factor = cost[enter]
        cost = [x - factor * y for x, y in zip(cost, rows[leave])]
        basis[leave] = enter
    return True


def hulls_meet(A, B, v):
    """Whether the hull of A meets that of B + s v for an s from 0 to 1."""
    A, B, v = [vec(a) for a in A], [vec(b) for b in B], vec(v)
    apart = [sub(a, b) for a in A for b in B]
    swept = apart + [sub(p, v) for p in apart] if any(v) else apart
    return origin_in_hull(swept)


# polynomials: coefficients from the constant one up


def trimmed(p):
    p = list(p)
    while p and p[-1] == 0:
        p.pop()
    return p


def plus(p, q, factor=1):
    n = max(len(p), len(q))
    p, q = list(p) + [Fraction(0)] * (n - len(p)), list(q) + [Fraction(0)] * (n - len(q))
    return trimmed([x + factor * y for x, y in zip(p, q)])


def times(p, q):
    out = [Fraction(0)] * max(len(p) + len(q) - 1, 0)
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            out[i + j] += x * y
    return trimmed(out)


def value(p, t):
    total = Fraction(0)
    for c in reversed(p):
        total = total * t + c
    return total


def remainder(p, q):
    p = trimmed(p)
    while len(p) >= len(q):
        factor = p[-1] / q[-1]
        shift = [Fraction(0)] * (len(p) - len(q)) + [factor * c for c in q]
        p = trimmed([x - y for x, y in zip(p, shift)][:-1])
    return p


def quotient(p, q):
    p, out = trimmed(p), [Fraction(0)] * max(len(p) - len(q) + 1, 1)
    while len(p) >= len(q):
        factor, at = p[-1] / q[-1], len(p) - len(q)
        out[at] = factor
        p = trimmed([x - (factor * q[i - at] if i >= at else 0) for i, x in enumerate(p)][:-1])
    return trimmed(out)


def common(p, q):
    p, q = trimmed(p), trimmed(q)
    while q:
        p, q = q, remainder(p, q)
        if q:
            q = [c / q[-1] for c in q]
    return p


def sturm(p):
    chain = [p, trimmed([i * c for i, c in enumerate(p)][1:])]
    while chain[-1]:
        chain.append([-c for c in remainder(chain[-2], chain[-1])])
    return chain[:-1]


def changes(chain, t):
    signs = [s for s in (value(p, t) for p in chain) if s != 0]
    return sum((a > 0) != (b > 0) for a, b in pairwise(signs))


def roots(p, low, high):
    """Roots of p in [low, high], each alone in an interval (a, b); a = b where it is known."""
    p = trimmed(p)
    if len(p) < 2:
        return None if not p else []
    shared = common(p, trimmed([i * c for i, c in enumerate(p)][1:]))
    if len(shared) > 1:
        p = quotient(p, shared)
    chain, found = sturm(p), []
    found += [(end, end) for end in {low, high} if value(p, end) == 0]
    waiting = [(low, high)]
    while waiting:
        a, b = waiting.pop()
        count = changes(chain, a) - changes(chain, b) - (value(p, b) == 0)  # in the open interval
        if count == 0:
            continue
        if count == 1:
            found.append((a, b))
            continue
        middle = (a + b) / 2
        if value(p, middle) == 0:
            found.append((middle, middle))
        waiting += [(a, middle), (middle, b)]
    return [(p, interval) for interval in found]


def sign_at(g, root):
    """Sign of the polynomial g at a root of p that lies alone in an interval."""
    p, (a, b) = root
    g = trimmed(g)
    if not g:
        return 0
    if a == b:
        v = value(g, a)
        return (v > 0) - (v < 0)
    shared = common(p, g)
    if len(shared) > 1:
        chain = sturm(shared)
        if changes(chain, a) - changes(chain, b) - (value(shared, b) == 0) > 0:
            return 0
    chain, chain_p = sturm(g), sturm(p)
    while True:
        clear = changes(chain, a) == changes(chain, b) and value(g, b) != 0
        if clear and value(g, a) != 0:
            v = value(g, b)
            return (v > 0) - (v < 0)
        middle = (a + b) / 2
        if value(p, middle) == 0:
            v = value(g, middle)
            return (v > 0) - (v < 0)
        left = changes(chain_p, a) - changes(chain_p, middle)
        a, b = (a, middle) if left else (middle, b)


def turned(r, sense=1):
    """Coordinates times 1 + t^2 of r turned about z; t is the tangent of half the angle."""
    x, y, z = vec(r)
    return (
        [x, -2 * sense * y, -x],
        [y, 2 * sense * x, -y],
        [z, Fraction(0), z],
    )


ONE = [Fraction(1), Fraction(0), Fraction(1)]  # 1 + t^2


def p_sub(a, b):
    return tuple(plus(x, y, -1) for x, y in zip(a, b))


def p_dot(a, b):
    total = []
    for x, y in zip(a, b):
        total = plus(total, times(x, y))
    return total


def p_cross(a, b):
    pairs = ((1, 2), (2, 0), (0, 1))
    return tuple(plus(times(a[i], b[j]), times(a[j], b[i]), -1) for i, j in pairs)


def fixed(r):
    """A point at rest, as a polynomial over 1 + t^2."""
    return tuple([Fraction(x), Fraction(0), Fraction(x)] for x in r)


def _through_face(vertex, face, until, sense):
    a, b, c = (vec(p) for p in face)
    n = cross(sub(b, a), sub(c, a))
    N = turned(vertex, sense)
    height = p_dot(tuple([x] for x in n), p_sub(N, fixed(a)))
    found = roots(height, Fraction(0), until)
    assert found is not None, "a vertex stays in the plane of a face"
    for root in found:
        inside = True
        for p, q in ((a, b), (b, c), (c, a)):
            inward = tuple([x] for x in cross(n, sub(q, p)))
            inside = inside and sign_at(p_dot(inward, p_sub(N, fixed(p))), root) >= 0
        if inside:
            return True
    return False


def _through_edge(edge_a, edge_b, until):
    A0, A1 = turned(edge_a[0]), turned(edge_a[1])
    ea, eb = p_sub(A1, A0), tuple([x] for x in sub(vec(edge_b[1]), vec(edge_b[0])))
    apart = p_sub(fixed(edge_b[0]), A0)  # b0 - a0, over 1 + t^2
    m = p_cross(ea, eb)
    found = roots(p_dot(m, apart), Fraction(0), until)
    if found is None:
        return False  # always in one plane: vertices and faces decide
    size = p_dot(m, m)
    alpha = p_dot(p_cross(apart, eb), m)
    beta, whole = p_dot(p_cross(apart, ea), m), times(ONE, size)
    for root in found:
        if sign_at(size, root) <= 0:
            continue
        if sign_at(alpha, root) < 0 or sign_at(plus(size, alpha, -1), root) < 0:
            continue
        if sign_at(beta, root) >= 0 and sign_at(plus(whole, beta, -1), root) >= 0:
            return True
    return False


def turning_tetrahedra_meet(A, B, until):
    """Whether tetrahedron A meets B while it turns about z up to the half-angle tangent `until`.

    Corners A and B are those at the start, where the two must be apart.
    """
    if hulls_meet(A, B, (0, 0, 0)):
        return True
    until = Fraction(until)
    faces = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    edges = list(combinations(range(4), 2))
    for face in faces:
        for v in range(4):
            if _through_face(A[v], [B[k] for k in face], until, 1):
                return True
            if _through_face(B[v], [A[k] for k in face], until, -1):
                return True
    return any(
        _through_edge([A[i] for i in e], [B[i] for i in f], until) for e in edges for f in edges
    )


def balls_meet(D, v, reach):
    """Whether |D + s v| <= reach for an s from 0 to 1."""
    D, v, reach = vec(D), vec(v), Fraction(reach)
    vv, dv = dot(v, v), dot(D, v)
    s = min(Fraction(1), max(Fraction(0), -dv / vv)) if vv else Fraction(0)
    at = tuple(x + s * y for x, y in zip(D, v))
    return reach >= 0 and dot(at, at) <= reach * reach


def ball_meets_capsule(D, v, along, reach):
    """Whether |D + s v - u along| <= reach for s and u from 0 to 1: least of a convex quadratic."""
    D, v, a, reach = vec(D), vec(v), vec(along), Fraction(reach)
    candidates = [(s, u) for s in (Fraction(0), Fraction(1)) for u in (Fraction(0), Fraction(1))]
    vv, aa, va = dot(v, v), dot(a, a), dot(v, a)
    for s in (Fraction(0), Fraction(1)):
        candidates.append((s, dot(add(D, tuple(s * x for x in v)), a) / aa))
    for u in (Fraction(0), Fraction(1)):
        candidates.append((-dot(sub(D, tuple(u * x for x in a)), v) / vv, u))
    steep = vv * aa - va * va
    if steep:
        s = (dot(D, a) * va - dot(D, v) * aa) / steep
        candidates.append((s, (dot(D, a) + s * va) / aa))
    for s, u in candidates:
        if 0 <= s <= 1 and 0 <= u <= 1:
            p = tuple(x + s * y - u * z for x, y, z in zip(D, v, a))
            if dot(p, p) <= reach * reach:
                return True
    return False


def turning_points_reach_plane(points, n, level, until):
    """Whether a point that turns about z until the half-angle tangent `until` has n.p <= level."""
    n, level = vec(n), Fraction(level)
    for r in points:
        height = p_dot(tuple([x] for x in n), turned(r))
        height = plus(height, [c * level for c in ONE], -1)
        if value(height, Fraction(0)) <= 0 or roots(height, Fraction(0), Fraction(until)) != []:
            return True
    return False
