"""Trajectory and contact files that touchstone-cli judge reads, and the world.csv of export --urdf."""
import csv, os


class Writer:
    """A trajectory: x [m], q (w, x, y, z), v [m/s], w [rad/s] of every body, times ascending, row 0 the start.
    frame: com or origin; header: for example up="z", omega="body", length="mm", step=0.002."""

    def __init__(self, path, engine, frame="com", **header):
        self.path, self.engine, self.contacts = path, engine, None
        self.rows = self.begin(path, "touchstone_trajectory", dict(frame=frame, **header),
                               "time body x y z qw qx qy qz vx vy vz wx wy wz")

    def begin(self, path, form, header, columns):
        file = open(path, "w", newline="", encoding="utf-8")
        for key, value in {form: 1, "engine": self.engine, **header}.items():
            file.write("# %s: %s\n" % (key, value))
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns.split())
        return rows

    def row(self, t, name, x, q, v, w):
        self.rows.writerow([repr(float(t)), name] + [repr(float(c)) for part in (x, q, v, w) for c in part])

    def contact(self, t, a, b, point, normal, jn, friction, **header):
        """Impulses [N s] of the step that ends at t; the normal points from a into b, friction acts on b."""
        if self.contacts is None:
            self.contacts = self.begin(os.path.splitext(self.path)[0] + "-contacts.csv", "touchstone_contacts",
                                       dict(kind="impulse", **header),
                                       "time body_a body_b px py pz nx ny nz jn jx jy jz")
        numbers = [*point, *normal, jn, *friction]
        self.contacts.writerow([repr(float(t)), a, b] + [repr(float(c)) for c in numbers])


def world(folder):
    """Header of world.csv as texts by key, and its bodies as dictionaries with texts by column."""
    with open(os.path.join(folder, "world.csv"), newline="", encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return head, list(csv.DictReader(line for line in lines if not line.startswith("# ")))
