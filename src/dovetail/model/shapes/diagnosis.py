"""What a mesh is like as it was given, for `dovetail check` to tell."""

from dataclasses import dataclass

from dovetail.model.shapes.shape import DIMENSION_NAMES


@dataclass(frozen=True)
class MeshDiagnosis:
    """Counts of what was found in a mesh, and what was done about it.

    `closed` and `oriented` hold for the surface that is used, after turning faces where that
    makes neighbours agree; `flipped` and `turned_faces` tell that this was necessary.
    """

    n_vertices: int
    n_faces: int  # that are used: without collapsed and repeated ones
    n_free_edges: int
    n_free_points: int  # vertices nothing refers to
    dimension: int  # 3 solid, 2 open surface, 1 wire, 0 point cloud: what carries the mass
    closed: bool
    oriented: bool  # neighbouring faces agree about the outside
    flipped: bool  # given inside out (whole pieces), now outward
    turned_faces: int  # faces turned to agree with their neighbours
    components: int  # pieces connected through edges
    duplicate_faces: int  # dropped
    degenerate_faces: int  # with two corners the same (dropped) or without area (kept)
    duplicate_vertices: int  # at the same place as another one
    boundary_edges: int  # with one face
    nonmanifold_edges: int  # with more than two faces
    welded: bool  # duplicate vertices were joined because that closes the surface

    def findings(self) -> list[str]:
        """One sentence for each thing a user should know; empty for a clean mesh."""
        found = []
        if self.n_faces and not self.closed:
            found.append(
                f"the surface is open ({self.boundary_edges} boundary edges, "
                f"{self.nonmanifold_edges} with more than two faces), so its mass is that of a "
                f"thin {DIMENSION_NAMES[self.dimension]} and `density` is per m^2"
            )
        if self.flipped:
            found.append("the faces point inward; they were turned outward")
        if self.turned_faces:
            found.append(f"{self.turned_faces} faces disagreed with their neighbours; turned")
        if self.n_faces and not self.oriented:
            found.append("the faces cannot be made to agree about which side is outside")
        if self.closed and self.nonmanifold_edges:
            found.append(f"{self.nonmanifold_edges} edges have more than two faces")
        if self.duplicate_faces:
            found.append(f"{self.duplicate_faces} faces occur twice; dropped")
        if self.degenerate_faces:
            found.append(f"{self.degenerate_faces} faces have no area")
        if self.welded:
            found.append("vertices at the same place were joined, which closes the surface")
        elif self.duplicate_vertices:
            found.append(f"{self.duplicate_vertices} vertices lie exactly on another one")
        if self.n_faces and (self.n_free_edges or self.n_free_points):
            found.append(
                f"{self.n_free_edges} free edges and {self.n_free_points} free points have no "
                "mass beside the faces, but take part in contact"
            )
        return found
