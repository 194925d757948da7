"""Runs a scene in Bullet (Python package pybullet) and writes its trajectory and contacts.

    touchstone-cli export isotropy --urdf isotropy-urdf
    python3 pybullet_run.py isotropy-urdf bullet.csv
    touchstone-cli judge isotropy bullet=bullet.csv --contacts bullet=bullet-contacts.csv
"""
import argparse, csv, os
import pybullet as p
from trajectory import Writer, world


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", help="of touchstone-cli export --urdf")
    options.add_argument("out", help="trajectory file; contacts go to OUT-contacts.csv")
    options.add_argument("--time", type=float, help="s; else the duration of the scene")
    options.add_argument("--iterations", type=int, default=50, help="of the solver")
    options = options.parse_args()
    head, rows = world(options.folder)
    rows.sort(key=lambda row: float(row["release_time"]))
    step, gravity = float(head["step"]), [float(g) for g in head["gravity"].split()]
    print("step", step, "gravity", gravity, "iterations", options.iterations)
    p.connect(p.DIRECT)
    p.setGravity(*gravity)
    p.setPhysicsEngineParameter(fixedTimeStep=step, numSubSteps=1, numSolverIterations=options.iterations)
    names, moving, apart = {}, [], []
    if os.path.exists(os.path.join(options.folder, "no_contact.csv")):
        apart = list(csv.reader(open(os.path.join(options.folder, "no_contact.csv"))))[2:]

    def load(row):
        x, v, w = ([float(row[a + c]) for c in "xyz"] for a in ("", "v", "w"))
        q = [float(row["q" + c]) for c in "xyzw"]  # this engine has w last
        body = p.loadURDF(os.path.join(options.folder, row["file"]), x, q, flags=p.URDF_USE_INERTIA_FROM_FILE,
                          useFixedBase=row["motion"] == "static")
        p.changeDynamics(body, -1, lateralFriction=float(row["root_friction"]), restitution=0,
                         linearDamping=0, angularDamping=0)  # coefficients of a pair are multiplied: √μ √μ
        names[body] = row["body"]
        if row["motion"] == "dynamic":
            p.resetBaseVelocity(body, v, w)
            moving.append((body, p.invertTransform(*p.getDynamicsInfo(body, -1)[3:5])))
        ids = {name: body for body, name in names.items()}
        for a, b in apart:
            if row["body"] in (a, b) and a in ids and b in ids:
                p.setCollisionFilterPair(ids[a], ids[b], -1, -1, 0)

    out = Writer(options.out, "bullet %d (si%d)" % (p.getAPIVersion(), options.iterations), step=step)
    for count in range(round((options.time or float(head["duration"])) / step) + 1):
        t = count * step
        for c in p.getContactPoints() if count else []:  # of c: normal on b towards a, friction on a
            out.contact(t, names[c[1]], names[c[2]], c[5], [-n for n in c[7]], step * c[9],
                        [-step * (c[10] * s + c[12] * u) for s, u in zip(c[11], c[13])])
        while rows and float(rows[0]["release_time"]) <= t + 0.5 * step:
            load(rows.pop(0))
        for body, back in moving:  # its pose is that of the inertial frame, along principal axes
            x, q = p.multiplyTransforms(*p.getBasePositionAndOrientation(body), *back)
            out.row(t, names[body], x, [q[3], *q[:3]], *p.getBaseVelocity(body))
        p.stepSimulation()


if __name__ == "__main__":
    main()
