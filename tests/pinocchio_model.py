"""The same tree in Pinocchio, built from the bodies and joints and not from our arrays."""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin


@dataclass
class Peer:
    model: pin.Model
    joint_of: dict  # joint number -> Pinocchio's joint index, for joints with coordinates
    body_at: list  # body number -> (Pinocchio's joint index, placement of the frame there)
    reordered: np.ndarray  # our v index of each of Pinocchio's
    backward: set  # numbers of joints whose first body is the child
    tree: object

    def q(self, q):
        out = np.empty(self.model.nq)
        for number, index in self.joint_of.items():
            part = q[self.tree.q_of(number)]
            if part.size in (4, 7):  # the real part of a quaternion goes last
                part = np.concatenate((part[:-4], part[-3:], part[-4:-3]))
            elif number in self.backward:  # Pinocchio meets its motions in reverse order
                part = part[::-1]
            start = self.model.joints[index].idx_q
            out[start : start + part.size] = part
        return out

    def v(self, v):
        return np.asarray(v)[self.reordered]

    def wrenches(self, bodies, wrench, data):
        """Torque and force at centres of mass as Pinocchio's forces in joint frames."""
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for body, row, (index, place) in zip(bodies, wrench, self.body_at[1:], strict=True):
            centre = place.act(np.asarray(body.com) - place.reference)
            R = data.oMi[index].rotation.T
            force = R @ row[3:]
            moment = R @ row[:3] + np.cross(centre, force)
            forces[index] += pin.Force(force, moment)
        return forces


@dataclass
class Frame:
    """Body frame parallel to the world at the initial pose: its reference point and place."""

    reference: np.ndarray
    placement: pin.SE3

    def act(self, point):
        return self.placement.act(point)


def normals(z):
    """x and y of our joint frame: x from the coordinate axis farthest from z."""
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return x, np.cross(z, x)


def joint_model(joint, turned):
    sign = -1.0 if turned else 1.0
    z = sign * np.asarray(joint.axis, dtype=float)
    if joint.kind == "revolute":
        return pin.JointModelRevoluteUnaligned(z)
    if joint.kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(z)
    if joint.kind == "screw":
        return pin.JointModelHelicalUnaligned(z, joint.pitch / (2 * np.pi))
    if joint.kind == "universal":
        axes = (-np.asarray(joint.axis2), z) if turned else (z, np.asarray(joint.axis2))
        return pin.JointModelUniversal(*axes)
    if joint.kind == "spherical":
        return pin.JointModelSpherical()
    if joint.kind == "free":
        return pin.JointModelFreeFlyer()
    if joint.kind == "cylindrical":
        motions = [pin.JointModelRevoluteUnaligned(z), pin.JointModelPrismaticUnaligned(z)]
    else:
        x, y = (sign * axis for axis in normals(sign * z))
        motions = [
            pin.JointModelPrismaticUnaligned(x),
            pin.JointModelPrismaticUnaligned(y),
            pin.JointModelRevoluteUnaligned(z),
        ]
    composite = pin.JointModelComposite()
    for motion in motions[::-1] if turned else motions:
        composite.addJoint(motion)
    return composite


def depth_first(parents):
    """Labels with each subtree in one run, as Pinocchio's mass matrix expects its joints."""
    children = [[] for _ in range(len(parents) + 1)]
    for label, parent in enumerate(parents, 1):
        children[parent].append(label)
    stack = children[0][::-1]
    while stack:
        label = stack.pop()
        yield label
        stack += children[label][::-1]


def peer_of(tree, bodies, joints, gravity):
    """Pinocchio's model of the same tree, walked from the ground."""
    model = pin.Model()
    model.gravity.linear = np.asarray(gravity, dtype=float)
    topology = tree.topology
    body_at = [(0, Frame(np.zeros(3), pin.SE3.Identity()))] + [None] * len(bodies)
    joint_of, backward = {}, set()
    for label in depth_first(topology.parents):
        number = topology.joint_numbers[label - 1]
        joint = joints[number - 1]
        child = topology.body_of(label)
        parent = topology.body_of(topology.parents[label - 1])
        body = bodies[child - 1]
        point = np.asarray(body.com if joint.kind == "free" else joint.point, dtype=float)
        index, frame = body_at[parent]
        place = frame.placement * pin.SE3(np.eye(3), point - frame.reference)
        if joint.kind == "fixed":
            body_at[child] = (index, Frame(point, place))
        else:
            turned = joint.bodies[0] == child
            index = model.addJoint(index, joint_model(joint, turned), place, f"joint {number}")
            joint_of[number] = index
            if turned:
                backward.add(number)
            body_at[child] = (index, Frame(point, pin.SE3.Identity()))
        R = np.asarray(body.rotation)
        inertia = pin.Inertia(body.mass, body.com - point, R @ body.inertia @ R.T)
        model.appendBodyToJoint(index, inertia, body_at[child][1].placement)
    reordered = np.empty(model.nv, dtype=int)
    for number, index in joint_of.items():
        where = tree.v_of(number)
        start = model.joints[index].idx_v
        own = np.arange(where.start, where.stop)
        if number in backward and model.joints[index].nq == own.size:
            own = own[::-1]
        reordered[start : start + own.size] = own
    return Peer(model, joint_of, body_at, reordered, backward, tree)
