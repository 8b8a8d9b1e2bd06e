#!/usr/bin/env python3
"""Makes scenes/rigs/dancer.gltf and scenes/rigs/dance.bvh: make_rig.py FOLDER

The dancer is a figure of 19 bones and one closed mesh with an animation of 8 s; the BVH file is another motion
of the same bones, in centimetres. Both are made of sines and capsules; the same bytes come out every time.
"""
import base64
import json
import math
import os
import struct
import sys

# ---- bones: name, parent, joint (m, y up, looking along z; left is +x), end of the bone ----------------------

D = math.sqrt(0.5)


def bones():
    table = [
        ("Hips", None, (0, 0.95, 0), (0, 1.07, 0)),
        ("Spine", "Hips", (0, 1.07, 0), (0, 1.25, 0)),
        ("Chest", "Spine", (0, 1.25, 0), (0, 1.47, 0)),
        ("Neck", "Chest", (0, 1.47, 0), (0, 1.56, 0.01)),
        ("Head", "Neck", (0, 1.56, 0.01), (0, 1.75, 0.01)),
    ]
    for side, s in (("Left", 1), ("Right", -1)):
        elbow, wrist, tip = (0.17 + 0.28 * D, 1.42 - 0.28 * D), (0.17 + 0.53 * D, 1.42 - 0.53 * D), 0.70 * D
        table += [
            (side + "Shoulder", "Chest", (s * 0.03, 1.42, 0), (s * 0.17, 1.42, 0)),
            (side + "Arm", side + "Shoulder", (s * 0.17, 1.42, 0), (s * elbow[0], elbow[1], 0)),
            (side + "ForeArm", side + "Arm", (s * elbow[0], elbow[1], 0), (s * wrist[0], wrist[1], 0)),
            (side + "Hand", side + "ForeArm", (s * wrist[0], wrist[1], 0), (s * (0.17 + tip), 1.42 - tip, 0)),
        ]
    for side, s in (("Left", 1), ("Right", -1)):
        table += [
            (side + "UpLeg", "Hips", (s * 0.10, 0.92, 0), (s * 0.10, 0.50, 0)),
            (side + "Leg", side + "UpLeg", (s * 0.10, 0.50, 0), (s * 0.10, 0.09, 0)),
            (side + "Foot", side + "Leg", (s * 0.10, 0.09, 0), (s * 0.10, 0.04, 0.17)),
        ]
    names = [bone[0] for bone in table]
    return [(name, names.index(parent) if parent else -1, joint, end) for name, parent, joint, end in table]


BONES = bones()
INDEX = {bone[0]: i for i, bone in enumerate(BONES)}

# ---- the mesh: where the distance from a few capsules, blended, is 0 -----------------------------------------


def capsules():
    """Two ends and a radius each, m."""
    at = {name: (joint, end) for name, _, joint, end in BONES}
    parts = [
        ((-0.065, 0.94, 0), (0.065, 0.94, 0), 0.105),
        ((0, 0.98, 0), (0, 1.25, 0), 0.105),
        ((-0.09, 1.33, 0), (0.09, 1.33, 0), 0.105),
        (*at["Neck"], 0.055),
        ((0, 1.60, 0.015), (0, 1.655, 0.015), 0.095),
    ]
    for side in ("Left", "Right"):
        parts += [
            (*at[side + "Shoulder"], 0.06),
            (*at[side + "Arm"], 0.052),
            (*at[side + "ForeArm"], 0.042),
            (at[side + "Hand"][0], tuple(0.25 * a + 0.75 * b for a, b in zip(*at[side + "Hand"])), 0.042),
            (*at[side + "UpLeg"], 0.075),
            (*at[side + "Leg"], 0.055),
            ((at[side + "Foot"][0][0], 0.05, -0.03), (at[side + "Foot"][0][0], 0.045, 0.15), 0.045),
        ]
    return parts


CAPSULES = capsules()
CELL = 0.04  # m, of the grid
BLEND = 0.03  # m, over which capsules go over into each other


def segment_distance(p, a, b):
    ab = [b[i] - a[i] for i in range(3)]
    ap = [p[i] - a[i] for i in range(3)]
    square = sum(x * x for x in ab)
    t = max(0.0, min(1.0, sum(x * y for x, y in zip(ap, ab)) / square)) if square > 0 else 0.0
    return math.sqrt(sum((ap[i] - t * ab[i]) ** 2 for i in range(3)))


def prepare(parts):
    """Ends, directions, inverse squares of lengths and radii as plain numbers: the field is asked for often."""
    rows = []
    for a, b, radius in parts:
        d = [b[i] - a[i] for i in range(3)]
        rows.append((*a, *d, 1 / sum(x * x for x in d), radius))
    return rows


PREPARED = prepare(CAPSULES)


def field(p):
    px, py, pz = p
    nearest = 10.0
    for ax, ay, az, dx, dy, dz, inverse, radius in PREPARED:
        x, y, z = px - ax, py - ay, pz - az
        t = (x * dx + y * dy + z * dz) * inverse
        t = 0.0 if t < 0 else 1.0 if t > 1 else t
        x, y, z = x - t * dx, y - t * dy, z - t * dz
        d = math.sqrt(x * x + y * y + z * z) - radius
        apart = abs(nearest - d)
        nearest = min(nearest, d)
        if apart < BLEND:
            nearest -= (BLEND - apart) ** 2 / BLEND * 0.25
    return nearest


def to_surface(p):
    """Down the slope of the field until it is almost 0."""
    for _ in range(2):
        e = 1e-4
        ahead = [field([p[k] + e * (k == i) for k in range(3)]) for i in range(3)]
        behind = [field([p[k] - e * (k == i) for k in range(3)]) for i in range(3)]
        slope = [(a - b) / (2 * e) for a, b in zip(ahead, behind)]
        square = sum(s * s for s in slope)
        if square < 0.1:
            break
        value = field(p)
        p = [p[i] - value * slope[i] / square for i in range(3)]
    return p


def make_mesh():
    """A vertex in each cell of the grid that the surface crosses, two triangles for each edge it crosses."""
    counts = [math.ceil(size / CELL) // 2 * 2 + 1 for size in (1.46, 1.90, 0.52)]
    low = [middle - count * CELL / 2 for middle, count in zip((0, 0.88, 0.04), counts)]
    node = {}
    for i in range(counts[0] + 1):
        for j in range(counts[1] + 1):
            for k in range(counts[2] + 1):
                node[i, j, k] = field([low[0] + i * CELL, low[1] + j * CELL, low[2] + k * CELL])
    vertices, cell_vertex, triangles = [], {}, []

    def vertex_of(cell):
        if cell not in cell_vertex:
            crossings = []
            for axis in range(3):
                for u in (0, 1):
                    for v in (0, 1):
                        a = list(cell)
                        a[(axis + 1) % 3] += u
                        a[(axis + 2) % 3] += v
                        b = list(a)
                        b[axis] += 1
                        fa, fb = node[tuple(a)], node[tuple(b)]
                        if (fa < 0) != (fb < 0):
                            t = fa / (fa - fb)
                            place = [a[n] + (t if n == axis else 0) for n in range(3)]
                            crossings.append([low[n] + place[n] * CELL for n in range(3)])
            middle = [sum(c[n] for c in crossings) / len(crossings) for n in range(3)]
            cell_vertex[cell] = len(vertices)
            vertices.append([round(x, 5) for x in to_surface(middle)])
        return cell_vertex[cell]

    for (i, j, k), value in node.items():
        for axis in range(3):
            other = [i, j, k]
            other[axis] += 1
            if tuple(other) not in node or (value < 0) == (node[tuple(other)] < 0):
                continue
            ring = []
            for u, v in ((0, 0), (-1, 0), (-1, -1), (0, -1)):
                cell = [i, j, k]
                cell[(axis + 1) % 3] += u
                cell[(axis + 2) % 3] += v
                ring.append(vertex_of(tuple(cell)))
            if value > 0:
                ring.reverse()
            triangles += [(ring[0], ring[1], ring[2]), (ring[0], ring[2], ring[3])]
    check_closed(triangles)
    return vertices, triangles


def check_closed(triangles):
    edges = {}
    for t in triangles:
        for n in range(3):
            edge = (t[n], t[(n + 1) % 3])
            if edge in edges:
                raise SystemExit("two triangles run along an edge the same way")
            edges[edge] = True
    if any((b, a) not in edges for a, b in edges):
        raise SystemExit("the mesh is not closed")


# ---- weights -------------------------------------------------------------------------------------------------


def weights_of(p):
    """The nearest bone, its parent and its children; they go over into each other along 4 cm."""
    distances = [segment_distance(p, joint, end) for _, _, joint, end in BONES]
    nearest = min(range(len(BONES)), key=lambda b: distances[b])
    family = [b for b in range(len(BONES))
              if b == nearest or BONES[b][1] == nearest or BONES[nearest][1] == b]
    found = [(math.exp(-((distances[b] - distances[nearest]) / 0.04) ** 2), b) for b in family]
    found = sorted(found, key=lambda f: (-f[0], f[1]))[:4]
    total = sum(w for w, _ in found)
    parts = [round(64 * w / total) for w, _ in found]
    parts[0] += 64 - sum(parts)
    while len(parts) < 4:
        parts.append(0)
        found.append((0, 0))
    # Parts of 64 are exact as floats, and their sum is exactly 1.
    return [b if w > 0 else 0 for (_, b), w in zip(found, parts)], [w / 64 for w in parts]


# ---- rotations: x, y, z, w -----------------------------------------------------------------------------------


def about(axis, degrees):
    half = math.radians(degrees) / 2
    return [a * math.sin(half) for a in axis] + [math.cos(half)]


def after(a, b):
    """First b, then a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def chain(*turns):
    q = [0, 0, 0, 1]
    for turn in turns:
        q = after(q, turn)
    return q


# ---- motions -------------------------------------------------------------------------------------------------


def smooth(t, begin, end):
    """From 0 to 1 between two times."""
    x = max(0.0, min(1.0, (t - begin) / (end - begin)))
    return x * x * (3 - 2 * x)


def bump(t, begin, end):
    """0 outside of two times, 1 between them."""
    return math.sin(math.pi * max(0.0, min(1.0, (t - begin) / (end - begin)))) ** 2


THIGH = 0.42  # m; shins are about as long


def legs(pose, crouch, lifts, roll):
    """Thigh forward, shin back by twice that, foot flat. Answers how far the hips come down, m."""
    for side, lift in (("Left", lifts[0]), ("Right", lifts[1])):
        bend = crouch + lift
        pose[side + "UpLeg"] = chain(about(Z, -roll), about(X, -bend))
        pose[side + "Leg"] = about(X, 2 * bend)
        pose[side + "Foot"] = chain(about(X, -bend), about(Z, 0))
    return 2 * THIGH * (1 - math.cos(math.radians(crouch)))


def arms(pose, raises, swings, elbows):
    for side, s, up, swing, elbow in zip(("Left", "Right"), (1, -1), raises, swings, elbows):
        pose[side + "Shoulder"] = about(Z, s * 0.12 * up)
        pose[side + "Arm"] = chain(about(Z, s * up), about(X, -swing))
        pose[side + "ForeArm"] = about((-D, -s * D, 0), elbow)
        pose[side + "Hand"] = about((-D, -s * D, 0), 0.2 * elbow)


def dance(t):
    """8 s that begin again where they ended: a sway with steps, a turn, a hop."""
    def wave(times, phase=0.0):
        return math.sin(2 * math.pi * (times * t / 8 + phase))

    pose = {}
    hop = max(0.0, min(1.0, (t - 6.6) / 0.6))
    crouch = 14 + 8 * wave(16, 0.25) + 22 * bump(t, 6.1, 6.7) + 16 * bump(t, 7.1, 7.7)
    lifts = [30 * max(0.0, wave(8)) ** 2, 30 * max(0.0, -wave(8)) ** 2]
    roll = 4 * wave(8)
    drop = legs(pose, crouch, lifts, roll)
    arms(pose, [15 + 35 * wave(4), 15 - 35 * wave(4)], [30 * wave(8), -30 * wave(8)],
         [50 + 40 * wave(8, 0.1), 50 - 40 * wave(8, 0.1)])
    pose["Hips"] = chain(about(Y, 360 * smooth(t, 3.8, 5.8) + 10 * wave(4)), about(Z, roll))
    pose["Spine"] = chain(about(Y, -6 * wave(4)), about(Z, -0.8 * roll))
    pose["Chest"] = chain(about(Y, -8 * wave(4)), about(X, 4 * wave(16)))
    pose["Neck"] = about(X, 5 * wave(16, 0.5))
    pose["Head"] = chain(about(Y, 12 * wave(4, 0.3)), about(X, 4 * wave(16, 0.4)))
    place = (0.05 * wave(8), 0.95 - drop + 0.16 * 4 * hop * (1 - hop), 0.03 * wave(4))
    return place, pose


def squats(t):
    """6 s of squats with the arms waving."""
    def wave(times, phase=0.0):
        return math.sin(2 * math.pi * (times * t / 6 + phase))

    pose = {}
    drop = legs(pose, 26 - 24 * wave(3, 0.25), [0, 0], 0)
    arms(pose, [40 + 45 * wave(6), 40 + 45 * wave(6, 0.5)], [20 * wave(3), 20 * wave(3)],
         [35 + 30 * wave(6, 0.2), 35 + 30 * wave(6, 0.7)])
    pose["Hips"] = chain(about(Y, 20 * wave(1)), about(X, 12 - 12 * wave(3, 0.25)))
    pose["Spine"] = chain(about(X, -4), about(Z, 6 * wave(2)))
    pose["Chest"] = about(Y, -14 * wave(2))
    pose["Neck"] = about(X, -5)
    pose["Head"] = about(Y, 18 * wave(2, 0.2))
    return (0.03 * wave(2), 0.95 - drop, 0), pose


RATE = 30  # frames a second


def frames_of(motion, seconds):
    """A loop goes from the last frame on to the first: the first is not there again at the end."""
    return [motion(i / RATE) for i in range(seconds * RATE)]


# ---- glTF ----------------------------------------------------------------------------------------------------


class Buffer:
    """The binary part, with the list of what is where in it."""

    def __init__(self):
        self.data, self.views, self.accessors = bytearray(), [], []

    def add(self, values, kind, component, code, limits=False, target=None):
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        rows = [value if isinstance(value, (list, tuple)) else [value] for value in values]
        packed = b"".join(struct.pack("<%d%s" % (width, code), *row) for row in rows)
        while len(self.data) % 4:
            self.data.append(0)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(packed)}
        if target:
            view["target"] = target
        accessor = {"bufferView": len(self.views), "componentType": component, "count": len(rows), "type": kind}
        if limits:
            # As single floats, as the file has them.
            single = [struct.unpack("<%df" % width, struct.pack("<%df" % width, *row)) for row in rows]
            accessor["min"] = [min(row[i] for row in single) for i in range(width)]
            accessor["max"] = [max(row[i] for row in single) for i in range(width)]
        self.data += packed
        self.views.append(view)
        self.accessors.append(accessor)
        return len(self.accessors) - 1


FLOAT, BYTE, SHORT = 5126, 5121, 5123


def add_animation(buffer):
    frames = frames_of(dance, 8)
    times = buffer.add([i / RATE for i in range(len(frames))], "SCALAR", FLOAT, "f", limits=True)
    samplers, channels = [], []

    def track(node, path, values, kind):
        output = buffer.add(values, kind, FLOAT, "f")
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": times, "interpolation": "LINEAR", "output": output})

    track(INDEX["Hips"], "translation", [[round(x, 5) for x in place] for place, _ in frames], "VEC3")
    for name, node in INDEX.items():
        values, before = [], [0, 0, 0, 1]
        for _, pose in frames:
            q = pose[name]
            if sum(a * b for a, b in zip(q, before)) < 0:
                q = [-a for a in q]
            values.append([round(a, 6) for a in q])
            before = q
        track(node, "rotation", values, "VEC4")
    return {"name": "dance", "samplers": samplers, "channels": channels}


def offset_of(bone):
    _, parent, joint, _ = BONES[bone]
    return [round(joint[i] - (BONES[parent][2][i] if parent >= 0 else 0), 6) for i in range(3)]


def write_gltf(path):
    buffer = Buffer()
    vertices, triangles = make_mesh()
    holds = [weights_of(v) for v in vertices]
    indices = buffer.add([i for t in triangles for i in t], "SCALAR", SHORT, "H", target=34963)
    attributes = {
        "POSITION": buffer.add(vertices, "VEC3", FLOAT, "f", limits=True, target=34962),
        "JOINTS_0": buffer.add([h[0] for h in holds], "VEC4", BYTE, "B", target=34962),
        # Floats: some readers take no others, though bytes are allowed.
        "WEIGHTS_0": buffer.add([h[1] for h in holds], "VEC4", FLOAT, "f", target=34962),
    }
    binds = buffer.add([[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] + [-round(x, 6) for x in joint] + [1]
                        for _, _, joint, _ in BONES], "MAT4", FLOAT, "f")
    animation = add_animation(buffer)
    nodes = []
    for i, (name, _, _, _) in enumerate(BONES):
        children = [b for b in range(len(BONES)) if BONES[b][1] == i]
        node = {"name": name, "translation": offset_of(i)}
        if children:
            node["children"] = children
        nodes.append(node)
    nodes.append({"name": "Body", "mesh": 0, "skin": 0})
    data = base64.b64encode(bytes(buffer.data)).decode("ascii")
    gltf = {
        "asset": {"version": "2.0", "generator": "Mote make_rig.py"},
        "scene": 0,
        "scenes": [{"nodes": [0, len(BONES)]}],
        "nodes": nodes,
        "meshes": [{"name": "Body", "primitives": [{"attributes": attributes, "indices": indices}]}],
        "skins": [{"joints": list(range(len(BONES))), "skeleton": 0, "inverseBindMatrices": binds}],
        "animations": [animation],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.data), "uri": "data:application/octet-stream;base64," + data}],
    }
    with open(path, "w", encoding="ascii", newline="\n") as file:
        json.dump(gltf, file, separators=(",", ":"))
        file.write("\n")


# ---- BVH -----------------------------------------------------------------------------------------------------


def euler_zxy(q):
    """Degrees about z, x, y: the rotation is Rz Rx Ry."""
    x, y, z, w = q
    sine = max(-1.0, min(1.0, 2 * (y * z + w * x)))
    about_z = math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))
    about_y = math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y))
    return [math.degrees(a) for a in (about_z, math.asin(sine), about_y)]


def number(x):
    text = ("%.2f" % x).rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def write_bone(out, bone, depth):
    name, parent, joint, end = BONES[bone]
    pad = "\t" * depth
    children = [b for b in range(len(BONES)) if BONES[b][1] == bone]
    offset = [100 * x for x in offset_of(bone)] if parent >= 0 else [0, 0, 0]
    out.append("%s%s %s" % (pad, "ROOT" if parent < 0 else "JOINT", name))
    out.append(pad + "{")
    out.append("%s\tOFFSET %s" % (pad, " ".join(number(x) for x in offset)))
    place = "6 Xposition Yposition Zposition" if parent < 0 else "3"
    out.append("%s\tCHANNELS %s Zrotation Xrotation Yrotation" % (pad, place))
    for child in children:
        write_bone(out, child, depth + 1)
    if not children:
        out.append(pad + "\tEnd Site")
        out.append(pad + "\t{")
        out.append("%s\t\tOFFSET %s" % (pad, " ".join(number(100 * (end[i] - joint[i])) for i in range(3))))
        out.append(pad + "\t}")
    out.append(pad + "}")


def write_bvh(path):
    out = ["HIERARCHY"]
    write_bone(out, 0, 0)
    frames = frames_of(squats, 6)
    out += ["MOTION", "Frames: %d" % len(frames), "Frame Time: %.6f" % (1 / RATE)]
    order = []

    def visit(bone):
        order.append(bone)
        for b in range(len(BONES)):
            if BONES[b][1] == bone:
                visit(b)

    visit(0)
    for place, pose in frames:
        values = [100 * x for x in place]
        for bone in order:
            values += euler_zxy(pose[BONES[bone][0]])
        out.append(" ".join(number(v) for v in values))
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.write("\n".join(out) + "\n")


def main():
    if len(sys.argv) != 2:
        raise SystemExit("make_rig.py FOLDER: writes dancer.gltf and dance.bvh into the folder")
    write_gltf(os.path.join(sys.argv[1], "dancer.gltf"))
    write_bvh(os.path.join(sys.argv[1], "dance.bvh"))


if __name__ == "__main__":
    main()
