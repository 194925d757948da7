"""The runs of a kit for an engine of your own. Fill in simulate(), then

    python3 engine.py OUT                      # or only some: python3 engine.py OUT isotropy order
    touchstone-cli conform --check OUT
    touchstone-cli conform --trajectory mine=OUT --out CARD

Or leave this file as it is, and write `from engine import main` and `main(simulate, "mine 1")` in a file beside it.
"""
import json, os, sys


def simulate(run):
    """The motion of one run, as an iterator of (t, rows): at t = 0, and at the end of every step until run["time"].

    rows are (name, x, q, v, w) of every dynamic body: centre of mass [m], quaternion (w, x, y, z) of the axes of its
    shape, velocity of the centre of mass [m/s] and angular velocity [rad/s], all in world axes, y up.
    A third item holds the contacts of that step: (a, b, point, normal from a into b, normal impulse, friction on b).
    None: the engine cannot run it. run["bodies"] are the bodies; run["urdf"] and run["mjcf"] files of the same. What a
    form cannot hold is None, and run["not_exported"] says why."""
    return None


def rotated(q, v):
    """The vector v, turned by the quaternion q = (w, x, y, z)."""
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross(u, v)]
    return [a + w * b + c for a, b, c in zip(v, t, cross(u, t))]


def corners(body):
    """Corners of the boxes, hulls and polygons of a body, from its position, along the world's axes at the start."""
    points = []
    for solid in body["solids"]:
        points += solid.get("points", [])
        if solid["type"] == "box":
            x, y, z = solid["half_size"]
            points += [[c + s for c, s in zip(solid["centre"], (sx * x, sy * y, sz * z))]
                       for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]
    return [rotated(body["orientation"], point) for point in points]


def runs(names=()):
    """The runs of kit.json with their bodies; the paths of their files begin at the folder of the kit."""
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "kit.json"), encoding="utf-8") as file:
        kit = json.load(file)
    for run in kit["runs"]:
        if names and run["phenomenon"] not in names:
            continue
        for key in ("scene", "mjcf", "urdf"):
            run[key] = run[key] and os.path.join(folder, run[key])
        if run["bodies"]:
            with open(os.path.join(folder, run["bodies"]), encoding="utf-8") as file:
                run.update(json.load(file))
        yield run


class Table:
    """A file of rows that begins with lines of a header; it is made with its first row."""

    def __init__(self, path, header, columns):
        self.path, self.file = path, None
        self.head = "".join("# %s: %s\n" % item for item in header.items()) + columns + "\n"

    def row(self, t, names, *parts):
        if self.file is None:
            self.file = open(self.path, "w", encoding="utf-8", newline="\n")
            self.file.write(self.head)
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        numbers = [repr(float(c)) for part in parts for c in part]
        self.file.write(",".join([repr(float(t))] + quoted + numbers) + "\n")

    def close(self):
        if self.file is not None:
            self.file.close()


def write(folder, run, samples, header):
    """Writes a trajectory, and the contacts if there are any."""
    known = {"scene": run["scene_name"], "scene_sha256": run["scene_sha256"], "engine": header["engine"]}
    motion = Table(os.path.join(folder, run["trajectory"]), {"touchstone_trajectory": 1, **known, **header},
                   "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz")
    touch = Table(os.path.join(folder, run["trajectory"][:-4] + ".contacts.csv"),
                  {"touchstone_contacts": 1, **known, "kind": "impulse"},
                  "time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz")
    for t, rows, *contacts in samples:
        for name, x, q, v, w in rows:
            motion.row(t, [name], x, q, v, w)
        for a, b, point, normal, jn, friction in contacts[0] if contacts else []:
            touch.row(t, [a, b], point, normal, [jn], friction)
    motion.close()
    touch.close()


def main(simulate, engine="mine 1", step=None, integrator="", model="", precision="double"):
    """Runs what the arguments ask for. step: one of your engine [s]; else that of the run. integrator and model:
    what the engine declares, for example "semi-implicit-euler" and "cone, plastic"; empty: nothing."""
    if len(sys.argv) < 2:
        sys.exit("give the folder for the trajectories: python3 %s OUT" % sys.argv[0])
    os.makedirs(sys.argv[1], exist_ok=True)
    left = 0
    for run in runs(sys.argv[2:]):
        samples = simulate(run)
        if samples is None:
            left += 1
            continue
        header = {"engine": engine, "step": repr(step or run.get("step", run["dt"])), "integrator": integrator,
                  "model": model, "precision": precision}
        write(sys.argv[1], run, samples, {key: value for key, value in header.items() if value})
        print(run["phenomenon"], run["run"], "->", run["trajectory"])
    if left:
        print(left, "runs are left out: simulate() gives nothing for them")


if __name__ == "__main__":
    main(simulate)
