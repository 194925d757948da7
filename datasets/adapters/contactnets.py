"""Tosses of the ContactNets data set (a real cube, tosses_processed/N.pt) as trajectory and scene.

    python3 contactnets.py 12.pt toss-12
    touchstone-cli judge toss-12.json cube=toss-12.csv --methods cpf,lcp-pgs

Rows of the data: position, quaternion (w first), velocity, angular velocity along the body's axes, six zeros;
z up, lengths in half widths of the cube, 148 frames a second. Velocities are backward differences: half a frame
old. A text file with such rows, comma-separated, is read as well; .pt needs the Python package torch.
"""
import argparse, json, os
from trajectory import Writer

HALF, RATE = 0.0524, 148  # m, 1/s
MASS, INERTIA, FRICTION = 0.37, 0.00081, 0.18  # kg, kg m², 1: as published with the data


def rows_of(path):
    if path.endswith(".pt"):
        import torch
        return torch.load(path).tolist()
    with open(path, encoding="utf-8") as file:
        return [[float(cell) for cell in line.split(",")] for line in file if line.strip()]


def up(v):
    """z up to y up."""
    return [v[0], v[2], -v[1]]


def turned(q, v):
    """v along the world's axes."""
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross(u, v)]
    return [a + w * b + c for a, b, c in zip(v, t, cross(u, t))]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("toss", help="N.pt, or its rows as text")
    options.add_argument("out", help="writes OUT.csv and OUT.json")
    options = options.parse_args()
    tosses = rows_of(options.toss)
    name = os.path.basename(options.out)
    out = Writer(options.out + ".csv", "camera", scene=name, up="z", omega="body", step=1 / RATE)
    for frame, row in enumerate(tosses):
        out.row(frame / RATE, "cube", [HALF * c for c in row[:3]], row[3:7], [HALF * c for c in row[7:10]],
                row[10:13])
    first = tosses[0]
    cube = {"name": "cube", "material": "acrylic", "mass": MASS, "inertia": [INERTIA] * 3,
            "position": up([HALF * c for c in first[:3]]), "orientation": [first[3]] + up(first[4:7]),
            "velocity": up([HALF * c for c in first[7:10]]),
            "angular_velocity": up(turned(first[3:7], first[10:13])),
            "shape": {"type": "box", "size": [2 * HALF] * 3}}
    table = {"name": "table", "motion": "static", "material": "acrylic", "shape": {"type": "plane"}}
    scene = {"touchstone": 1, "name": name, "title": "A recorded toss of a cube", "dt": 1 / RATE,
             "duration": (len(tosses) - 1) / RATE, "methods": ["cpf", "lcp"],
             "materials": [{"name": "acrylic", "friction": FRICTION}], "bodies": [table, cube]}
    with open(options.out + ".json", "w", encoding="utf-8") as file:
        json.dump(scene, file, indent=1)


if __name__ == "__main__":
    main()
