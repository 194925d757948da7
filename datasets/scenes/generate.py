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
    """One body and one joint per line, so that changes can be read."""
    text = json.dumps(scene, indent=2, ensure_ascii=False)[:-2]
    for name, items in (("bodies", bodies), ("joints", joints)):
        if items:
            lines = ",\n".join("    " + json.dumps(item, ensure_ascii=False) for item in items)
            text += ',\n  "%s": [\n%s\n  ]' % (name, lines)
    (HERE / (scene["name"] + ".json")).write_text(text + "\n}\n")


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
        "lesson": [
            "**What to look for.** All panes pour the same polygons. In the plane every overlap is an area, so the "
            "plot of the overlap shows at once what one linearisation per step costs: LCP and PEG sink in by less "
            "than a square centimetre most of the time and by tens of them for moments, PEG's `exact` step (set `step` of a PEG pane to "
            "`exact`) by nothing that double precision could hold.",
            "**Where LCP and PEG differ.** At a corner the standard model (LCP) forbids what lies behind the "
            "*extended* line of each edge. Where two such half-planes leave no room, its problem has no solution, "
            "and the badge says so. PEG asks for the outside of the corner only; its traps, drawn as diamonds, are "
            "states that the standard model would have forbidden.",
            "**What to change.** Raise the time step to 20 ms: rotation within a step grows, and with it the overlap "
            "of `plain`. Set `eps_theta` of LCP to 2 (no applicability test): it loses a run soon.",
            "After Williams, Lu and Trinkle 2017, figure 20; frictionless as published. The paper does not give "
            "sizes, so compare orders of magnitude.",
            "**Try it.** [step of 20 ms](do:dt/0.02) · [LCP without applicability "
            "test](do:set/lcp/eps_theta/2) · [PEG exact](do:set/peg/step/exact) · [start again](do:restart) · "
            "[run 2 s](do:run/2)"],
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
        "lesson": [
            "**What to look for.** Free space, no gravity. *Left*: a sliver moves up between two blocks and touches "
            "neither at first. The standard model (LCP) asks its tip to stay above the extended top line of the lower "
            "block and below the extended bottom line of the upper one: no velocity does both, and the badge says "
            "*no solution*. *Right*: a wedge comes down on another one, tip beside tip. LCP holds it in the empty air; "
            "PEG lets the tips meet and slide past each other.",
            "**Why.** At two facing corners a tip may pass on one side *or* on the other. PEG writes this as four sets, "
            "I{C1, C2}, I{C3, C4}, X{C1, C4} and X{C2, C3}, of which each needs only one contact to hold. Select a "
            "contact to see its set; diamonds mark traps.",
            "**What to change.** Set `eps_theta` of LCP to 0.5: the applicability test drops most of the false contacts "
            "and with them both traps. Set `margin` to 0.01: traps shrink with ε. Add a pane with PEG's `exact` step: it "
            "needs neither sets nor ε.",
            "After Williams, Lu and Trinkle 2017, figure 5.",
            "**Try it.** [applicability test for LCP](do:set/lcp/eps_theta/0.5) · [margin 1 "
            "cm](do:set/lcp,peg/margin/0.01) · [add PEG with the exact step](do:add/peg/step/exact) · [start "
            "again](do:restart) · [run 1 s](do:run/1)"],
        "gravity": [0, 0, 0], "dt": 0.01, "duration": 2, "methods": ["lcp", "peg"],
        "materials": [{"name": "plate", "density": 100}],
        "parameters": {"lcp": {"margin": 0.07, "eps_theta": 2}, "peg": {"margin": 0.07}},
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
        "lesson": [
            "**What to look for.** Five cubes of 8, 64, 512, 4096 and 32768 kg, each on a lighter one. The lowest carries "
            "4681 times its own weight. LCP and PEG hold it: look at the deepest penetration, far below a micrometre. "
            "The penalty methods lose it: at every stiffness tried (2e7 to 2e8 N/m) the light boxes are squeezed out. "
            "They need a step that is stable for the *lightest* box at a stiffness that carries the *heaviest*: "
            "σ̂ = h² k Σ 1/m decides, and a soft light box below a heavy one buckles.",
            "**Why it is hard.** Condition: the rows of one solve differ by the ratio of masses. Direct methods "
            "(Lemke, Newton) do not mind; projected Gauss–Seidel passes weight on by one box and sweep and would need "
            "thousands of sweeps.",
            "**What to change.** Choose `newton-fb` or `lemke` as the solver and compare the convergence plots. Raise the "
            "stiffness of CPF tenfold and look at when the lowest box leaves.",
            "**Try it.** [LCP with newton-fb](do:method/lcp/lcp-newton-fb) · [LCP with "
            "lemke](do:method/lcp/lcp-lemke) · [add LCP with pgs](do:add/lcp-pgs) · [add LCP with newton-fb and pcr, without a "
            "matrix](do:add/lcp-newton-fb-pcr) · [start again](do:restart) · [run 1 s](do:run/1)"],
        "dt": 0.01, "duration": 5, "methods": ["cpf", "lcp", "peg"],
        "materials": [{"name": "rough", "density": 1000, "friction": 0.5}],
        "parameters": {"cpf": {"stiffness": 2e7, "damping": 2e3, "substeps": 40}},
        "view": {"eye": [3.6, 2.6, 6.4], "target": [0, 1.25, 0]}}, bodies)


GROUND = {"name": "ground", "motion": "static", "shape": {"type": "plane"}}


def thin_plate():
    write({
        "touchstone": 1, "name": "thin-plate", "title": "A fast ball against a plate of 5 mm",
        "lesson": [
            "**What to look for.** The ball moves 20 mm per step, four times the thickness of the plate. DPF looks at one "
            "instant per step: it meets the ball on the far side or inside, pushes it through, and it is gone. DPF-CCD and "
            "CPF find the crossing by continuous collision detection and remember through which face each vertex came: "
            "the ball sinks in far deeper than the plate is thick, and comes back.",
            "**Why.** Memory and one-sidedness keep the side; depth is measured against the face that was entered, not "
            "against the nearest one. LCP and PEG find the crossing likewise and stop the ball at its "
            "surface (plastically).",
            "**What to change.** Raise the stiffness of CPF to 2e5, and set its `contacts` to `features`: the ball is caught "
            "and then shot back faster than it came (+28 m/s), because the whole cap of vertices enters in one step: choose "
            "k by σ̂ with *all* vertices that can enter. A face has three springs, whatever enters: by faces it leaves at 10 "
            "m/s. Divide the time step by 20 and raise the stiffness of DPF to 2e6: now DPF catches the ball too.",
            "**Try it.** [CPF at 2e5 N/m](do:set/cpf/stiffness/2e5) · [CPF by features](do:set/cpf/contacts/features) · "
            "[DPF at 2e6 N/m](do:set/dpf/stiffness/2e6) · [step twenty times smaller](do:dt/0.00005) · "
            "[trails](do:show/trails) · [start again](do:restart) · [run 0.1 s](do:run/0.1)"],
        "dt": 0.001, "duration": 0.25, "methods": ["dpf", "dpf-ccd", "cpf", "lcp", "peg"],
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
        "lesson": [
            "**What to look for.** Both plates have μ = 0.5. One is tilted to tan θ = 0.98 μ: its box must stay. The other to "
            "tan θ = 1.02 μ: its box must slide with g (sin θ − μ cos θ) = 0.0874 m/s², so that it moves at 0.175 m/s "
            "and has gone 0.175 m after 2 s, 0.70 m after 4 s: the grey curves in the plots of kinetic energy and forces. "
            "Sticking and sliding contacts have disks of different colour.",
            "**Why the penalty methods creep.** Their friction is a spring and damper between reference points (Yamane and "
            "Nakamura 2006). With the published settings dynamic friction is weighted by 1 − exp(−k_ω v): below a speed of "
            "−ln(1 − tan θ/μ)/k_ω a box creeps although it should stick. This scene sets k_ω = 10⁴ s/m, a damper near "
            "critical, and `return-map`, which keep the answer within 2 %. The springs are stiff because a box slips while "
            "they take up its weight, and just below the friction angle hardly anything stops it again.",
            "**What to change.** Set `friction_weighting` to 100 and `friction_reset` to `paper`: the lower box creeps by "
            "centimetres. LCP and PEG stick exactly: their friction is Coulomb's cone, whichever way the slope runs "
            "(lemke: a pyramid of 8 facets).",
            "**Try it.** [published friction settings](do:set/dpf,cpf/friction_weighting/100) · [paper "
            "reset](do:set/dpf,cpf/friction_reset/paper) · [plot the friction "
            "force](do:plot/1/friction_force) · [start again](do:restart) · [run 2 s](do:run/2)"],
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
        "lesson": [
            "**What to look for.** The stick moves to the right and turns; the ball comes down on its end. There is no "
            "gravity, so the ball leaves in the direction of the one impulse that it gets. With CPF it goes up; DPF "
            "pushes it out on the far side of the stick, downwards.",
            "**Why they differ.** In one frame the ball sinks past the middle of the stick's end. DPF looks for the nearest "
            "surface, which then lies below. CPF and DPF-CCD remember through which faces the ball came. LCP and PEG "
            "stop it at the surface: their impact is plastic, so the ball is pushed along.",
            "**What to change.** Divide the step by ten: DPF sees the ball before it has sunk that deep, and the methods "
            "come closer. Set `contacts` of CPF to `features` for the published law, in which every vertex of the ball "
            "has a spring of its own.",
            "After the ball and stick of Tang et al. 2012, figure 9; the paper gives no numbers, so compare directions.",
            "**Try it.** [a tenth of the step](do:dt/0.0016666667) · [CPF by features](do:set/cpf/contacts/features) · "
            "[trails](do:show/trails) · [start again](do:restart) · [run 0.5 s](do:run/0.5)"],
        "gravity": [0, 0, 0], "dt": 0.0166666667, "duration": 1, "methods": ["dpf", "dpf-ccd", "cpf", "peg"],
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
        "lesson": [
            "**What to look for.** One point of 1 kg falls 0.1 m onto a spring of 10 kN/m, again and again, and the stiffness "
            "wavers: k(τ) = k₀ (1 + e sin ω₀ τ), ω₀ = √(k₀/m) = 100 rad/s. With e = 0.25 DPF rises to more than twice the "
            "height of the drop; CPF never above it.",
            "**Why.** A spring that varies in time pumps energy into *any* method that resolves it: with a step of 20 µs "
            "CPF rises as well. At 2 ms CPF survives by its numerical damping, a dashpot c = h k/2. DPF has none.",
            "**What to change.** `stiffness_perturbation` e: DPF first fails (rises above 1.5 times the drop within 10 s) "
            "at e = 0.101, CPF at 0.578; the outcome is chaotic in e, so count over many. Set `evaluate` of DPF to `end`: it "
            "survives even longer than CPF (0.617).",
            "After Tang et al. 2012, section 3.6, which gives neither frequency nor criterion: both are chosen so that its "
            "figures (15 % and 70 %) come out.",
            "**Try it.** [e = 0.1](do:set/dpf,cpf/stiffness_perturbation/0.1) · [e = "
            "0.58](do:set/dpf,cpf/stiffness_perturbation/0.58) · [DPF judges at the "
            "end](do:set/dpf/evaluate/end) · [start again](do:restart) · [run 4 s](do:run/4)"],
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
        "lesson": [
            "**What to look for.** The rings rattle down pins of 24 mm. A ring is not convex: the penalty methods collide "
            "its surface as it is, with vertices against faces and edges against edges. LCP and PEG can be chosen: they "
            "collide the 16 convex segments that the scene ships with it, at up to seconds per frame once rings pile up, "
            "tens of milliseconds with `newton-fb` and `pcr`, or milliseconds with `pgs`.",
            "**Where methods differ.** On a thin pin the nearest surface point of DPF may lie on the far side, so that it "
            "pushes a ring through; DPF-CCD and CPF remember where it came in. Add LCP and PEG with `pgs` and watch *Energy "
            "change*: LCP keeps rings behind the planes of segments that they never touch and throws them apart, and energy "
            "jumps up by tens of joules; PEG knows where a segment ends, and energy falls but for the joule or two that "
            "overlaps give as they are undone.",
            "**What to change.** Raise the frame length to 10 ms and watch which method loses a ring first.",
            "After the rings of Tang et al. 2012, figure 1b.",
            "**Try it.** [add LCP with pgs](do:add/lcp-pgs) · [add PEG with pgs](do:add/peg-pgs) · [add PEG with newton-fb "
            "and pcr](do:add/peg-newton-fb-pcr) · [step of 10 ms](do:dt/0.01) · [wireframe](do:show/wireframe) · [start "
            "again](do:restart) · [run 1 s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** The first link is fixed beside the box, the others fall: the middle ones onto the box, the "
            "free end over its edge, where it swings down and strikes its side. The links hold by contact alone, there are "
            "no joints: pulled, two bars cross inside each other's hole. Plot `force_between` of *box* and the links: a "
            "chain that rests presses steadily, a discrete method rattles.",
            "**Where methods differ.** Penalty links stretch: each joint needs a depth F/k to carry F, and the whole chain "
            "oscillates on these springs. LCP and PEG carry the chain with no stretch, on the 14 convex pieces per link that "
            "the scene ships; hundreds of rows are coupled once it swings.",
            "**What to change.** Lower the stiffness until a method loses a link: one that sinks beyond the middle of a bar "
            "leaves on the other side. Set `contacts` to `features`, the published law, and compare *Energy change*.",
            "After the chain of Tang et al. 2012, figures 1a and 8.",
            "**Try it.** [add LCP with pgs](do:add/lcp-pgs) · [add PEG with newton-fb and "
            "pcr](do:add/peg-newton-fb-pcr) · [stiffness ten times lower](do:set/dpf,dpf-ccd,cpf/stiffness/2e3) · "
            "[trails](do:show/trails) · [start again](do:restart) · [run 1 s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** Boxes of 0.2 m fall into a bin, turned by chance, one after the other. The pile comes to "
            "rest within a second under all three penalty methods, and nobody sinks into a neighbour: look at the deepest "
            "penetration, and at *Select a body* for what carries it.",
            "**Why.** Each pair of boxes has one direction, that of the feature which separates both best, and a spring of "
            "stiffness k at each corner of the faces' overlap. A box that lies on a whole face rests m g/4k deep, one that "
            "stands on a corner four times as deep.",
            "**What to change.** Set `contacts` to `features`: each vertex then looks for the nearest face by itself, as "
            "published. Once a corner is deeper than it is far from a side face, it is pushed out sideways, nothing carries "
            "the weight any more, and boxes melt into each other.",
            "**Try it.** [the published contacts](do:set/dpf,dpf-ccd,cpf/contacts/features) · [a tenth of the "
            "stiffness](do:set/dpf,dpf-ccd,cpf/stiffness/1e4) · [plot the deepest penetration](do:plot/1/penetration_max) · "
            "[start again](do:restart) · [run 1 s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** Four boxes of 0.2 m are dropped by 2 mm on each other, each tilted by up to half a degree "
            "about an axis of its own. They settle, and the tower stands straight: the centre of the top one comes to rest "
            "at 0.7 m less Σ n m g/4k, what the springs below it give way.",
            "**Why it is hard.** Faces that are nearly parallel meet first at a corner, then along an edge. A method that "
            "takes each vertex or edge by itself balances the box on single points, each of which looks for its own nearest "
            "surface.",
            "**What to change.** Set `contacts` to `features`, as published. Set the stiffness to 2e4 or 4e5. Add LCP or PEG: "
            "both put the boxes down flat at once.",
            "**Try it.** [the published contacts](do:set/dpf,dpf-ccd,cpf/contacts/features) · [softer "
            "springs](do:set/dpf,dpf-ccd,cpf/stiffness/2e4) · [add PEG](do:add/peg) · [start again](do:restart) · [run 1 "
            "s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** A mass of 1 kg on a massless arm of 1 m is let go at 1 rad. Without friction it would swing "
            "for ever: look at the plot of the total energy. CPF's pane takes the force of the joint where the step starts, so "
            "that the joint holds where it ends, and keeps the energy. LCP's has a row for the speed of the joint and brings the bob "
            "back to its circle at the end of each step, which costs some 6 % of the swing in ten seconds. Non-smooth Newton takes the force where the step ends, "
            "which is implicit Euler, and loses energy in each swing: to first order the amplitude falls by exp(−ω² h t/2), "
            "ω² = g/l. The arm stays as long as it is in both, to a millionth of a millimetre (plot *Error of joints*).",
            "**Why.** Implicit Euler is stable at any step since it damps, and the fastest motion most. That is what a method "
            "for stiff systems wants, and what a clock does not.",
            "**What to change.** Halve the step: the loss per second halves as well.",
            "**Try it.** [2 steps per frame](do:substeps/nsn/2) · [8 steps per frame](do:substeps/nsn/8) · [plot the total "
            "energy](do:plot/1/energy_total) · [plot the error of the joint](do:plot/2/joint_error) · [start "
            "again](do:restart) · [run 2 s](do:run/2)"],
        "dt": 1 / 120, "duration": 10, "methods": ["cpf", "lcp", "nsn"],
        "parameters": {"cpf": {"substeps": 4}, "lcp": {"substeps": 4}},
        "view": {"eye": [0, -0.3, 3], "target": [0, -0.4, 0]}}, bodies, joints)


def double_pendulum():
    bodies, joints = hanging(2, 0.2, 0)
    write({
        "touchstone": 1, "name": "double-pendulum", "title": "A double pendulum, from the horizontal",
        "lesson": [
            "**What to look for.** Two rods of 0.2 m and 1 kg hang on each other by ball joints and are let go from the "
            "horizontal. The motion of the exact pendulum is chaotic and keeps its energy; so nearly does CPF's pane, whose joints pull "
            "where the step starts. LCP's, with rows of speeds and a projection of positions, loses more than half in ten seconds. Non-smooth Newton takes the joints' forces where the step ends: at 120 steps per second "
            "nearly all of the energy is gone after ten seconds, and the whips of the lower rod with it.",
            "**Why.** Its numerical damping grows with the square of the frequency: the whip is the fastest part.",
            "**What to change.** More substeps: the energy lasts longer, and the motion becomes another one, since it is "
            "chaotic.",
            "**Try it.** [4 steps per frame](do:substeps/nsn/4) · [plot the total energy](do:plot/1/energy_total) · [plot the "
            "error of the joints](do:plot/2/joint_error) · [start again](do:restart) · [run 2 s](do:run/2)"],
        "dt": 1 / 120, "duration": 10, "methods": ["cpf", "lcp", "nsn"],
        "parameters": {"cpf": {"substeps": 4}, "lcp": {"substeps": 4}},
        "view": {"eye": [0, 0, 1.5], "target": [0, -0.1, 0]}}, bodies, joints)


def jointed_chain():
    bodies, joints = hanging(10, 0.2, 60)
    write({
        "touchstone": 1, "name": "jointed-chain", "title": "Ten links on ball joints",
        "lesson": [
            "**What to look for.** Ten links of 0.2 m and 1 kg hang in a line, 60° below the horizontal, and swing. The joints "
            "hold to far below a micrometre in both panes (plot *Error of joints*). CPF's keeps the energy; that of non-smooth "
            "Newton, which takes the joints' forces where the step ends, falls by a fourth of the swing within four seconds.",
            "**What to change.** Substeps keep the energy. The scene `loaded-chain` has a heavy last link.",
            "**Try it.** [4 steps per frame](do:substeps/nsn/4) · [plot the total energy](do:plot/1/energy_total) · [plot the "
            "error of the joints](do:plot/2/joint_error) · [start again](do:restart) · [run 1 s](do:run/1)"],
        "dt": 1 / 120, "duration": 4, "methods": ["cpf", "nsn"], "parameters": {"cpf": {"substeps": 4}},
        "view": {"eye": [0, -0.9, 4.5], "target": [0, -1.0, 0]}}, bodies, joints)


def loaded_chain():
    bodies, joints = hanging(10, 0.2, 60, heavy=100.0)
    write({
        "touchstone": 1, "name": "loaded-chain", "title": "A loaded chain that the published method explodes",
        "lesson": [
            "**What to look for.** The last of ten links weighs 100 kg, the others 1 kg. With the geometric stiffness of the "
            "joints in its linear system non-smooth Newton lets it swing. Add a pane without it, as published for rigid "
            "bodies: its links whip around and gain many times the energy that there was.",
            "**Why.** A joint under tension turns back a link that turns: K = −[λ]×[r]×. Newton's matrix without this term "
            "believes that links turn freely. At one step of 1/120 s the term is many times the links' inertia, h² K ≫ I, "
            "and the iteration diverges.",
            "**What to change.** Switch `geometric` of a pane.",
            "**Try it.** [add the published form](do:add/nsn/geometric/off) · [plot the "
            "total energy](do:plot/1/energy_total) · [plot the residual](do:plot/2/residual) · [start again](do:restart) · "
            "[run 1 s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** Twenty blocks of 15 to 110 kg stand by friction alone (μ = 0.6) between two fixed feet. Each "
            "joint has four contacts, more than its forces need: the systems of Newton's method are singular. With the linear "
            "solver *pcr* the arch stands, displaced by some hundredths of a millimetre in the first second.",
            "**Why.** Conjugate residuals end at a short solution of a singular system. Sweeps (*jacobi*, *gauss-seidel*) pass "
            "a load on by one block each: with as many iterations the arch creeps and falls.",
            "**What to change.** The linear solver of a pane, or remove a block: every method lets it fall.",
            "**Try it.** [linear solver jacobi](do:set/nsn/linear_solver/jacobi) · [linear solver pcr](do:set/nsn/linear_solver/pcr) "
            "· [add LCP](do:add/lcp) · [start again](do:restart) · [run 1 s](do:run/1)",
            "After Macklin et al. 2019, figure 14; shape, thickness and density are ours."],
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
        "lesson": [
            "**What to look for.** Tables of 4.7 kg fall on each other, turned each its own way. Legs go through the gaps of "
            "others; then friction holds them (μ = 0.7). Each table is five convex boxes.",
            "**Why.** Contacts of legs couple many tables: one island has hundreds of contacts. Non-smooth Newton solves each "
            "iteration's system without its matrix.",
            "**What to change.** The Newton iterations: four, as in the paper, leave friction creeping.",
            "**Try it.** [4 Newton iterations](do:set/nsn/max_iterations/4) · [8 Newton iterations](do:set/nsn/max_iterations/8) "
            "· [plot the residual](do:plot/1/residual) · [start again](do:restart) · [run 1 s](do:run/1)",
            "After Macklin et al. 2019, table 2 (\"Table Pile\"); sizes and arrangement are ours."],
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
        "lesson": [
            "**What to look for.** A gripper moves to the handle, closes with 15 N per pad, and pulls. Nothing but the friction "
            "of the pads (μ = 0.8) holds the handle: up to 2 μ N = 24 N against the 4 N of the rail. The drawer opens by 0.3 m, "
            "to its stop.",
            "**Why it is hard.** Drives, limits, dry friction and contacts act at once, and the loop through the handle is "
            "closed by contacts.",
            "**What to change.** With a friction of the pads below 0.13 they slip: give the material `rubber` less in the file.",
            "**Try it.** [plot the error of the joints](do:plot/1/joint_error) · [plot the friction](do:plot/2/friction_force) · "
            "[start again](do:restart) · [run 3 s](do:run/3)",
            "After Macklin et al. 2019 (the cabinet), physics only: the motion is a script, not learned."],
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
        "lesson": [
            "**What to look for.** Fourteen boxes on thirteen hinges. The drives, of up to 40 N·m each, follow targets drawn by "
            "chance: the figure falls and thrashes about. The joints hold to a millimetre and nothing explodes.",
            "**Why it is hard.** Drives at their limit, joint limits and contacts come and go in every step.",
            "**What to change.** The iterations: with four, as in the paper, the joints hold and friction creeps.",
            "**Try it.** [4 Newton iterations](do:set/nsn/max_iterations/4) · [plot the error of the joints](do:plot/1/joint_error) · "
            "[plot the kinetic energy](do:plot/2/energy_kinetic) · [start again](do:restart) · [run 1 s](do:run/1)",
            "After Macklin et al. 2019 (the humanoids), physics only. Many worlds: `touchstone-cli map humanoid --method nsn`."],
        "dt": 1 / 120, "duration": 5, "methods": ["nsn"],
        "materials": [{"name": "floor", "friction": 0.8}, {"name": "flesh", "density": 1000, "friction": 0.8}],
        "view": {"eye": [1.8, 1.6, 3.0], "target": [0, 0.8, 0]}}, bodies, joints)


def humanoids(name, title, side):
    """Rows of the figure, with random torques in the place of targets."""
    figure = json.loads((HERE / "humanoid.json").read_text())
    joints = figure.pop("joints")
    bodies = figure.pop("bodies")
    for joint in joints:
        joint["drive"] = {"damping": 5, "random_force": {"most": 40, "hold": 0.1, "seed": 1}}
    figure.update({
        "name": name, "title": title,
        "lesson": [
            "**What to look for.** %d figures of fourteen boxes on thirteen hinges. Each hinge gets a torque of up to "
            "40 N·m, drawn anew every 0.1 s, and a damper of 5 N·m·s. The figures thrash about; none of them comes apart or explodes." % (side * side),
            "**Why.** Each figure is an island of its own: islands are solved apart and at the same time, each to its own "
            "tolerance.",
            "**What to change.** Ten iterations of pcr and four of Newton, as in the paper: *Counts* 4x10. In the file, "
            "`copies` gives how many there are.",
            "**Try it.** [the paper's counts](do:set/nsn/counts/4x10) · [our own](do:set/nsn/counts/own) · "
            "[plot the error of the joints](do:plot/1/joint_error) · [start again](do:restart) · [run 1 s](do:run/1)",
            "After Macklin et al. 2019, table 2 (\"Humanoid Run\"), physics only: torques are drawn by chance, not learned."],
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
        "lesson": [
            "**What to look for.** Sixteen links of 3 g, with 250 N·m/rad in each joint between them, are clamped at the third and "
            "pushed at 0.1 m/s against a funnel whose axis is 20 mm higher. The beam bows, by some 17 N at its tip, and enters.",
            "**Why it is hard.** A link weighs 10⁻⁷ kg·m² about its centre: h² k/I is 2·10⁵, and an explicit step would have "
            "to be shorter than 30 µs. A force has to pass through all sixteen links in every Newton iteration.",
            "**What to change.** The linear solver: with *jacobi* at the same iterations the beam has no stiffness, droops and "
            "does not enter. With *pcr* and 50 iterations, as in the paper, it sags as well; 300 are as good as *direct*. "
            "[LCP](do:add/lcp) is trapped at the edge of the funnel: its rows keep the tip from ever passing the corner.",
            "**Try it.** [linear solver jacobi](do:set/nsn/linear_solver/jacobi) · [linear solver pcr](do:set/nsn/linear_solver/pcr) "
            "· [50 linear iterations](do:set/nsn/linear_iterations/50) · [plot the residual](do:plot/1/residual) · "
            "[start again](do:restart) · [run 2 s](do:run/2)",
            "After Macklin et al. 2019, figures 11 and 16; links, channel and clamp are ours, its N·m are read as N·m/rad per joint."],
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
        "lesson": [
            "**What to look for.** Four hands of 17 bodies and 16 hinges each close on a gear, a stellated dodecahedron, a "
            "trefoil knot and a lump, and turn once about a horizontal axis in 8 s, so that gravity pulls the objects out of "
            "them. The drives give 0.7 N·m at most. All four objects are still held at the end; the lump has slipped by 4 cm "
            "towards the side when the fingers closed.",
            "**Why it is hard.** Fingers, palm and object are loops of joints and contacts, with drives at their limits; the "
            "objects are unions of up to 80 convex pieces.",
            "**What to change.** The friction (0.8) in the file, or the targets of single hinges: *Parameters → Drives*.",
            "**Try it.** [plot the error of the joints](do:plot/1/joint_error) · [plot the residual](do:plot/2/residual) · "
            "[start again](do:restart) · [run 3 s](do:run/3)",
            "After Macklin et al. 2019, table 2 (\"Allegro DexNet\"); hand and objects are generated, the objects of the paper are not public."],
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
        "lesson": [
            "**What to look for.** A cube of 0.2 m and 8 kg, 3 × 3 × 3 cells of rubber (E = 100 kPa, ν = 0.4), falls 5 cm. It is "
            "flattened, swings out, and rests under all three methods: the force on the ground becomes its weight, 78.48 N, after a "
            "peak of 490 to 510 N. DPF does not jitter here. Look at the depth: the springs of the penalty methods let the cube "
            "rest 0.12 to 0.13 mm deep, and 0.9 mm at the impact; non-smooth Newton (NSN) leaves less than a "
            "micrometre at rest. One step of the impact does not converge, which costs it 0.26 mm.",
            "**Why.** The corners of a soft body are light, and stop one after the other while the rest still falls: no mass of 8 kg has to "
            "be turned round within a step. The penalty methods take 27 steps per frame, because their elastic "
            "forces are explicit and the damping of 3 ms shortens the step that is stable; NSN takes one, and "
            "20 Newton iterations.",
            "**What to change.** Set `damping` of the body to 0 in the file: after 3 s the cube still rocks under DPF and CPF, and the force "
            "varies by 40 to 60 %. Give NSN 8 iterations: its force differs from the weight in the third digit.",
            "**Try it.** [8 Newton iterations](do:set/nsn/max_iterations/8) · [20](do:set/nsn/max_iterations/20) · [plot the "
            "force](do:plot/1/normal_force) · [plot the depth](do:plot/2/penetration_max) · [colour by the change of "
            "volume](do:colour/volume) · [start again](do:restart) · [run 1 s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** A bar of 1 m × 0.2 m × 0.2 m (E = 12 MPa, ν = 0.3) is let go and bends under its own weight. Under CPF "
            "its end swings between 0 and 42 mm, still so after 3 s; under non-smooth Newton (NSN) half of the swing is gone after "
            "each period of 0.24 s, and the end stays at 20.9 mm, the middle of CPF's swing.",
            "**The error of the mesh.** Timoshenko's beam sinks by w L⁴/8EI + w L²/2κGA = 31.9 mm. This one has two cells across, and "
            "tetrahedra whose strain is constant bend too little: 0.66 of it. Both methods have the same elements and so the same "
            "error: 4 cells across reach 0.88, 8 cells 0.96 (for a load at the end). It is no error of a method, and no smaller step removes it.",
            "**The error of the step.** CPF takes the elastic force where the step starts, in 45 small steps per frame, and loses next to nothing. NSN is implicit "
            "Euler: per period T it keeps exp(−ω² h T/2) of the amplitude, 0.50 at 1/120 s. Its step is 22 times longer than an "
            "explicit one may be, and that is the price.",
            "**What to change.** Substeps of NSN: the loss falls with the step. Cells: `cells` in the file, [20, 4, 4] for instance.",
            "**Try it.** [NSN with 4 steps per frame](do:substeps/nsn/4) · [with 1](do:substeps/nsn/1) · [plot the total "
            "energy](do:plot/1/energy_total) · [plot the elastic energy](do:plot/2/energy_elastic) · [show the ghost of the "
            "reference](do:show/ghost) · [start again](do:restart) · [run 1 s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** Two sheets of 1 m² and 0.2 kg, whose edges are springs of 200 N/m. The left one is held along its upper "
            "edge and let go unstretched: under non-smooth Newton (NSN) it is 3.3 mm longer within half a second and stays so; under CPF it "
            "bounces between 0 and 7 mm. The right one is held at two corners, let go at a slant, and swings. "
            "After 3 s NSN has lost 0.2 J that CPF still has.",
            "**Why.** CPF takes the force of each spring where the step starts and needs 12 steps per frame for that; NSN takes it where the step "
            "ends, in one step, which damps whatever is fast. Stretching is fast, so it is gone at once; swinging "
            "is slow, and goes on. Nothing touches here: the difference is that of the integrators alone.",
            "**What to change.** `edge_stiffness` in the file: NSN also does `\"inextensible\": true`, for which no explicit step is small enough. "
            "`mass_damping` damps both alike.",
            "**Try it.** [NSN with 4 steps per frame](do:substeps/nsn/4) · [plot the total energy](do:plot/1/energy_total) · [plot the "
            "elastic energy](do:plot/2/energy_elastic) · [colour by strain](do:colour/strain) · [wireframe](do:show/wireframe) · [start "
            "again](do:restart) · [run 1 s](do:run/1)"],
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
        "lesson": [
            "**What to look for.** Two bars of 0.4 m with the same E = 100 kPa and ν = 0.45 are pulled to two and a half times their length in "
            "1.5 s, without gravity. Above: linear in the strain (corotational). Below: Neo-Hookean. Colour them by the change of "
            "volume: the middle of the linear bar keeps 0.86 of its volume at stretch 1.5, 0.48 at 2 and 0.11 at 2.5, "
            "that of the Neo-Hookean one 1.04, 1.06 and 1.07. NSN and CPF agree to 0.01.",
            "**Why.** The linear law makes a stretched bar thinner by ν times the stretch, however thin it already is: at uniform stretch λ the "
            "volume is λ (1 − ν (λ − 1))², 0.61 at 2 and nothing at 3.2. The middle loses more, since the ends are held wide and stretch less "
            "than it. The Neo-Hookean law has 1.05 at 2 for every E.",
            "**What to change.** `elastic = three` leaves out the rows for shear that the published form does not have: no step converges any more and the "
            "residual is more than a thousand times larger, though the shape is still the same at this E. `geometric = off` changes nothing to be seen "
            "at this E. With `young` 1e7 in the file (of both bars) both settings explode, at 0.2 and 0.4 s; the "
            "default does not in the first half second, but converges no longer either.",
            "**Try it.** [colour by the change of volume](do:colour/volume) · [the published three "
            "rows](do:set/nsn/elastic/three) · [six](do:set/nsn/elastic/six) · [without geometric "
            "stiffness](do:set/nsn/geometric/off) · [with it](do:set/nsn/geometric/all) · [plot the residual](do:plot/1/residual) · [plot the "
            "elastic energy](do:plot/2/energy_elastic) · [start again](do:restart) · [run 1.5 s](do:run/1.5)",
            "After Macklin et al. 2019, figures 12 and 13; sizes are ours."],
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
        "lesson": [
            "**What to look for.** Four soft tori of 0.5 kg fall on a stretchy cloth of 0.2 kg that is held at its corners. CPF and DPF-CCD carry "
            "them, with 9 mm of overlap at most. DPF carries them at first; then the cloth is pushed to the wrong side of the tubes, and "
            "before 0.9 s all four have gone through.",
            "**Why.** A sheet has no inside. DPF asks at one instant which vertices of the cloth are within a torus, and pushes "
            "each out through the nearest face: beyond the middle of the tube that is the wrong one. CPF and DPF-CCD find the moment at which a vertex "
            "comes through a face, and remember the face.",
            "**What to change.** Substeps of DPF: the automatic stiffness grows with their square, and with 60 instead of 15 the cloth carries the tori "
            "under DPF too, 1.3 mm deep at most in the first second, at four times the work.",
            "**Try it.** [DPF with 60 steps per frame](do:substeps/dpf/60) · [with 15](do:substeps/dpf/15) · [plot the "
            "depth](do:plot/1/penetration_max) · [plot the force](do:plot/2/normal_force) · [colour by "
            "penetration](do:colour/penetration) · [start again](do:restart) · [run 1 s](do:run/1)",
            "After Tang et al. 2012 (tori on cloth), made small enough to be watched: 2080 triangles instead of 65 000, so the numbers are not theirs."],
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
        "lesson": [
            "**What to look for.** An octopus of 0.72 kg meets at 5 m/s a bowl of 5 mm, springs back, and falls into it again. Under CPF none of its 602 "
            "vertices ever comes through, and the deepest penetration is 2.4 mm. Under DPF up to five are on the outer side during the first "
            "impact (0.04 to 0.11 s), up to 8 mm deep; when the octopus falls back, six to eight come through and "
            "stay: an arm hangs in the shell.",
            "**Why.** Within a shell DPF pushes a vertex to the nearest side: past the middle of the 5 mm it helps it through. CPF "
            "pushes against the face through which the vertex came, as deep as it may be.",
            "**What to change.** Substeps of DPF: with 96 instead of 27 it is stiff enough to stop the octopus 0.6 mm deep, and none comes through in the first impact. Or throw slower: in "
            "`velocity` in the file.",
            "**Try it.** [DPF with 96 steps per frame](do:substeps/dpf/96) · [with 27](do:substeps/dpf/27) · [plot the "
            "depth](do:plot/1/penetration_max) · [plot the force](do:plot/2/normal_force) · [wireframe](do:show/wireframe) · [start "
            "again](do:restart) · [run 0.2 s](do:run/0.2)",
            "After Tang et al. 2012 (octopus in a bowl); the octopus is generated, with 1200 triangles that follow 420 coarse tetrahedra: its arms are stiffer "
            "than arms of that thickness would be."],
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
        "lesson": [
            "**What to look for.** Five soft lumps of 0.63 kg fall into a bucket, one upon the other. Both methods keep all five in it, and the deepest overlap "
            "of the fall is 3 mm. Then look at the sum of all normal forces after 2 s: 31 N of weight, but 80 N under DPF and "
            "220 N under CPF. The lumps have wedged each other and the wall; friction (0.3) holds them so, and CPF's heap "
            "stays 2.5 cm higher.",
            "**Why.** A pile that sticks has many ways to be at rest, and what a method does in the fall chooses one. A difference between two heaps is "
            "not an error of either.",
            "**What to change.** Without friction, in the file, the lumps slide on and CPF's heap sinks.",
            "**Try it.** [plot the force](do:plot/1/normal_force) · [plot the depth](do:plot/2/penetration_max) · [colour by "
            "strain](do:colour/strain) · [hide the contacts](do:hide/contacts) · [start again](do:restart) · [run 1 s](do:run/1)",
            "After Tang et al. 2012 (forty dragons in a bucket), with five lumps of 288 triangles."],
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
        "lesson": [
            "**What to look for.** A gripper closes on a soft tomato of 139 g (E = 100 kPa, ν = 0.45) with 6 N, lifts it, carries it by 0.3 m, "
            "lowers it on a scale and lets go. The pads sink in by 1.4 mm and nothing slips, since 2 μ N = 9 N is above 1.36 N of weight. At the end "
            "the needle stands at 0.1367 rad: m g / k · 20 rad/m = 0.1363, 0.3 % less.",
            "**Why it is hard.** Pads and tomato touch in a few corners; light corners of elements stand between a gripper of 1.6 kg and a plate "
            "of 0.1 kg. Forty iterations of a linear solver on the rows of 320 tetrahedra leave the Newton iteration with a residual of 1 cm/s, and the tomato rolls "
            "from the middle of the plate by 3 cm. The direct solver eliminates these rows, leaves 1e-4 m/s, and the tomato stays.",
            "**What to change.** With geometric = all ten iterations are too few: the pads sink 3 cm into the tomato.",
            "**Try it.** [the linear solver pcr](do:set/nsn/linear_solver/pcr) · [direct](do:set/nsn/linear_solver/direct) · [geometric stiffness of "
            "particles](do:set/nsn/geometric/all) · [without](do:set/nsn/geometric/joints) · [plot the force](do:plot/1/normal_force) · [plot the "
            "residual](do:plot/2/residual) · [colour by contact pressure](do:colour/pressure) · [start again](do:restart) · [run 3 s](do:run/3)",
            "After Macklin et al. 2019, figure 1 and table 2 (\"Fetch Tomato\"); gripper and scale are ours."],
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
        "lesson": [
            "**What to look for.** A hand of 17 bodies and 16 hinges squeezes a ball of E = 50 kPa and ν = 0.45 between three fingers and the "
            "thumb, holds it, and opens. The sum of the normal forces reaches 44 N, the largest strain 0.13; the volume of the ball changes by "
            "0.6 %: colour it by the change of volume. Between the pads nothing penetrates by more than 4 µm.",
            "**Why.** The Neo-Hookean law keeps the volume almost: ν = 0.45 resists a change of it nine times as much as a change of shape.",
            "**What to change.** `\"model\": \"corotational\"` in the file; the targets of single hinges in *Parameters → Drives*; the linear solver: pcr "
            "with 40 iterations does not converge on these elements.",
            "**Try it.** [colour by the change of volume](do:colour/volume) · [by contact pressure](do:colour/pressure) · [plot the change of "
            "volume](do:plot/1/volume_error) · [plot the force](do:plot/2/normal_force) · [the linear solver "
            "pcr](do:set/nsn/linear_solver/pcr) · [direct](do:set/nsn/linear_solver/direct) · [start again](do:restart) · [run 1.5 s](do:run/1.5)",
            "After Macklin et al. 2019, figure 3 and table 2 (\"Allegro Ball\"); the hand is generated, and closes with lower targets than 60 % of its limits, at which "
            "its fingers would meet the thumb."],
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
        "lesson": [
            "**What to look for.** Three fingers of silicone (E = 10 MPa, ν = 0.47, 750 tetrahedra each) hang from a ring. Their chambers swell by 16 % in "
            "1.2 s; the inner side of the finger hardly stretches, so the fingers curl, touch the ball of 0.32 kg after 0.4 s and hold it. The ring "
            "rises by 0.1 m in 1 s, and the ball follows to a millimetre: the sum of the normal forces is 5.18 N all the way, the weight 3.14 N.",
            "**Why it is hard.** An explicit step may be 5 µs long here, 1/1700 of the frame. NSN takes one step per frame, with "
            "13 500 rows of elements: the direct solver eliminates them, and a frame still takes half a second. Record it (*Ctrl+R*) and play the recording.",
            "**What to change.** `\"inextensible\": true` in the place of the 100 kN/m of the layer: rigid edges that bend with a soft body converge badly. "
            "With a swelling of 10 % the ball slips out when the ring rises.",
            "**Try it.** [plot the force](do:plot/1/normal_force) · [plot the residual](do:plot/2/residual) · [colour by the change of "
            "volume](do:colour/volume) · [by strain](do:colour/strain) · [hide the contacts](do:hide/contacts) · [start again](do:restart) · [run 0.5 s](do:run/0.5)",
            "After Macklin et al. 2019, figure 2 and table 2 (\"PneuNet\"); sizes and swelling are ours, three cells across a finger are few: its curl is qualitative."],
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
        "lesson": [
            "**What it is.** The scene of `cloth-and-tori` in the size of the paper: a cloth of 2 × 2 m with 100 × 100 cells and 28 tori of 1600 "
            "triangles and 720 tetrahedra each, 64 800 triangles together, in seven layers of four. The edges of the cloth ask for 65 steps per frame. "
            "A frame takes seconds on two cores: record it (*Ctrl+R*) and play the recording.",
            "**What to look for.** Whether a torus comes through the cloth, and how smooth the force is: plot it, and compare with DPF.",
            "**What to change.** First try it small: `cloth-and-tori` has 2080 triangles and answers at once.",
            "**Try it.** [compare with DPF](do:add/dpf) · [plot the force](do:plot/1/normal_force) · [plot the depth](do:plot/2/penetration_max) · [hide the "
            "contacts](do:hide/contacts) · [start again](do:restart) · [run 0.1 s](do:run/0.1)",
            "After Tang et al. 2012, figures 12 and 13 (65 000 triangles, 6 frames per second there); stiffness and step are ours."],
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
        "lesson": [
            "**What it is.** The scene of `soft-bucket` in the size of the paper: twenty knots and twenty lumps of 2560 triangles each, with a bucket "
            "103 000 triangles, five released every 0.4 s. The thinnest tetrahedra ask for 45 steps per frame. A frame takes "
            "seconds on two cores: record it (*Ctrl+R*) and play the recording.",
            "**What to look for.** Whether all forty stay in the bucket and apart from each other: plot the depth.",
            "**What to change.** First try it small: `soft-bucket` has five lumps of 288 triangles.",
            "**Try it.** [compare with DPF](do:add/dpf) · [plot the depth](do:plot/1/penetration_max) · [plot the force](do:plot/2/normal_force) · [hide the "
            "contacts](do:hide/contacts) · [start again](do:restart) · [run 0.1 s](do:run/0.1)",
            "After Tang et al. 2012, figure 14 (103 000 triangles, 3 frames per second there); the shapes are generated, stiffness and step are ours."],
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
