"""Compares exports with a dump of the same particles: check_exports.py FOLDER.

FOLDER has dump.txt and the folders vtk, ply, csv and obj, as `test_export --write FOLDER` makes them.
"""
import csv
import os
import struct
import sys
import xml.etree.ElementTree

import vtk

FLOATS = ("x", "y", "z", "vx", "vy", "vz", "mass", "radius", "spin_x", "spin_y", "spin_z")
failures = 0


def check(condition, text):
    global failures
    if not condition:
        failures += 1
        if failures <= 20:
            print("FAILED:", text)


def bits(number):
    """The 32 bits of a float; it must be one exactly."""
    packed = struct.pack("<f", number)
    check(struct.unpack("<f", packed)[0] == number, f"{number!r} is not a 32-bit float")
    return packed


def compare(what, found, expected):
    """Two lists of rows, each a dict."""
    check(len(found) == len(expected), f"{what}: {len(found)} rows, expected {len(expected)}")
    for place, (row, wanted) in enumerate(zip(found, expected)):
        for key, value in row.items():
            same = bits(value) == bits(wanted[key]) if key in FLOATS else value == wanted[key]
            check(same, f"{what}, row {place}, {key}: {value!r}, expected {wanted[key]!r}")


def read_dump(path):
    """A list of (frame, time, rows)."""
    frames = []
    with open(path) as lines:
        for words in map(str.split, lines):
            if words[0] == "frame":
                frames.append((int(words[1]), float.fromhex(words[2]), []))
                continue
            row = {"id": int(words[0]), "phase": int(words[9]), "material": int(words[10])}
            row.update(zip(FLOATS, map(float.fromhex, words[1:9] + words[11:14])))
            frames[-1][2].append(row)
    return frames


def read_vtp(path, time):
    faults = []
    reader = vtk.vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: faults.append(path))
    check(reader.CanReadFile(path), f"{path}: VTK cannot read it")
    reader.SetFileName(path)
    reader.Update()
    check(not faults, f"{path}: VTK complains about it")
    data = reader.GetOutput()
    count = data.GetNumberOfPoints()
    cells = data.GetNumberOfVerts()
    check(cells == count, f"{path}: {cells} vertex cells for {count} points")
    for i in range(count):
        cell = data.GetCell(i)
        check(cell.GetNumberOfPoints() == 1 and cell.GetPointId(0) == i, f"{path}: cell {i} is not point {i}")
    arrays = data.GetPointData()
    times = data.GetFieldData().GetArray("TimeValue")
    check(times is not None and times.GetValue(0) == time, f"{path}: its time is not {time}")
    types = {"id": vtk.VTK_TYPE_INT64, "velocity": vtk.VTK_FLOAT, "mass": vtk.VTK_FLOAT,
             "radius": vtk.VTK_FLOAT, "spin": vtk.VTK_FLOAT, "phase": vtk.VTK_TYPE_UINT32, "material": vtk.VTK_TYPE_UINT32}
    check(arrays.GetNumberOfArrays() == len(types), f"{path}: {arrays.GetNumberOfArrays()} arrays")
    for name, kind in types.items():
        array = arrays.GetArray(name)
        check(array is not None, f"{path}: no array {name}")
        check(array.GetNumberOfTuples() == count, f"{path}: {name} has {array.GetNumberOfTuples()} tuples")
        # VTK calls a 64-bit integer by either of two names.
        check(array.GetDataType() == kind or array.GetDataTypeSize() == 8 and name == "id",
              f"{path}: {name} is {array.GetDataTypeAsString()}")
    points = data.GetPoints()
    check(points is None or points.GetDataType() == vtk.VTK_FLOAT, f"{path}: type of points")
    rows = []
    for i in range(count):
        row = {name: int(arrays.GetArray(name).GetTuple1(i)) for name in ("id", "phase", "material")}
        row.update({name: arrays.GetArray(name).GetTuple1(i) for name in ("mass", "radius")})
        row.update(zip(("x", "y", "z"), data.GetPoint(i)))
        row.update(zip(("vx", "vy", "vz"), arrays.GetArray("velocity").GetTuple3(i)))
        row.update(zip(("spin_x", "spin_y", "spin_z"), arrays.GetArray("spin").GetTuple3(i)))
        rows.append(row)
    return rows


def read_series(folder):
    """What frames.pvd lists: pairs of file and time."""
    root = xml.etree.ElementTree.parse(os.path.join(folder, "frames.pvd")).getroot()
    check(root.get("type") == "Collection", "frames.pvd is not a collection")
    return [(item.get("file"), float(item.get("timestep"))) for item in root.iter("DataSet")]


def read_ply_points(path):
    """As VTK sees them: only places."""
    reader = vtk.vtkPLYReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    return [dict(zip(("x", "y", "z"), data.GetPoint(i))) for i in range(data.GetNumberOfPoints())]


def read_ply(path):
    """As its header says."""
    letters = {"float": "f", "uint": "I"}
    with open(path, "rb") as file:
        check(file.readline() == b"ply\n", f"{path}: not a PLY file")
        check(file.readline() == b"format binary_little_endian 1.0\n", f"{path}: format")
        names, layout, count = [], "<", 0
        for words in iter(lambda: file.readline().decode().split(), ["end_header"]):
            if words[0] == "element":
                check(words[1] == "vertex", f"{path}: element {words[1]}")
                count = int(words[2])
            elif words[0] == "property":
                layout += letters[words[1]]
                names.append(words[2])
        check(sorted(names) == sorted(FLOATS + ("id", "phase", "material")), f"{path}: properties {names}")
        records = file.read()
    check(len(records) == count * struct.calcsize(layout), f"{path}: {len(records)} bytes of {count} records")
    return [dict(zip(names, record)) for record in struct.iter_unpack(layout, records)]


def read_csv(path):
    with open(path, newline="") as file:
        return [{key: float(value) if key in FLOATS else int(value) for key, value in row.items()}
                for row in csv.DictReader(file)]


def read_obj(path):
    """Places of the points, in the order of the `p` lines: each vertex must be one of them once."""
    vertices, points = [], []
    with open(path) as lines:
        for words in map(str.split, lines):
            if words[0] == "v":
                vertices.append([struct.unpack("<f", struct.pack("<f", float(word)))[0] for word in words[1:]])
            elif words[0] == "p":
                points += [int(word) for word in words[1:]]
            else:
                check(words[0] == "#" or words == ["o", "loose"], f"{path}: {' '.join(words)}")
    check(sorted(points) == list(range(1, len(vertices) + 1)), f"{path}: points and vertices are not the same")
    return [dict(zip(("x", "y", "z"), vertices[point - 1])) for point in points]


def read_obj_points(path):
    """As VTK sees them."""
    reader = vtk.vtkOBJReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    check(data.GetVerts().GetNumberOfConnectivityIds() == data.GetNumberOfPoints(), f"{path}: points in VTK")
    return [dict(zip(("x", "y", "z"), data.GetPoint(i))) for i in range(data.GetNumberOfPoints())]


def rounded(rows):
    """Decimal digits stand for the nearest float."""
    for row in rows:
        for key in FLOATS:
            row[key] = struct.unpack("<f", struct.pack("<f", row[key]))[0]
    return rows


def main(top):
    frames = read_dump(os.path.join(top, "dump.txt"))
    check([len(rows) > 1 for _, _, rows in frames[:3]] == [True] * 3 and len(frames[3][2]) == 1
          and len(frames[4][2]) == 0, "the dump has not the frames that it should")
    expected = [(f"frame_{frame:05}.vtp", time) for frame, time, _ in frames]
    check(read_series(os.path.join(top, "vtk")) == expected, "frames.pvd does not list the frames")
    for frame, time, rows in frames:
        name = f"frame_{frame:05}"
        check([row["id"] for row in rows] == sorted(row["id"] for row in rows), "the dump is not sorted")
        compare(f"{name}.vtp", read_vtp(os.path.join(top, "vtk", name + ".vtp"), time), rows)
        compare(f"{name}.ply", read_ply(os.path.join(top, "ply", name + ".ply")), rows)
        if rows:  # VTK's reader wants at least one point
            compare(f"{name}.ply (VTK)", read_ply_points(os.path.join(top, "ply", name + ".ply")), rows)
        compare(f"{name}.obj", read_obj(os.path.join(top, "obj", name + ".obj")), rows)
        if rows:
            compare(f"{name}.obj (VTK)", read_obj_points(os.path.join(top, "obj", name + ".obj")), rows)
        compare(f"{name}.csv", rounded(read_csv(os.path.join(top, "csv", name + ".csv"))), rows)
    print(f"{len(frames)} frames, {sum(len(rows) for _, _, rows in frames)} particles, {failures} faults")
    return failures > 0


sys.exit(main(sys.argv[1]))
