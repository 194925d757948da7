#!/usr/bin/env python3
"""Writes the scenes of this folder that are drawn by chance or from formulas: python3 datasets/scenes/generate.py

Only the standard library is needed. The other scenes are written by hand.
"""
import json
import math
import pathlib
import random

HERE = pathlib.Path(__file__).parent


def write(scene, bodies, joints=()):
    """One body and one joint per line, so that changes can be read. Lesson, claims and view are written by hand:
    those of the file stay."""
    file = HERE / (scene["name"] + ".json")
    kept = json.loads(file.read_text()) if file.exists() else {}
    members = {}
    for key, value in scene.items():
        members[key] = kept.get("view", value) if key == "view" else value
        if key == "title" and "lesson" in kept:
            members["lesson"] = kept["lesson"]
    text = json.dumps(members, indent=2, ensure_ascii=False)[:-2]
    for name, items in (("claims", kept.get("claims")), ("bodies", bodies), ("joints", joints)):
        if items:
            lines = ",\n".join("    " + json.dumps(item, ensure_ascii=False) for item in items)
            text += ',\n  "%s": [\n%s\n  ]' % (name, lines)
    file.write_text(text + "\n}\n")


def rectangle(width, height, x, y):
    return {"type": "polygon", "size": [width, height], "position": [x, y, 0]}


def polygon(rng):
    """Convex, 3 to 8 corners on a circle of 0.12 to 0.35 m, no two closer than 25 degrees."""
    count, radius = rng.randint(3, 8), rng.uniform(0.12, 0.35)
    while True:
        angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(count))
        gaps = [(b - a) % (2 * math.pi) for a, b in zip(angles, angles[1:] + angles[:1])]
        if min(gaps) > math.radians(25) and max(gaps) < math.radians(170):
            return [[round(radius * math.cos(a), 4), round(radius * math.sin(a), 4)] for a in angles]


def pour_2d():
    rng = random.Random(20)
    bodies = [{"name": "box", "motion": "static", "shape": {"type": "pieces", "pieces": [
        rectangle(3.2, 0.4, 0, -0.2), rectangle(0.4, 3.4, -1.4, 1.5), rectangle(0.4, 3.4, 1.4, 1.5)]}}]
    for number in range(20):
        bodies.append({
            "name": "polygon %02d" % (number + 1), "shape": {"type": "polygon", "points": polygon(rng)},
            "material": "plate", "position": [round(rng.uniform(-0.6, 0.6), 3), 2.8, 0],
            "orientation": {"axis": [0, 0, 1], "angle_deg": round(rng.uniform(0, 360), 1)},
            "velocity": [0, -2, 0], "angular_velocity": [0, 0, round(rng.uniform(-3, 3), 2)],
            "release_time": round(0.25 * number, 3)})
    write({
        "touchstone": 1, "name": "pour-2d", "title": "Twenty polygons poured into a box, in the plane",
        "dt": 0.01, "duration": 8, "methods": ["lcp", "peg"], "materials": [{"name": "plate", "density": 100}],
        "parameters": {"lcp": {"margin": 0.01, "eps_theta": 0.5}, "peg": {"margin": 0.01, "eps_theta": 0.5}},
        "view": {"eye": [0, 1.6, 6.6], "target": [0, 1.5, 0]}}, bodies)


def dual_trap():
    """Both configurations are those of the method page's reference cases, in free space."""
    def at(name, points, velocity=None, motion="dynamic", x=0.0):
        body = {"name": name, "shape": {"type": "polygon", "points": [[round(px + x, 6), py] for px, py in points]},
                "material": "plate"}
        if motion == "static":
            body["motion"] = "static"
        else:
            body["velocity"] = velocity
        return body

    bodies = [
        at("lower block", [[-1.05, -0.95], [-0.05, -0.95], [-0.05, 0.05], [-1.05, 0.05]], motion="static", x=-0.7),
        at("upper block", [[0.05, -0.05], [1.05, -0.05], [1.05, 0.95], [0.05, 0.95]], motion="static", x=-0.7),
        at("sliver", [[0, 0], [0.37, -0.62], [0.43, -0.58]], [0, 0.5, 0], x=-0.7),
        at("upper wedge", [[-0.02, 0.012], [0.48, 0.912], [-0.52, 0.912]], [0, -0.6, 0], x=1.0),
        at("lower wedge", [[0, 0], [-0.5, -0.9], [0.5, -0.9]], [0, 0, 0], x=1.0)]
    write({
        "touchstone": 1, "name": "dual-trap", "title": "Tips between corners: the standard model stops or finds no answer",
        "gravity": [0, 0, 0], "dt": 0.01, "duration": 2, "methods": ["lcp", "peg"],
        "materials": [{"name": "plate", "density": 100}],
        "parameters": {"lcp": {"margin": 0.07, "eps_theta": 2, "push_out": "published"}, "peg": {"margin": 0.07}},
        "view": {"eye": [-0.1, 0.1, 9.0], "target": [-0.1, 0.1, 0]}}, bodies)


def heavy_stack():
    """Masses 8, 64, … 32768 kg, the light ones below: each box carries everything above it."""
    bodies = [{"name": "ground", "motion": "static", "shape": {"type": "plane"}, "material": "rough"}]
    gap = 1e-4  # m, so that nothing overlaps at the start
    height = gap
    for level in range(5):
        size = round(0.2 * 1.5 ** level, 6)
        bodies.append({"name": "%d kg" % 8 ** (level + 1), "mass": 8 ** (level + 1), "material": "rough",
                       "shape": {"type": "box", "size": [size] * 3}, "position": [0, round(height + size / 2, 6), 0]})
        height += size + gap
    write({
        "touchstone": 1, "name": "heavy-stack", "title": "A stack with masses 1 to 4096, the light boxes below",
        "dt": 0.01, "duration": 3, "methods": ["cpf", "lcp", "peg"],
        "materials": [{"name": "rough", "density": 1000, "friction": 0.5}],
        "parameters": {"cpf": {"stiffness": 2e7, "damping": 2e3, "substeps": 40}},
        "view": {"eye": [3.6, 2.6, 6.4], "target": [0, 1.25, 0]}}, bodies)


GROUND = {"name": "ground", "motion": "static", "shape": {"type": "plane"}}


def thin_plate():
    write({
        "touchstone": 1, "name": "thin-plate", "title": "A fast ball against a plate of 5 mm",
        "dt": 0.001, "duration": 0.06, "methods": ["dpf", "dpf-ccd", "cpf", "lcp", "peg"],
        "parameters": {name: {"stiffness": 2000} for name in ("dpf", "dpf-ccd", "cpf")},
        "view": {"eye": [0.9, 0.35, 1.3], "target": [0, 0.05, 0]}}, [
            {"name": "plate", "motion": "static", "shape": {"type": "box", "size": [1, 0.005, 1]}},
            {"name": "ball", "shape": {"type": "sphere", "radius": 0.05, "subdivisions": 2}, "mass": 1,
             "position": [0, 0.305, 0], "velocity": [0, -20, 0]}])


def incline():
    mu, g, bodies, angles = 0.5, 9.81, [], []
    for name, share, z in (("below", 0.98, -0.25), ("above", 1.02, 0.25)):
        angle = math.atan(share * mu)
        angles.append(angle)
        axis = {"axis": [0, 0, 1], "angle_deg": round(-math.degrees(angle), 9)}
        normal, along = (math.sin(angle), math.cos(angle)), (-math.cos(angle), math.sin(angle))
        lift, start = 0.1 + 1e-6, 0.9  # half the thicknesses of plate and box, and how far up the plate
        bodies += [
            {"name": "plate " + name, "motion": "static", "shape": {"type": "box", "size": [3, 0.1, 0.4]},
             "orientation": axis, "position": [0, 0.8, z], "material": "rough"},
            {"name": "box " + name, "shape": {"type": "box", "size": [0.2, 0.1, 0.2]}, "mass": 1, "orientation": axis,
             "position": [round(normal[0] * lift + along[0] * start, 9), round(0.8 + normal[1] * lift + along[1] * start, 9), z],
             "material": "rough"}]
    penalty = {"stiffness": 1000000, "damping": 200, "substeps": 10, "friction_weighting": 10000,
               "friction_reset": "return-map"}
    acceleration = g * (math.sin(angles[1]) - mu * math.cos(angles[1]))  # of the upper box; both have 1 kg
    write({
        "touchstone": 1, "name": "incline", "title": "Boxes just below and just above the friction angle",
        "dt": 0.001, "duration": 4, "methods": ["dpf", "cpf", "lcp", "peg"],
        "materials": [{"name": "rough", "density": 500, "friction": mu}],
        "parameters": {"dpf": penalty, "cpf": penalty},
        "analytic": [
            {"quantity": "energy_kinetic", "formula": "½ m (a t)², a = g (sin θ − μ cos θ)",
             "coefficients": [0, 0, round(0.5 * acceleration**2, 12)]},
            {"quantity": "normal_force", "formula": "m g (cos θ₁ + cos θ₂)",
             "coefficients": [round(g * (math.cos(angles[0]) + math.cos(angles[1])), 9)]},
            {"quantity": "friction_force", "formula": "m g (sin θ₁ + μ cos θ₂)",
             "coefficients": [round(g * (math.sin(angles[0]) + mu * math.cos(angles[1])), 9)]}],
        "view": {"eye": [0.4, 2.2, 4.2], "target": [0, 0.8, 0]}}, bodies)


def stick():
    """After Tang et al. 2012, figure 9: free space, so that the way of the ball is that of one impulse."""
    write({
        "touchstone": 1, "name": "stick", "title": "A ball meets the end of a moving stick",
        "gravity": [0, 0, 0], "dt": 0.0166666667, "duration": 0.25, "methods": ["dpf", "dpf-ccd", "cpf", "peg"],
        "materials": [{"name": "wood", "density": 1000}],
        "parameters": {name: {"stiffness": 400} for name in ("dpf", "dpf-ccd", "cpf")},
        "view": {"eye": [0.3, 0.15, 2.4], "target": [0.3, 0.0, 0]}}, [
            {"name": "stick", "shape": {"type": "box", "size": [1, 0.06, 0.1]}, "mass": 8, "material": "wood",
             "velocity": [1, 0, 0], "angular_velocity": [0, 0, 2]},
            {"name": "ball", "shape": {"type": "sphere", "radius": 0.08, "subdivisions": 2}, "mass": 1, "material": "wood",
             "position": [0.46, 0.36, 0], "velocity": [0, -4, 0]}])


def particle():
    write({
        "touchstone": 1, "name": "particle", "title": "A particle on a spring whose stiffness wavers",
        "dt": 0.002, "duration": 10, "methods": ["dpf", "dpf-ccd", "cpf"],
        "parameters": {name: {"stiffness": 10000, "stiffness_perturbation": 0.25, "stiffness_frequency": 100}
                       for name in ("dpf", "dpf-ccd", "cpf")},
        "view": {"eye": [0.25, 0.25, 0.8], "target": [0, 0.15, 0]}}, [
            GROUND,
            # One vertex touches; the inertia keeps it below the centre of mass.
            {"name": "particle", "shape": {"type": "polyhedron", "name": "octahedron", "radius": 0.02}, "mass": 1,
             "inertia": [1000, 1000, 1000], "position": [0, 0.12, 0]}])


def sections(points, inner, outer, height):
    """Corners of the rectangular cross-sections of a closed band in the plane y = 0 through `points` [(x, z, nx, nz)],
    n the mitred normal: from `inner` to `outer` of the centre line, ±height/2."""
    return [[(round(x + d * nx, 6), round(h, 6), round(z + d * nz, 6))
             for d, h in ((inner, -height / 2), (outer, -height / 2), (outer, height / 2), (inner, height / 2))]
            for x, z, nx, nz in points]


def circle(count, radius):
    return [(radius * math.cos(a), radius * math.sin(a), math.cos(a) / math.cos(math.pi / count), math.sin(a) / math.cos(math.pi / count))
            for a in (2 * math.pi * k / count for k in range(count))]


def stadium(half, radius, count):
    """Two half circles of `count` segments about (±half, 0) and the straight sides between them."""
    points = []
    for side in (1, -1):
        for k in range(count + 1):
            a = math.pi * (k / count - 0.5) + (0 if side > 0 else math.pi)
            points.append((side * half + radius * math.cos(a), radius * math.sin(a), math.cos(a), math.sin(a)))
    return points


def band(name, rings):
    """A mesh file of the band, and its convex pieces, one per segment."""
    count = len(rings)
    vertices = [corner for ring in rings for corner in ring]
    triangles = []
    for k in range(count):
        a, b = 4 * k, 4 * ((k + 1) % count)
        for j in range(4):
            n = (j + 1) % 4
            triangles += [(a + j, b + j, b + n), (a + j, b + n, a + n)]
    def volume(t):
        p, q, r = (vertices[i] for i in t)
        return (p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0])) / 6
    if sum(map(volume, triangles)) < 0:
        triangles = [(a, c, b) for a, b, c in triangles]
    folder = HERE.parent / "meshes" / name
    folder.mkdir(exist_ok=True)
    lines = ["# %s: %d vertices, %d triangles" % (name, len(vertices), len(triangles))]
    lines += ["v %.9g %.9g %.9g" % v for v in vertices] + ["f %d %d %d" % tuple(i + 1 for i in t) for t in triangles]
    (folder / (name + ".obj")).write_text("\n".join(lines) + "\n")
    (folder / "SOURCE.md").write_text(
        "# %s\n\nA closed band with a rectangular cross-section.\n\nGenerated by `datasets/scenes/generate.py`; dedicated to "
        "the public domain (CC0 1.0).\n" % name)
    return {"type": "mesh", "file": "../meshes/%s/%s.obj" % (name, name),
            "pieces": [{"type": "hull", "points": [list(c) for c in rings[k] + rings[(k + 1) % count]]} for k in range(count)]}


def rings():
    shape = band("ring", sections(circle(16, 0.1), -0.02, 0.02, 0.03))
    rng, bodies = random.Random(4), [GROUND]
    for pin in range(3):
        x = 0.3 * (pin - 1)
        bodies.append({"name": "pin %d" % (pin + 1), "motion": "static", "position": [x, 0.25, 0], "material": "steel",
                       "shape": {"type": "cylinder", "radius": 0.012, "height": 0.5, "segments": 12}})
        for level in range(3):
            bodies.append({"name": "ring %d%s" % (pin + 1, "abc"[level]), "shape": shape, "material": "steel",
                           "position": [round(x + rng.uniform(-0.03, 0.03), 3), round(0.62 + 0.16 * level, 3),
                                        round(rng.uniform(-0.03, 0.03), 3)],
                           "orientation": {"axis": [round(rng.uniform(-1, 1), 2), 0, round(rng.uniform(-1, 1), 2)],
                                           "angle_deg": round(rng.uniform(5, 20), 1)},
                           "release_time": round(0.15 * level, 3)})
    write({
        "touchstone": 1, "name": "rings", "title": "Non-convex rings fall over thin pins",
        "dt": 0.004, "duration": 3, "methods": ["dpf", "dpf-ccd", "cpf"],
        "materials": [{"name": "steel", "density": 2000}],
        "parameters": {name: {"stiffness": 50000, "damping": 10, "substeps": 8} for name in ("dpf", "dpf-ccd", "cpf")},
        "view": {"eye": [0.5, 0.8, 1.6], "target": [0, 0.3, 0]}}, bodies)


def chain():
    shape = band("link", sections(stadium(0.05, 0.04, 6), -0.011, 0.011, 0.022))
    bodies = []
    top, count = 0.6, 10  # of the box [m], links
    for number in range(count):
        # Links lie flat and stand on edge in turn, taut between the first one and the far side of the box.
        body = {"name": "link %d" % (number + 1), "shape": shape, "material": "steel",
                "position": [round(-0.62 + 0.146 * number, 4), top + 0.055, 0]}
        if number % 2:
            body["orientation"] = {"axis": [1, 0, 0], "angle_deg": 90}
        if number == 0:
            body["motion"] = "static"
        bodies.append(body)
    bodies += [
        {"name": "box", "shape": {"type": "box", "size": [0.4, 0.3, 0.4]}, "material": "wood",
         "position": [-0.1, top - 0.15, 0]},
        {"name": "table", "motion": "static", "shape": {"type": "box", "size": [1.6, 0.1, 0.8]}, "material": "wood",
         "position": [-0.2, top - 0.351, 0]}]
    write({
        "touchstone": 1, "name": "chain", "title": "A chain of ten links falls over a box",
        "dt": 0.004, "duration": 3, "methods": ["dpf", "dpf-ccd", "cpf"],
        "materials": [{"name": "steel", "density": 2000, "friction": 0.2}, {"name": "wood", "density": 600, "friction": 0.3}],
        "parameters": {name: {"stiffness": 20000, "damping": 10, "substeps": 8}
                       for name in ("dpf", "dpf-ccd", "cpf")},
        "view": {"eye": [0.5, 1.0, 2.6], "target": [0.0, 0.5, 0]}}, bodies)


def turned(rng, least, most):
    axis = [rng.gauss(0, 1) for _ in range(3)]
    length = math.sqrt(sum(a * a for a in axis))
    return {"axis": [round(a / length, 6) for a in axis], "angle_deg": round(rng.uniform(least, most), 3)}


PENALTIES = ("dpf", "dpf-ccd", "cpf")


def bin_of_boxes():
    rng, bodies, wide, wall, high = random.Random(1), [], 1.2, 0.2, 2.4
    bodies.append({"name": "floor", "motion": "static", "material": "board", "position": [0, -wall / 2, 0],
                   "shape": {"type": "box", "size": [wide + 2 * wall, wall, wide + 2 * wall]}})
    off = (wide + wall) / 2
    for name, x, z, size_x, size_z in (("left wall", -off, 0, wall, wide), ("right wall", off, 0, wall, wide),
                                       ("back wall", 0, -off, wide + 2 * wall, wall),
                                       ("front wall", 0, off, wide + 2 * wall, wall)):
        bodies.append({"name": name, "motion": "static", "visible": False, "material": "board",
                       "position": [x, high / 2, z], "shape": {"type": "box", "size": [size_x, high, size_z]}})
    # Layers of nine and of four over their gaps, each above what lies there: no box begins within another one.
    number, layer = 0, 0
    while number < 100:
        places = ([(0.4 * a - 0.4, 0.4 * b - 0.4) for a in range(3) for b in range(3)] if layer % 2 == 0 else
                  [(0.4 * a - 0.2, 0.4 * b - 0.2) for a in range(2) for b in range(2)])
        for x, z in places[:100 - number]:
            turn = turned(rng, 0, 360)
            bodies.append({
                "name": "box %03d" % (number + 1), "shape": {"type": "box", "size": [0.2] * 3}, "material": "board",
                "release_time": round(0.25 * layer, 4),
                "position": [round(x + rng.uniform(-0.02, 0.02), 4), round(0.62 + 0.0115 * number, 4),
                             round(z + rng.uniform(-0.02, 0.02), 4)],
                "orientation": turn})
            number += 1
        layer += 1
    write({
        "touchstone": 1, "name": "bin", "title": "A hundred boxes dropped into a bin",
        "dt": 1 / 120, "duration": 5, "methods": list(PENALTIES),
        "materials": [{"name": "board", "density": 1000, "friction": 0.3}],
        "parameters": {name: {"stiffness": 1e5, "substeps": 8} for name in PENALTIES},
        "view": {"eye": [1.1, 2.6, 3.2], "target": [0, 0.5, 0]}}, bodies)


def tilted_stack():
    rng, bodies = random.Random(1), [dict(GROUND, material="board")]
    for level in range(4):
        bodies.append({"name": "box %d" % (level + 1), "shape": {"type": "box", "size": [0.2] * 3}, "material": "board",
                       "position": [0, round(0.1 + 0.2 * level + 0.002 * (level + 1), 4), 0],
                       "orientation": turned(rng, 0, 0.5)})
    write({
        "touchstone": 1, "name": "tilted-stack", "title": "Four boxes, each a little tilted",
        "dt": 1 / 120, "duration": 3, "methods": list(PENALTIES),
        "materials": [{"name": "board", "density": 1000, "friction": 0.5}],
        "parameters": {name: {"stiffness": 1e5, "substeps": 8} for name in PENALTIES},
        "view": {"eye": [0.9, 0.8, 1.6], "target": [0, 0.4, 0]}}, bodies)


def hanging(count, length, angle, heavy=1.0, wide=0.03):
    """Links on ball joints, the first on a fixed block, all in one line `angle` degrees below the horizontal."""
    a = math.radians(angle)
    along = (math.cos(a), -math.sin(a), 0.0)
    bodies = [{"name": "block", "motion": "static", "shape": {"type": "box", "size": [0.06, 0.06, 0.06]},
               "position": [0, 0.06, 0]}]
    joints = []
    for k in range(count):
        middle = [round((k + 0.5) * length * c, 9) for c in along]
        mass = heavy if k == count - 1 else 1.0
        bodies.append({"name": "link %d" % (k + 1), "mass": mass,
                       "inertia": [round(mass / 12 * 2 * wide ** 2, 9)] + [round(mass / 12 * (length ** 2 + wide ** 2), 9)] * 2,
                       "shape": {"type": "box", "size": [length, wide, wide]}, "position": middle,
                       "orientation": {"axis": [0, 0, 1], "angle_deg": -angle}})
        joint = {"name": "ball %d" % (k + 1), "type": "ball", "body_b": "link %d" % (k + 1),
                 "position": [k * length * c for c in along]}
        if k > 0:
            joint["body_a"] = "link %d" % k
        joints.append(joint)
    return bodies, joints


def pendulum():
    length, mass = 1.0, 1.0
    bodies = [{"name": "block", "motion": "static", "shape": {"type": "box", "size": [0.06, 0.06, 0.06]},
               "position": [0, 0.06, 0]},
              {"name": "bob", "mass": mass, "shape": {"type": "box", "size": [0.02, 0.02, 0.02]}, "inertia": [6.667e-5] * 3,
               "position": [length * math.sin(1.0), -length * math.cos(1.0), 0]}]
    joints = [{"name": "hinge", "type": "revolute", "body_b": "bob", "axis": [0, 0, 1], "position": [0, 0, 0]}]
    write({
        "touchstone": 1, "name": "pendulum", "title": "A pendulum: what an integrator eats",
        "dt": 1 / 120, "duration": 10, "methods": ["cpf", "lcp", "nsn"],
        "parameters": {"cpf": {"substeps": 4}, "lcp": {"substeps": 4}},
        "view": {"eye": [0, -0.3, 3], "target": [0, -0.4, 0]}}, bodies, joints)


def double_pendulum():
    bodies, joints = hanging(2, 0.2, 0)
    write({
        "touchstone": 1, "name": "double-pendulum", "title": "A double pendulum, from the horizontal",
        "dt": 1 / 120, "duration": 10, "methods": ["cpf", "lcp", "nsn"],
        "parameters": {"cpf": {"substeps": 4}, "lcp": {"substeps": 4}},
        "view": {"eye": [0, 0, 1.5], "target": [0, -0.1, 0]}}, bodies, joints)


def jointed_chain():
    bodies, joints = hanging(10, 0.2, 60)
    write({
        "touchstone": 1, "name": "jointed-chain", "title": "Ten links on ball joints",
        "dt": 1 / 120, "duration": 4, "methods": ["cpf", "nsn"], "parameters": {"cpf": {"substeps": 4}},
        "view": {"eye": [0, -0.9, 4.5], "target": [0, -1.0, 0]}}, bodies, joints)


def loaded_chain():
    bodies, joints = hanging(10, 0.2, 60, heavy=100.0)
    write({
        "touchstone": 1, "name": "loaded-chain", "title": "A loaded chain that the published method explodes",
        "dt": 1 / 120, "duration": 3, "methods": ["cpf", "nsn"],
        "parameters": {"cpf": {"substeps": 4}, "nsn": {"max_iterations": 8, "answer": "last"}},
        "view": {"eye": [0, -0.9, 4.5], "target": [0, -1.0, 0]}}, bodies, joints)


def arch():
    def height(x):
        return 2.5 * (1 - (x / 2) ** 2)
    bodies, joints, gap = [], 21, 1e-6  # half of what is between two stones: faces that coincide cross by rounding
    faces, alongs = [], []
    for k in range(joints):
        x = -2 + 4 * k / (joints - 1)
        slope = -1.25 * x
        norm = math.hypot(1, slope)
        across = (-slope / norm, 1 / norm)
        alongs.append((1 / norm, slope / norm, 0))
        half = 0.5 * 0.25 * (1 + 2.2 * abs(x) / 2)
        faces.append([(x + side * half * across[0], height(x) + side * half * across[1], z)
                      for side in (-1, 1) for z in (-0.2, 0.2)])
    for k in range(joints - 1):
        points = [[round(c + sign * gap * a, 9) for c, a in zip(point, alongs[joint])]
                  for joint, sign in ((k, 1), (k + 1, -1)) for point in faces[joint]]
        bodies.append({"name": "block %02d" % (k + 1), "material": "stone", "shape": {"type": "hull", "points": points}})
    for name, face, sign in (("left foot", faces[0], -1), ("right foot", faces[-1], 1)):
        # The foot ends in the plane of the joint and goes on along the curve.
        slope = sign * -2.5
        norm = math.hypot(1, slope)
        along = (sign / norm, sign * slope / norm)
        points = [[round(p[0] + t * along[0] * 0.3, 9), round(p[1] + t * along[1] * 0.3, 9), p[2]] for t in (0, 1) for p in face]
        bodies.append({"name": name, "motion": "static", "material": "stone", "shape": {"type": "hull", "points": points}})
    write({
        "touchstone": 1, "name": "arch", "title": "An arch of twenty stones",
        "dt": 1 / 120, "duration": 10, "methods": ["nsn", "lcp"],
        "materials": [{"name": "stone", "density": 700, "friction": 0.6}],
        "view": {"eye": [0, 1.8, 9], "target": [0, 1.1, 0]}}, bodies)


def tables():
    def part(size, position):
        return {"type": "box", "size": size, "position": position}
    legs = [part([0.05, 0.4, 0.05], [x, -0.22, z]) for x in (-0.375, 0.375) for z in (-0.225, 0.225)]
    shape = {"type": "pieces", "pieces": [part([0.8, 0.04, 0.5], [0, 0, 0])] + legs}
    bodies = [dict(GROUND, material="wood")]
    for index in range(54):
        layer, row, column = index // 9, (index % 9) // 3, index % 3
        yaw, tilt = 2 * math.pi * (0.618 * index % 1), 0.3 * math.sin(2.4 * index)
        # q = yaw about y, then tilt about the table's x.
        w = (math.cos(yaw / 2) * math.cos(tilt / 2), math.cos(yaw / 2) * math.sin(tilt / 2),
             math.sin(yaw / 2) * math.cos(tilt / 2), -math.sin(yaw / 2) * math.sin(tilt / 2))
        bodies.append({"name": "table %02d" % (index + 1), "shape": shape, "material": "wood", "mass": 4.7,
                       "position": [round((column - 1) * 1.0, 6), round(0.5 + 0.6 * layer, 6), round((row - 1) * 1.0, 6)],
                       "orientation": [round(c, 12) for c in w]})
    write({
        "touchstone": 1, "name": "tables", "title": "Fifty-four tables",
        "dt": 1 / 120, "duration": 6, "methods": ["nsn"],
        "materials": [{"name": "wood", "density": 1000, "friction": 0.7}],
        "parameters": {"nsn": {"max_iterations": 8, "linear_iterations": 20}},
        "view": {"eye": [4.6, 3.4, 6.6], "target": [0, 0.9, 0]}}, bodies)


def drawer():
    def part(size, position):
        return {"type": "box", "size": size, "position": position}
    bodies = [
        {"name": "cabinet", "motion": "static", "material": "wood", "shape": {"type": "pieces", "pieces": [
            part([0.42, 0.02, 0.44], [-0.22, 0.1, 0]), part([0.42, 0.02, 0.44], [-0.22, -0.1, 0]),
            part([0.02, 0.22, 0.44], [-0.44, 0, 0])]}},
        {"name": "drawer", "material": "wood", "mass": 3, "shape": {"type": "pieces", "pieces": [
            part([0.4, 0.15, 0.4], [-0.2, 0, 0]), part([0.01, 0.1, 0.01], [0.055, 0, 0]),
            part([0.05, 0.01, 0.01], [0.025, 0.045, 0]), part([0.05, 0.01, 0.01], [0.025, -0.045, 0])]}},
        {"name": "carriage", "material": "rubber", "mass": 1, "position": [0.36, 0, 0],
         "shape": {"type": "box", "size": [0.06, 0.05, 0.16]}}]
    joints = [
        {"name": "rail", "type": "prismatic", "body_a": "cabinet", "body_b": "drawer", "position": [0, 0, 0], "axis": [1, 0, 0],
         "limits": [0, 0.3], "dry_friction": 4},
        {"name": "arm", "type": "prismatic", "body_b": "carriage", "position": [0.36, 0, 0], "axis": [1, 0, 0],
         "drive": {"stiffness": 50000, "damping": 500, "targets": [[0, 0], [1, -0.2], [1.6, -0.2], [2.8, 0.1]]}}]
    for name, side in (("left", 1), ("right", -1)):
        z = side * 0.035
        bodies.append({"name": name + " pad", "material": "rubber", "mass": 0.1, "position": [0.27, 0, z],
                       "shape": {"type": "box", "size": [0.1, 0.03, 0.02]}})
        joints.append({"name": name + " finger", "type": "prismatic", "body_a": "carriage", "body_b": name + " pad",
                       "position": [0.27, 0, z], "axis": [0, 0, -side], "limits": [0, 0.03],
                       "drive": {"stiffness": 5000, "damping": 50, "most_force": 15, "targets": [[1.05, 0], [1.3, 0.05]]}})
    write({
        "touchstone": 1, "name": "drawer", "title": "A drawer opened by friction alone",
        "dt": 1 / 120, "duration": 4, "methods": ["nsn"],
        "materials": [{"name": "wood", "density": 700, "friction": 0.8}, {"name": "rubber", "density": 1000, "friction": 0.8}],
        "view": {"eye": [0.9, 0.7, 1.3], "target": [-0.05, 0, 0]}}, bodies, joints)


def humanoid():
    """14 boxes on 13 hinges; targets of the drives change every 0.1 s, drawn by chance."""
    rng = random.Random(7)
    parts = {  # size, centre, density: of a standing figure
        "pelvis": ([0.30, 0.15, 0.18], [0, 0.98, 0]), "waist": ([0.26, 0.16, 0.16], [0, 1.15, 0]),
        "chest": ([0.34, 0.26, 0.18], [0, 1.38, 0]), "head": ([0.16, 0.22, 0.18], [0, 1.66, 0])}
    hinges = [("waist", "pelvis", [0, 1.065, 0], [0, 0, 1], 0.5), ("chest", "waist", [0, 1.24, 0], [1, 0, 0], 0.4),
              ("head", "chest", [0, 1.53, 0], [1, 0, 0], 0.5)]
    for name, side in (("left", 1), ("right", -1)):
        x = 0.1 * side
        parts[name + " thigh"] = ([0.14, 0.42, 0.14], [x, 0.68, 0])
        parts[name + " shin"] = ([0.11, 0.42, 0.11], [x, 0.24, 0])
        parts[name + " upper arm"] = ([0.09, 0.30, 0.09], [side * 0.23, 1.34, 0])
        parts[name + " forearm"] = ([0.07, 0.28, 0.07], [side * 0.23, 1.03, 0])
        hinges += [(name + " thigh", "pelvis", [x, 0.895, 0], [1, 0, 0], 0.9), (name + " shin", name + " thigh", [x, 0.46, 0], [1, 0, 0], 1.2),
                   (name + " upper arm", "chest", [side * 0.23, 1.47, 0], [1, 0, 0], 1.5),
                   (name + " forearm", name + " upper arm", [side * 0.23, 1.18, 0], [1, 0, 0], 1.2)]
    parts["left foot"] = ([0.11, 0.05, 0.24], [0.1, 0.0, 0.05])
    parts["right foot"] = ([0.11, 0.05, 0.24], [-0.1, 0.0, 0.05])
    hinges += [(side + " foot", side + " shin", [0.1 if side == "left" else -0.1, 0.03, 0], [1, 0, 0], 0.6) for side in ("left", "right")]
    bodies = [dict(GROUND, material="floor")]
    for name, (size, centre) in parts.items():
        bodies.append({"name": name, "material": "flesh", "shape": {"type": "box", "size": size},
                       "position": [centre[0], round(centre[1] + 0.06, 4), centre[2]]})
    joints = []
    for b, a, at, axis, reach in hinges:
        targets = [[round(0.1 * k, 3), round(rng.uniform(-reach, reach), 3)] for k in range(1, 51)]
        joints.append({"name": b + " hinge", "type": "revolute", "body_a": a, "body_b": b, "axis": axis,
                       "position": [at[0], round(at[1] + 0.06, 4), at[2]], "limits": [-1.6, 1.6],
                       "drive": {"stiffness": 300, "damping": 15, "most_force": 40, "targets": [[0, 0]] + targets}})
    write({
        "touchstone": 1, "name": "humanoid", "title": "A figure of boxes and hinges that flails",
        "dt": 1 / 120, "duration": 5, "methods": ["nsn"],
        "materials": [{"name": "floor", "friction": 0.8}, {"name": "flesh", "density": 1000, "friction": 0.8}],
        "view": {"eye": [1.8, 1.6, 3.0], "target": [0, 0.8, 0]}}, bodies, joints)


def humanoids(name, title, side):
    """Rows of the figure, with random torques in the place of targets."""
    figure = json.loads((HERE / "humanoid.json").read_text())
    joints, bodies = figure.pop("joints"), figure.pop("bodies")
    for text in ("lesson", "claims"):
        figure.pop(text, None)
    for joint in joints:
        joint["drive"] = {"damping": 5, "random_force": {"most": 40, "hold": 0.1, "seed": 1}}
    figure.update({
        "name": name, "title": title,
        "duration": 5, "methods": ["nsn"], "parameters": {"nsn": {"max_iterations": 20, "linear_iterations": 40}},
        "copies": {"count": [side, side], "spacing": [1.6, 1.6]},
        "view": {"eye": [1.7 * side, 0.9 * side, 2.2 * side], "target": [0.7 * side, 0.4, 0.6 * side]}})
    write(figure, bodies, joints)


def beam_insertion():
    """Sixteen links on compliant joints; a clamp pushes them into a channel whose axis is 20 mm beside theirs."""
    links, length, half = 16, 0.02, 0.004
    bodies, joints = [], []
    for k in range(links):
        shape = {"type": "box", "size": [length, 2 * half, 2 * half]}
        if k == links - 1:  # 7 × 7 mm at its end
            shape = {"type": "hull", "points": [[x, y * s, z * s] for x, s in ((-length / 2, half), (length / 2, 0.0035))
                                                for y in (-1, 1) for z in (-1, 1)]}
        bodies.append({"name": "link %02d" % (k + 1), "material": "beam", "mass": 0.003, "shape": shape,
                       "position": [round((k - links + 0.5) * length, 9), 0, 0]})
        if k > 0:
            joints.append({"name": "bend %02d" % k, "type": "beam", "body_a": "link %02d" % k, "body_b": "link %02d" % (k + 1),
                           "position": [round((k - links) * length, 9), 0, 0], "axis": [1, 0, 0],
                           "angular_compliance": 1 / 250})
    axis, clear, entry, inlet, end, wall = 0.02, 0.006, 0.02, 0.05, 0.3, 0.01
    for name, side in (("lower", -1), ("upper", 1)):  # the funnel belongs to the wall: a link passes no end face between both
        points = [[x, round(axis + side * (clear + up + out), 9), z] for x, up in ((entry, 0.03), (inlet, 0)) for out in (0, wall)
                  for z in (-0.02, 0.02)]
        bodies.append({"name": name + " wall", "motion": "static", "material": "channel", "shape": {"type": "pieces", "pieces": [
            {"type": "hull", "points": points},
            {"type": "box", "size": [end - inlet, wall, 0.04], "position": [(inlet + end) / 2, axis + side * (clear + wall / 2), 0]}]}})
        bodies.append({"name": ("left" if side < 0 else "right") + " wall", "motion": "static", "material": "channel", "visible": False,
                       "position": [(inlet + end) / 2, axis, side * (clear + wall / 2)],
                       "shape": {"type": "box", "size": [end - inlet, 2 * clear, wall]}})
    grip = round((3 - links - 0.5) * length, 9)  # the third link
    bodies.append({"name": "carriage", "material": "beam", "mass": 0.5, "position": [grip, -0.08, 0],
                   "shape": {"type": "box", "size": [0.04, 0.03, 0.05]}})
    bodies.append({"name": "base", "material": "beam", "mass": 0.3, "position": [grip, -0.05, 0],
                   "shape": {"type": "box", "size": [0.03, 0.02, 0.05]}})
    joints.append({"name": "push", "type": "prismatic", "body_b": "carriage", "position": [grip, -0.08, 0], "axis": [1, 0, 0],
                   "drive": {"stiffness": 50000, "damping": 500,
                             "targets": [[0.2, 0], [0.3, 0.002], [0.4, 0.007], [1.13, 0.08], [1.23, 0.085], [1.33, 0.087]]}})
    joints.append({"name": "lift", "type": "prismatic", "body_a": "carriage", "body_b": "base", "position": [grip, -0.05, 0],
                   "axis": [0, 1, 0], "drive": {"stiffness": 50000, "damping": 500}})
    joints.append({"name": "clamp", "type": "fixed", "body_a": "base", "body_b": "link 03", "position": [grip, 0, 0]})
    write({
        "touchstone": 1, "name": "beam-insertion", "title": "A flexible beam enters a channel",
        "dt": 1 / 120, "duration": 2, "methods": ["nsn"],
        "materials": [{"name": "beam", "density": 2344, "friction": 0.8}, {"name": "channel", "density": 1000, "friction": 0}],
        "parameters": {"nsn": {"max_iterations": 20, "linear_iterations": 300}},
        "view": {"eye": [0.0, 0.16, 0.5], "target": [-0.02, 0.0, 0]}}, bodies, joints)


def prism(outline, z):
    return {"type": "hull", "points": [[round(x, 6), round(y, 6), s * z] for x, y in outline for s in (-1, 1)]}


def gear_pieces(teeth=12, root=0.031, tip=0.04, half=0.01):
    def ring(radius, first, last, count):
        return [(radius * math.cos(first + (last - first) * k / (count - 1)), radius * math.sin(first + (last - first) * k / (count - 1)))
                for k in range(count)]
    pieces = [prism(ring(root, 0, 2 * math.pi * (1 - 1 / 24), 24), half)]
    for k in range(teeth):
        a = 2 * math.pi * k / teeth
        pieces.append(prism(ring(root * 0.97, a - 0.14, a + 0.14, 2) + ring(tip, a - 0.08, a + 0.08, 2), half))
    return pieces


def star_pieces(radius=0.04):
    """A dodecahedron with a pyramid on each face."""
    g = (1 + 5 ** 0.5) / 2
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    for a in (-1, 1):
        for b in (-1, 1):
            corners += [(0, a / g, b * g), (a / g, b * g, 0), (a * g, 0, b / g)]
    axes = []
    for a in (-1, 1):
        for b in (-1, 1):
            axes += [(0, a * g, b), (a * g, b, 0), (a, 0, b * g)]
    def dot(p, q):
        return sum(s * t for s, t in zip(p, q))
    inner = 0.55 * radius / math.sqrt(3)
    core = [tuple(inner * c for c in corner) for corner in corners]
    pieces = [{"type": "hull", "points": [[round(c, 6) for c in p] for p in core]}]
    for axis in axes:
        size = math.sqrt(dot(axis, axis))
        top = max(dot(axis, p) for p in core)
        face = [p for p in core if dot(axis, p) > top - 1e-9]
        pieces.append({"type": "hull", "points": [[round(c, 6) for c in p] for p in face] +
                       [[round(radius * c / size, 6) for c in axis]]})
    return pieces


def knot_pieces(count=30, tube=0.0085, size=0.0103):
    def at(t):
        return (size * (math.sin(t) + 2 * math.sin(2 * t)), size * (math.cos(t) - 2 * math.cos(2 * t)), -1.2 * size * math.sin(3 * t))
    def section(t):
        p, q = at(t), at(t + 1e-5)
        along = [b - a for a, b in zip(p, q)]
        norm = math.sqrt(sum(c * c for c in along))
        along = [c / norm for c in along]
        side = [-along[1], along[0], 0]
        norm = math.hypot(side[0], side[1])
        side = [c / norm for c in side]
        up = [along[1] * side[2] - along[2] * side[1], along[2] * side[0] - along[0] * side[2], along[0] * side[1] - along[1] * side[0]]
        return [[round(p[i] + tube * (math.cos(a) * side[i] + math.sin(a) * up[i]), 6) for i in range(3)]
                for a in [math.pi / 3 * k for k in range(6)]]
    return [{"type": "hull", "points": section(2 * math.pi * k / count) + section(2 * math.pi * (k + 1) / count)} for k in range(count)]


def blob_pieces(seed=5):
    """A star-shaped body, |x| = 40 mm (1 + 0.25 Σ a_k P_k(x · n_k)), as one wedge for each face of an icosahedron cut in four."""
    rng = random.Random(seed)
    g = (1 + 5 ** 0.5) / 2
    points = [(0, a, b * g) for a in (-1, 1) for b in (-1, 1)]
    points += [(a, b * g, 0) for a in (-1, 1) for b in (-1, 1)] + [(a * g, 0, b) for a in (-1, 1) for b in (-1, 1)]
    def unit(p):
        n = math.sqrt(sum(c * c for c in p))
        return tuple(c / n for c in p)
    points = [unit(p) for p in points]
    def near(p, q):
        return sum(a * b for a, b in zip(p, q)) > 0.4
    faces = [(p, q, r) for i, p in enumerate(points) for j, q in enumerate(points) for k, r in enumerate(points)
             if i < j < k and near(p, q) and near(q, r) and near(p, r)]
    lumps = [(unit([rng.gauss(0, 1) for _ in range(3)]), rng.uniform(-1, 1), degree) for degree in (1, 2, 2, 3, 3)]
    def radius(p):
        total = 0
        for axis, amount, degree in lumps:
            c = sum(a * b for a, b in zip(axis, p))
            total += amount * (c if degree == 1 else 0.5 * (3 * c * c - 1) if degree == 2 else 0.5 * (5 * c ** 3 - 3 * c))
        return 0.036 * (1 + 0.25 * total)
    pieces = []
    for p, q, r in faces:
        m = [unit([a + b for a, b in zip(s, t)]) for s, t in ((p, q), (q, r), (r, p))]
        for triple in ((p, m[0], m[2]), (m[0], q, m[1]), (m[2], m[1], r), tuple(m)):
            pieces.append({"type": "hull", "points": [[0, 0, 0]] + [[round(radius(v) * c, 6) for c in v] for v in triple]})
    return pieces


HAND_LIMITS = ((-0.47, 0.47), (-0.196, 1.61), (-0.174, 1.709), (-0.227, 1.618))
HAND_CLOSED = (0, 0.97, 1.0, 0.97)  # 60 % of the way


def add_hand(bodies, joints, thing, x0, wrist, closing, palm=None, closed=(HAND_CLOSED, HAND_CLOSED)):
    """A palm, three fingers and a thumb of four links each; `closing` lists [time, share of `closed`: fingers, thumb]."""
    def add(name, size, at, **more):
        bodies.append(dict({"name": thing + " " + name, "material": "skin", "shape": {"type": "box", "size": size},
                            "position": [round(x0 + at[0], 6), at[1], at[2]]}, **more))
    add("palm", [0.1, 0.03, 0.1], [0, 0, 0], **(palm or {}))
    if wrist:
        joints.append({"name": thing + " wrist", "type": "revolute", "body_b": thing + " palm", "axis": [0, 0, 1],
                       "position": [round(x0, 6), 0.05, 0], "drive": {"stiffness": 20000, "damping": 200, "targets": wrist}})
    for finger, side, z in (("index", 1, -0.033), ("middle", 1, 0.0), ("ring", 1, 0.033), ("thumb", -1, 0.0)):
        x = 0.055 * side
        parts = [("base", [0.02, 0.02, 0.027], 0.025), ("proximal", [0.02, 0.054, 0.027], 0.062),
                 ("middle", [0.02, 0.038, 0.027], 0.108), ("tip", [0.02, 0.027, 0.027], 0.1405)]
        starts = (0.015, 0.035, 0.089, 0.127)
        before = thing + " palm"
        for k, (part, size, y) in enumerate(parts):
            name = finger + " " + part
            add(name, size, [x, y, z])
            if part == "tip":  # with a round end of 12 mm
                round_end = [[round(0.012 * math.cos(a) * math.cos(b), 6), round(0.0135 + 0.012 * math.sin(b), 6),
                              round(0.012 * math.sin(a) * math.cos(b), 6)]
                             for b in (0, math.pi / 5, 2 * math.pi / 5) for a in [math.pi / 4 * j for j in range(8)]]
                bodies[-1]["shape"] = {"type": "pieces", "pieces": [{"type": "box", "size": size}, {"type": "hull", "points": round_end}]}
            joints.append({"name": thing + " " + finger + " %d" % (k + 1), "type": "revolute", "body_a": before,
                           "body_b": thing + " " + name, "axis": [side, 0, 0] if k == 0 else [0, 0, side],
                           "position": [round(x0 + x, 6), starts[k], z], "limits": list(HAND_LIMITS[k]),
                           "drive": {"stiffness": 3, "damping": 0.1, "most_force": 0.7,
                                     "targets": [[time, share and share * closed[finger == "thumb"][k]] for time, share in closing]}})
            before = thing + " " + name


def hands():
    """Four hands, each with an object of its own; they close and turn once about a horizontal axis."""
    bodies, joints = [], []
    objects = (("gear", gear_pieces()), ("star", star_pieces()), ("knot", knot_pieces()), ("blob", blob_pieces()))
    for index, (thing, pieces) in enumerate(objects):
        x0 = 0.32 * index
        add_hand(bodies, joints, thing, x0, [[1.5, 0], [9.5, 6.2832]], [[0.2, 0], [1.2, 1]])
        bodies.append({"name": thing, "material": "thing", "mass": 0.15, "inertia": [6e-5, 6e-5, 7e-5], "position": [round(x0, 6), 0.058, 0],
                       "shape": {"type": "pieces", "pieces": pieces}})
    write({
        "touchstone": 1, "name": "hands", "title": "Hands hold irregular objects",
        "dt": 1 / 120, "duration": 10, "methods": ["nsn"],
        "materials": [{"name": "skin", "density": 1000, "friction": 0.8}, {"name": "thing", "density": 1000, "friction": 0.8}],
        "parameters": {"nsn": {"max_iterations": 20, "linear_iterations": 40}},
        "view": {"eye": [0.48, 0.6, 1.75], "target": [0.48, 0.04, 0]}}, bodies, joints)


def soft_block():
    bodies = [dict(GROUND, material="soft"),
              {"name": "block", "position": [0, 0.15, 0], "material": "soft",
               "shape": {"type": "lattice", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]},
               "deformable": {"young": 1e5, "poisson": 0.4, "damping": 0.003}}]
    write({
        "touchstone": 1, "name": "soft-block", "title": "A soft cube dropped on the ground",
        "dt": 1 / 120, "duration": 3, "methods": ["dpf", "cpf", "nsn"],
        "materials": [{"name": "soft", "density": 1000, "friction": 0.5}],
        "view": {"eye": [0.5, 0.35, 0.8], "target": [0, 0.1, 0]}}, bodies)


def cantilever():
    bodies = [{"name": "wall", "motion": "static", "position": [-0.551, 0, 0], "shape": {"type": "box", "size": [0.1, 0.4, 0.4]}},
              {"name": "bar", "density": 1000, "shape": {"type": "lattice", "size": [1, 0.2, 0.2], "cells": [10, 2, 2]},
               "deformable": {"model": "corotational", "young": 1.2e7, "poisson": 0.3,
                              "held": [{"box": [[-0.51, -0.11, -0.11], [-0.49, 0.11, 0.11]]}]}}]
    write({
        "touchstone": 1, "name": "cantilever", "title": "A bar held at one end: two errors to tell apart",
        "dt": 1 / 120, "duration": 3, "methods": ["nsn", "cpf"], "parameters": {"nsn": {"max_iterations": 10}},
        "view": {"eye": [0.3, 0.4, 1.8], "target": [0, 0, 0]}}, bodies)


def hanging_sheet():
    bodies = []
    corner = [[[s * 0.5 - 0.01, -0.1, -0.51], [s * 0.5 + 0.01, 0.1, -0.49]] for s in (-1, 1)]
    for name, x, angle, boxes in (("held along its edge", -0.65, 90, [[[-0.51, -0.1, -0.51], [0.51, 0.1, -0.49]]]),
                                  ("held at two corners", 0.65, 30, corner)):
        bodies.append({"name": "sheet " + name, "position": [x, 0, 0.03 if x > 0 else 0], "orientation": {"axis": [1, 0, 0], "angle_deg": angle},
                       "shape": {"type": "cloth", "size": [1, 1], "cells": [10, 10], "grid": "alternating"},
                       "deformable": {"area_density": 0.2, "edge_stiffness": 200, "bending": 1e-4,
                                      "held": [{"box": box} for box in boxes]}})
    write({
        "touchstone": 1, "name": "hanging-sheet", "title": "Two hanging sheets",
        "dt": 1 / 120, "duration": 4, "methods": ["nsn", "cpf"],
        "view": {"eye": [0.6, 0.35, 4.2], "target": [0.1, -0.05, 0]}}, bodies)


def material_extension():
    bodies = []
    for model, y in (("corotational", 0.1), ("neo-hookean", -0.1)):
        held = [{"box": [[s * 0.2 - 0.01, -0.06, -0.06], [s * 0.2 + 0.01, 0.06, 0.06]], "path": [[0, [0, 0, 0]], [1.5, [s * 0.3, 0, 0]]]}
                for s in (-1, 1)]
        bodies.append({"name": model, "position": [0, y, 0], "density": 1000,
                       "shape": {"type": "lattice", "size": [0.4, 0.1, 0.1], "cells": [8, 2, 2]},
                       "deformable": {"model": model, "young": 1e5, "poisson": 0.45, "held": held}})
    write({
        "touchstone": 1, "name": "material-extension", "title": "Two materials pulled apart",
        "gravity": [0, 0, 0], "dt": 1 / 120, "duration": 2, "methods": ["nsn", "cpf"],
        "view": {"eye": [0, 0.2, 1.5], "target": [0, 0, 0]}}, bodies)


def held_corners(half):
    """Of a cloth with edges of twice that length."""
    return [{"box": [[a - 0.01, -0.1, b - 0.01], [a + 0.01, 0.1, b + 0.01]]} for a in (-half, half) for b in (-half, half)]


def cloth_and_tori():
    bodies = [{"name": "cloth", "material": "cloth", "shape": {"type": "cloth", "size": [1, 1], "cells": [20, 20], "grid": "alternating"},
               "deformable": {"area_density": 0.2, "edge_stiffness": 50, "bending": 1e-5, "mass_damping": 0.5, "held": held_corners(0.5)}}]
    for n, (x, z) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        bodies.append({"name": "torus %d" % (n + 1), "position": [0.2 * x, round(0.1 + 0.1 * n, 3), 0.2 * z], "material": "rubber",
                       "orientation": {"axis": [1, 0, 0], "angle_deg": 15 * n},
                       "shape": {"type": "mesh", "file": "../meshes/small-torus/small-torus.obj"},
                       "deformable": {"young": 1e4, "poisson": 0.35, "cell": 0.07, "damping": 2e-4, "mass_damping": 0.5}})
    write({
        "touchstone": 1, "name": "cloth-and-tori", "title": "Four soft tori fall on a cloth",
        "dt": 1 / 120, "duration": 2.5, "methods": ["cpf", "dpf", "dpf-ccd"],
        "materials": [{"name": "cloth", "density": 200, "friction": 0.8}, {"name": "rubber", "density": 150, "friction": 0.8}],
        "view": {"eye": [1.2, 0.5, 1.7], "target": [0, -0.2, 0]}}, bodies)


def octopus_bowl():
    bodies = [{"name": "bowl", "motion": "static", "material": "bowl", "shape": {"type": "mesh", "file": "../meshes/bowl/bowl.obj"}},
              {"name": "octopus", "position": [0.02, 0.3, 0], "velocity": [0, -5, 0], "material": "octopus",
               "shape": {"type": "mesh", "file": "../meshes/octopus/octopus.obj"},
               "deformable": {"young": 2e4, "poisson": 0.4, "cell": 0.05, "damping": 3e-4, "mass_damping": 0.5}}]
    write({
        "touchstone": 1, "name": "octopus-bowl", "title": "A soft octopus is thrown into a thin bowl",
        "dt": 1 / 120, "duration": 1, "methods": ["cpf", "dpf"],
        "materials": [{"name": "bowl", "density": 1000, "friction": 0.3}, {"name": "octopus", "density": 500, "friction": 0.3}],
        "view": {"eye": [0.5, 0.65, 0.9], "target": [0, 0.12, 0]}}, bodies)


def soft_bucket():
    bodies = [{"name": "bucket", "motion": "static", "material": "bucket", "shape": {"type": "mesh", "file": "../meshes/bucket/bucket.obj"}}]
    for n in range(5):
        a = 2 * math.pi * n * 0.382
        bodies.append({"name": "blob %d" % (n + 1), "material": "blob",
                       "position": [round(0.06 * math.cos(a), 4), round(0.25 + 0.17 * n, 3), round(0.06 * math.sin(a), 4)],
                       "orientation": {"axis": [1, 0, 1], "angle_deg": 40 * n},
                       "shape": {"type": "mesh", "file": "../meshes/blob/blob.obj"},
                       "deformable": {"young": 3e4, "poisson": 0.4, "cell": 0.07, "damping": 2e-4, "mass_damping": 0.5}})
    write({
        "touchstone": 1, "name": "soft-bucket", "title": "Five soft lumps fall into a bucket",
        "dt": 1 / 120, "duration": 2, "methods": ["cpf", "dpf"],
        "materials": [{"name": "bucket", "density": 1000, "friction": 0.3}, {"name": "blob", "density": 500, "friction": 0.3}],
        "view": {"eye": [0.55, 0.85, 1.1], "target": [0, 0.22, 0]}}, bodies)


def tomato_scale():
    at = 0.3  # m along x, of the scale
    bodies = [dict(GROUND, material="table"),
              {"name": "tomato", "position": [0, 0.0281, 0], "material": "tomato", "density": 1000,
               "shape": {"type": "mesh", "file": "../meshes/tomato/tomato.obj"},
               "deformable": {"young": 1e5, "poisson": 0.45, "cell": 0.0175}},
              {"name": "slide", "material": "steel", "mass": 1, "position": [0, 0.26, 0], "shape": {"type": "box", "size": [0.05, 0.02, 0.05]}},
              {"name": "carriage", "material": "steel", "mass": 0.5, "position": [0, 0.14, 0],
               "shape": {"type": "box", "size": [0.03, 0.02, 0.16]}},
              {"name": "scale", "motion": "static", "material": "steel", "position": [at, 0.02, 0], "shape": {"type": "box", "size": [0.1, 0.04, 0.1]}},
              {"name": "plate", "material": "steel", "mass": 0.1, "position": [at, 0.075, 0],
               "shape": {"type": "box", "size": [0.12, 0.01, 0.12]}},
              {"name": "needle", "material": "steel", "mass": 0.005, "position": [at, 0.02, 0.065],
               "shape": {"type": "pieces", "pieces": [{"type": "box", "size": [0.004, 0.06, 0.002], "position": [0, 0.03, 0]}]}}]
    joints = [
        {"name": "along", "type": "prismatic", "body_b": "slide", "position": [0, 0.26, 0], "axis": [1, 0, 0],
         "drive": {"stiffness": 50000, "damping": 500, "targets": [[1.6, 0], [2.6, at]]}},
        {"name": "up", "type": "prismatic", "body_a": "slide", "body_b": "carriage", "position": [0, 0.14, 0], "axis": [0, 1, 0],
         "drive": {"stiffness": 50000, "damping": 500, "targets": [[0.6, 0], [1.6, 0.15], [2.6, 0.15], [3.4, 0.076], [4.0, 0.076], [4.5, 0.15]]}},
        {"name": "spring", "type": "prismatic", "body_a": "scale", "body_b": "plate", "position": [at, 0.075, 0], "axis": [0, -1, 0],
         "drive": {"stiffness": 200, "damping": 4, "target": round(-0.1 * 9.81 / 200, 9)}},
        {"name": "dial", "type": "revolute", "body_a": "scale", "body_b": "needle", "position": [at, 0.02, 0.065], "axis": [0, 0, -1],
         "mimic": {"joint": "spring", "ratio": 20, "offset": 0}}]
    for name, side in (("left", 1), ("right", -1)):
        z = side * 0.055
        bodies.append({"name": name + " pad", "material": "rubber", "mass": 0.08, "position": [0, 0.033, z],
                       "shape": {"type": "box", "size": [0.04, 0.03, 0.01]}})
        joints.append({"name": name + " finger", "type": "prismatic", "body_a": "carriage", "body_b": name + " pad",
                       "position": [0, 0.033, z], "axis": [0, 0, -side], "limits": [-0.03, 0.05],
                       "drive": {"stiffness": 2000, "damping": 40, "most_force": 6, "targets": [[0.1, 0], [0.5, 0.045], [3.5, 0.045], [3.9, 0]]}})
    write({
        "touchstone": 1, "name": "tomato-scale", "title": "A tomato is picked up and weighed",
        "dt": 1 / 120, "duration": 6, "methods": ["nsn"],
        "materials": [{"name": "table", "density": 1000, "friction": 0.75}, {"name": "tomato", "density": 1000, "friction": 0.75},
                      {"name": "rubber", "density": 1000, "friction": 0.75}, {"name": "steel", "density": 7800, "friction": 0.75}],
        "parameters": {"nsn": {"max_iterations": 10, "linear_solver": "direct", "geometric": "joints"}},
        "view": {"eye": [0.35, 0.3, 0.75], "target": [0.15, 0.1, 0]}}, bodies, joints)


def soft_ball_hand():
    bodies, joints = [], []
    add_hand(bodies, joints, "hand", 0, None, [[0.2, 0], [1.2, 1], [3, 1], [4, 0]], {"motion": "static"},
             ((0, 0.65, 0.3, 0.1), (0, 0.2, 0, 0)))
    bodies.append({"name": "ball", "position": [0, 0.0562, 0], "material": "ball", "density": 500,
                   "shape": {"type": "sphere", "radius": 0.04},
                   "deformable": {"young": 5e4, "poisson": 0.45, "cell": 0.02}})
    write({
        "touchstone": 1, "name": "soft-ball-hand", "title": "A hand squeezes a soft ball",
        "dt": 1 / 120, "duration": 5, "methods": ["nsn"],
        "materials": [{"name": "skin", "density": 1000, "friction": 0.8}, {"name": "ball", "density": 500, "friction": 0.8}],
        "parameters": {"nsn": {"max_iterations": 14, "linear_solver": "direct", "geometric": "joints"}},
        "view": {"eye": [0.12, 0.25, 0.4], "target": [0, 0.07, 0]}}, bodies, joints)


def soft_gripper():
    rise = [[1.6, [0, 0, 0]], [2.6, [0, 0.1, 0]]]
    bodies = [{"name": "pedestal", "motion": "static", "material": "table", "position": [0, -0.16, 0],
               "shape": {"type": "cylinder", "radius": 0.02, "height": 0.1}},
              {"name": "ball", "mass": 0.32, "material": "ball", "position": [0, -0.075, 0],
               "shape": {"type": "sphere", "radius": 0.035, "subdivisions": 2}}]
    for n in range(3):
        a = 2 * math.pi * n / 3
        # About z, so that the finger's x points down and its y outward; then about y, to its place on the ring.
        c, s, half = math.cos(a), math.sin(a), math.sqrt(0.5)
        q = [half * math.cos(a / 2), half * math.sin(a / 2), -half * math.sin(a / 2), -half * math.cos(a / 2)]
        bodies.append({"name": "finger %d" % (n + 1), "material": "silicone", "density": 1200,
                       "position": [round(0.045 * c, 9), -0.05, round(0.045 * s, 9)], "orientation": [round(v, 12) for v in q],
                       "shape": {"type": "mesh", "file": "../meshes/finger/finger.msh"},
                       "deformable": {"model": "corotational", "young": 1e7, "poisson": 0.47,
                                      "activation": {"eigenstrain": [[0.1, 0], [1.3, 0.16]], "box": [[-0.05, 0.005, -0.01], [0.05, 0.02, 0.01]]},
                                      "layer": {"box": [[-0.051, -0.001, -0.01], [0.051, 0.001, 0.01]], "edge_stiffness": 1e5},
                                      "held": [{"box": [[-0.051, -0.001, -0.01], [-0.049, 0.021, 0.01]], "path": rise}]}})
    write({
        "touchstone": 1, "name": "soft-gripper", "title": "Three soft fingers lift a ball",
        "dt": 1 / 120, "duration": 3, "methods": ["nsn"],
        "materials": [{"name": "table", "density": 1000, "friction": 0.7}, {"name": "ball", "density": 1780, "friction": 0.7},
                      {"name": "silicone", "density": 1200, "friction": 0.7}],
        "parameters": {"nsn": {"max_iterations": 20, "linear_solver": "direct", "geometric": "joints"}},
        "view": {"eye": [0.28, 0.02, 0.4], "target": [0, -0.03, 0]}}, bodies)


def tori_on_cloth():
    """The full size of figure 12: 28 tori in 7 layers of 4 on a cloth of 100 × 100 cells."""
    bodies = [{"name": "cloth", "material": "cloth", "shape": {"type": "cloth", "size": [2, 2], "cells": [100, 100]},
               "deformable": {"area_density": 0.2, "edge_stiffness": 200, "bending": 1e-5, "mass_damping": 0.5, "held": held_corners(1)}}]
    for layer in range(7):
        for n, (x, z) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            a = 0.3 * layer
            bodies.append({"name": "torus %d" % (4 * layer + n + 1), "material": "rubber",
                           "position": [round(0.4 * (x * math.cos(a) - z * math.sin(a)), 4), round(0.15 + 0.3 * layer, 3),
                                        round(0.4 * (x * math.sin(a) + z * math.cos(a)), 4)],
                           "orientation": {"axis": [1, 0, 0], "angle_deg": 11 * ((3 * layer + n) % 5)},
                           "shape": {"type": "mesh", "file": "../meshes/fine-torus/fine-torus.obj"},
                           "deformable": {"young": 2e4, "poisson": 0.35, "cell": 0.06, "damping": 2e-4, "mass_damping": 0.5}})
    write({
        "touchstone": 1, "name": "tori-on-cloth", "title": "Twenty-eight soft tori fall on a cloth (64 800 triangles)",
        "dt": 1 / 120, "duration": 3, "methods": ["cpf"],
        "materials": [{"name": "cloth", "density": 200, "friction": 0.8}, {"name": "rubber", "density": 200, "friction": 0.8}],
        "view": {"eye": [3.1, 2.1, 4.4], "target": [0, 0.75, 0]}}, bodies)


def bucket_of_forty():
    """The full size of figure 14: twenty knots and twenty lumps of 2560 triangles, in layers of five."""
    bodies = [{"name": "bucket", "motion": "static", "material": "bucket",
               "shape": {"type": "mesh", "file": "../meshes/wide-bucket/wide-bucket.obj"}}]
    for n in range(40):
        layer, a = n // 5, 2 * math.pi * (n % 5) / 5 + 0.6 * (n // 5)
        kind = "blob" if n % 2 else "knot"
        bodies.append({"name": "%s %d" % (kind, n // 2 + 1), "material": "soft", "release_time": round(0.4 * layer, 3),
                       "position": [round(0.3 * math.cos(a), 4), round(0.35 + 0.32 * layer, 3), round(0.3 * math.sin(a), 4)],
                       "orientation": {"axis": [1, 0, 1], "angle_deg": (67 * n) % 360},
                       "shape": {"type": "mesh", "file": "../meshes/fine-blob/fine-blob.obj" if n % 2 else "../meshes/knot-tube/knot-tube.obj"},
                       "deformable": {"young": 5e4, "poisson": 0.4, "cell": 0.06 if n % 2 else 0.04, "damping": 3e-4, "mass_damping": 0.5}})
    write({
        "touchstone": 1, "name": "bucket-of-forty", "title": "Forty soft bodies fall into a bucket (103 000 triangles)",
        "dt": 1 / 120, "duration": 5, "methods": ["cpf"],
        "materials": [{"name": "bucket", "density": 1000, "friction": 0.3}, {"name": "soft", "density": 500, "friction": 0.3}],
        "view": {"eye": [0.8, 3.2, 1.7], "target": [0, 0.5, 0]}}, bodies)


if __name__ == "__main__":
    thin_plate()
    incline()
    stick()
    particle()
    rings()
    chain()
    heavy_stack()
    pour_2d()
    dual_trap()
    bin_of_boxes()
    tilted_stack()
    pendulum()
    double_pendulum()
    jointed_chain()
    loaded_chain()
    arch()
    tables()
    drawer()
    humanoid()
    humanoids("humanoids", "A hundred figures with random torques", 10)
    humanoids("humanoids-400", "Four hundred figures with random torques", 20)
    beam_insertion()
    hands()
    soft_block()
    cantilever()
    hanging_sheet()
    material_extension()
    cloth_and_tori()
    octopus_bowl()
    soft_bucket()
    tomato_scale()
    soft_ball_hand()
    soft_gripper()
    tori_on_cloth()
    bucket_of_forty()
