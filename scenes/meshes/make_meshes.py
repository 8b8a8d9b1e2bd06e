#!/usr/bin/env python3
"""Makes the mesh files of the shipped scenes: python3 scenes/meshes/make_meshes.py. The files are kept in the
repository, so that a build needs no Python."""

import math
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))


def write(name, about, vertices, faces):
    """An OBJ file; faces are polygons, counter-clockwise seen from outside, counted from 0."""
    with open(os.path.join(FOLDER, name), "w", encoding="ascii", newline="\n") as file:
        file.write(f"# {about} Made by make_meshes.py.\n")
        for x, y, z in vertices:
            file.write(f"v {x:.6g} {y:.6g} {z:.6g}\n")
        for face in faces:
            file.write("f " + " ".join(str(corner + 1) for corner in face) + "\n")


def turned(profile, count, closed):
    """The surface that a profile of (radius, height) makes when it is turned about y. The profile runs so that the
    outside is on its right."""
    vertices = []
    for i in range(count):
        angle = 2 * math.pi * i / count
        for radius, height in profile:
            vertices.append((radius * math.cos(angle), height, -radius * math.sin(angle)))
    faces = []
    length = len(profile)
    for i in range(count):
        for k in range(length if closed else length - 1):
            a, b = i * length + k, i * length + (k + 1) % length
            c, d = (i + 1) % count * length + (k + 1) % length, (i + 1) % count * length + k
            faces.append((a, d, c))
            faces.append((a, c, b))
    return vertices, faces


def circle(x, y, radius, count):
    return [(x + radius * math.cos(2 * math.pi * i / count), y + radius * math.sin(2 * math.pi * i / count))
            for i in range(count)]


def torus():
    vertices, faces = turned(circle(0.5, 0.0, 0.2, 16), 32, True)
    write("torus.obj", "A torus about y, radii 0.5 and 0.2; closed.", vertices, faces)


def funnel():
    profile = [(0.12, -0.3), (0.12, 0.0), (0.9, 0.8)]
    vertices, faces = turned(profile, 48, False)
    write("funnel.obj", "A funnel about y: a spout of radius 0.12 and a cone of 45 degrees; open.", vertices, faces)


def drum():
    """The mantle of a drum about z with six blades inside; its ends are open."""
    count, radius, half, blade = 48, 0.8, 0.32, 0.2
    rim = [(radius * math.cos(2 * math.pi * i / count), radius * math.sin(2 * math.pi * i / count))
           for i in range(count)]
    vertices = [(x, y, z) for z in (-half, half) for x, y in rim]
    faces = []
    for i in range(count):
        k = (i + 1) % count
        faces += [(i, k, count + k), (i, count + k, count + i)]
    for i in range(0, count, count // 6):
        x, y = rim[i]
        inner = 1 - blade / radius
        first = len(vertices)
        vertices += [(x, y, -half), (x * inner, y * inner, -half), (x * inner, y * inner, half), (x, y, half)]
        faces += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    write("drum.obj", "The mantle of a drum about z, radius 0.8, 0.64 long, with six blades inside; open.", vertices, faces)


def bowl():
    """A shallow dish with a thick wall; closed."""
    inner = [(0.02 + 0.6 * math.sin(a), 0.35 - 0.3 * math.cos(a)) for a in
             [math.pi / 2 * i / 8 for i in range(9)]]
    outer = [(0.02 + 0.68 * math.sin(a), 0.35 - 0.35 * math.cos(a)) for a in
             [math.pi / 2 * i / 8 for i in range(9)]]
    profile = outer + inner[::-1]
    vertices, faces = turned(profile, 40, True)
    write("bowl.obj", "A dish about y, 0.6 wide inside, with a thick wall; closed but for a small hole below.", vertices,
          faces)


torus()
funnel()
drum()
bowl()
