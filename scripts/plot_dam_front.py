#!/usr/bin/env python3
"""Draws docs/images/dam-front.svg: plot_dam_front.py CURVES.csv PICTURE.svg

The curves come from the test that judges them: build/tests/test_dam_front CURVES.csv. Columns of the file are
`what` ("measured", or how many particles wide the column was), `aspect` (height over width), T and Z.
"""
import csv
import sys

WIDTH, HEIGHT = 380, 300  # of a panel, px
LEFT, TOP, GAP = 60, 40, 70
T_END, Z_END = 3.5, 6
INK = {"measured": "#c0392b", "coarse": "#8ab6d6", "fine": "#1f5f8b"}


def read(path):
    """{aspect: {what: [(T, Z), ...]}}"""
    table = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            panel = table.setdefault(int(row["aspect"]), {})
            panel.setdefault(row["what"], []).append((float(row["T"]), float(row["Z"])))
    return table


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{words}</text>'


class Panel:
    """One diagram, with its lower left corner at T = 0, Z = 1."""

    def __init__(self, left):
        self.left = left

    def place(self, time, front):
        return self.left + WIDTH * time / T_END, TOP + HEIGHT * (Z_END - front) / (Z_END - 1)

    def line(self, points, style):
        path = " ".join("%.1f,%.1f" % self.place(*point) for point in points)
        return f'<polyline points="{path}" fill="none" {style}/>'

    def frame(self, title):
        out = [f'<rect x="{self.left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>']
        for k in range(8):
            x, y = self.place(0.5 * k, 1)
            out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{y + 5:.1f}" stroke="#888"/>')
            out.append(text(x, y + 19, f"{0.5 * k:g}"))
        for k in range(1, 7):
            x, y = self.place(0, k)
            out.append(f'<line x1="{x - 5:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{y:.1f}" stroke="#888"/>')
            out.append(text(x - 9, y + 4, k, "end"))
        out.append(text(self.left + WIDTH / 2, TOP - 14, title, extra=' font-weight="bold"'))
        out.append(text(self.left + WIDTH / 2, TOP + HEIGHT + 40, "T = t √(n² g / a)"))
        x, y = self.left - 36, TOP + HEIGHT / 2
        out.append(text(x, y, "Z = x / a", extra=f' transform="rotate(-90 {x:.1f} {y:.1f})"'))
        return out


def draw(panel, aspect, series):
    widths = sorted((int(what) for what in series if what != "measured"))
    out = panel.frame(f"n² = {aspect}: a column {aspect} a high" if aspect > 1 else "n² = 1: a square column")
    measured = series["measured"]
    for part in (0.85, 1.15):
        out.append(panel.line([(t, max(1, part * z)) for t, z in measured if part * z <= Z_END],
                              'stroke="#c0392b" stroke-dasharray="3 4" opacity="0.6"'))
    for across, ink in zip(widths, (INK["coarse"], INK["fine"])):
        out.append(panel.line(series[str(across)], f'stroke="{ink}" stroke-width="2"'))
    for point in measured:
        x, y = panel.place(*point)
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="white" stroke="{INK["measured"]}" '
                   'stroke-width="1.6"/>')
    return out + legend(panel, widths)


def legend(panel, widths):
    x, y = panel.left + 14, TOP + 20
    out = [f'<circle cx="{x + 12}" cy="{y - 4}" r="3.4" fill="white" stroke="{INK["measured"]}" stroke-width="1.6"/>',
           text(x + 32, y, "measured (Martin and Moyce 1952)", "start")]
    entries = [(INK["measured"], "within 15 % of it", 'stroke-dasharray="3 4" opacity="0.6"')]
    entries += [(ink, f"Mote, {across} particles wide", 'stroke-width="2"')
                for across, ink in zip(widths, (INK["coarse"], INK["fine"]))]
    for k, (ink, words, style) in enumerate(entries, 1):
        out.append(f'<line x1="{x}" y1="{y + 18 * k - 4}" x2="{x + 24}" y2="{y + 18 * k - 4}" stroke="{ink}" {style}/>')
        out.append(text(x + 32, y + 18 * k, words, "start"))
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    table = read(sys.argv[1])
    width = LEFT + len(table) * (WIDTH + GAP) - GAP + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 55}" width="{width}" '
           'font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>']
    for k, (aspect, series) in enumerate(sorted(table.items(), reverse=True)):
        out += draw(Panel(LEFT + k * (WIDTH + GAP)), aspect, series)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
