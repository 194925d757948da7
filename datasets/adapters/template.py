"""An adapter to begin with: replace the class Engine, which only falls, by calls of yours.

    touchstone-cli export isotropy --urdf isotropy-urdf
    python3 template.py isotropy-urdf engine.csv
    touchstone-cli judge isotropy engine=engine.csv
"""
import argparse, math
from trajectory import Writer, world


def numbers(row, names):
    return [float(row[name]) for name in names.split()]


class Engine:
    """Free bodies without contacts: semi-implicit Euler, spin about a fixed axis."""

    def __init__(self, bodies, gravity):
        self.bodies, self.gravity = bodies, gravity

    def step(self, h):
        for body in self.bodies:
            body["v"] = [v + h * g for v, g in zip(body["v"], self.gravity)]
            body["x"] = [x + h * v for x, v in zip(body["x"], body["v"])]
            speed = math.hypot(*body["w"])
            if speed > 0:
                a, b = math.cos(0.5 * h * speed), math.sin(0.5 * h * speed) / speed
                body["q"] = product([a] + [b * w for w in body["w"]], body["q"])


def product(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
            a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", help="of touchstone-cli export --urdf")
    options.add_argument("out", help="trajectory file")
    options.add_argument("--time", type=float, help="s; else the duration of the scene")
    options = options.parse_args()
    head, rows = world(options.folder)
    step, gravity = float(head["step"]), [float(g) for g in head["gravity"].split()]
    steps = round((options.time or float(head["duration"])) / step)
    bodies = [dict(name=row["body"], x=numbers(row, "x y z"), q=numbers(row, "qw qx qy qz"),
                   v=numbers(row, "vx vy vz"), w=numbers(row, "wx wy wz"), release=float(row["release_time"]))
              for row in rows if row["motion"] == "dynamic"]
    print("step", step, "gravity", gravity, "iterations: none")  # a number without its settings is no number
    engine, waiting = Engine([], gravity), bodies
    out = Writer(options.out, "template 1", scene=head["scene"], step=step)
    for count in range(steps + 1):
        engine.bodies += [body for body in waiting if body["release"] <= (count + 0.5) * step]
        waiting = [body for body in waiting if body["release"] > (count + 0.5) * step]
        for body in engine.bodies:
            out.row(count * step, body["name"], body["x"], body["q"], body["v"], body["w"])
        engine.step(step)


if __name__ == "__main__":
    main()
