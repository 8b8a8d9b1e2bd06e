#!/usr/bin/env python3
"""Draws docs/images/column-residual.svg: plot_column_residual.py MOTE PICTURE.svg

Twenty grains stand on each other and start to fall. MOTE is the command that is built; for every solver and number of
passes it simulates a substep of 1/240 s from there. How much momentum the column has after it says which part of its
weight the floor does not bear yet. The default remembers what contacts bore, so its passes are those of one substep
after the other, and what counts is how much momentum the last one added.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 560, 360
LEFT, TOP = 80, 30
PASSES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]
LOW, HIGH = -5, 0  # powers of ten
DT = 1 / 240
RADIUS, GRAINS = 0.05, 20
MOMENTUM = GRAINS * 1000 * 4 / 3 * math.pi * RADIUS**3 * 9.81 * DT
SCENE = {
    "mote": 1,
    "dt": DT,
    "frames": 1,
    "world": {"radius": RADIUS},
    "solver": {"substeps": 1, "iterations": 1, "stabilization": 0},
    "shapes": [{"name": "floor", "type": "plane"}],
    "grains": [{"name": "column", "count": [1, GRAINS, 1]}],
}
CURVES = [
    ("averaged Jacobi, 1/n", "#c0392b", ["solver.solver=jacobi", "solver.relaxation=1"]),
    ("Gauss-Seidel, ω = 1", "#8ab6d6", ["solver.solver=colored", "solver.relaxation=1"]),
    ("SOR, ω = 1.5", "#4a8ab5", ["solver.solver=colored", "solver.relaxation=1.5"]),
    ("SOR, ω = 1.9", "#1f5f8b", ["solver.solver=colored", "solver.relaxation=1.9"]),
    ("default: one pass a substep, warm-started", "#2e8b57", None),
]


def momentum(mote, folder, frames, settings):
    """Of the column, upwards, in those that its weight gives it in a substep."""
    scene, stats = os.path.join(folder, "column.json"), os.path.join(folder, "stats.json")
    with open(scene, "w", encoding="utf-8") as file:
        json.dump(SCENE, file)
    command = [mote, "run", scene, "--threads", "1", "--frames", str(frames), "--stats", stats]
    command += [part for setting in settings for part in ("--set", setting)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(stats, encoding="utf-8") as file:
        return json.load(file)["momentum"][1] / MOMENTUM


def residual(mote, folder, passes, settings):
    """The part of the weight that the floor does not bear after so many passes."""
    if settings is not None:
        return abs(momentum(mote, folder, 1, settings + [f"solver.iterations={passes}"]))
    before = momentum(mote, folder, passes - 1, []) if passes > 1 else 0
    return abs(momentum(mote, folder, passes, []) - before)


def place(passes, value):
    x = LEFT + WIDTH * math.log(passes) / math.log(PASSES[-1])
    power = max(LOW, min(HIGH, math.log10(max(value, 1e-30))))
    return x, TOP + HEIGHT * (HIGH - power) / (HIGH - LOW)


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{words}</text>'


def frame():
    out = [f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>']
    for passes in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        x, y = place(passes, 10**LOW)
        out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{y + 5:.1f}" stroke="#888"/>')
        out.append(text(x, y + 19, passes))
    for power in range(LOW, HIGH + 1):
        x, y = place(1, 10**power)
        out.append(f'<line x1="{x - 5:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{y:.1f}" stroke="#888"/>')
        out.append(text(x - 9, y + 4, f"1e{power}" if power else "1", "end"))
    out.append(text(LEFT + WIDTH / 2, TOP + HEIGHT + 42, "passes over all contacts"))
    x, y = LEFT - 56, TOP + HEIGHT / 2
    out.append(text(x, y, "part of the weight that the floor does not bear", extra=f' transform="rotate(-90 {x} {y})"'))
    return out


def main():
    mote, picture = sys.argv[1:]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{TOP + HEIGHT + 60}" '
        'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>'
    ] + frame()
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, ink, settings) in enumerate(CURVES):
            values = [(n, residual(mote, folder, n, settings)) for n in PASSES]
            print(name, ", ".join(f"{n}: {value:.2g}" for n, value in values))
            path = " ".join("%.1f,%.1f" % place(*value) for value in values)
            out.append(f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="2"/>')
            y = TOP + HEIGHT - 16 - 18 * (len(CURVES) - 1 - number)
            out.append(f'<line x1="{LEFT + 14}" y1="{y - 4}" x2="{LEFT + 40}" y2="{y - 4}" stroke="{ink}" stroke-width="2"/>')
            out.append(text(LEFT + 48, y, name, "start"))
    with open(picture, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


main()
