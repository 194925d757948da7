#!/usr/bin/env python3
"""Writes the scenes of this folder that are drawn by chance or from formulas: python3 datasets/scenes/generate.py

Only the standard library is needed. The other scenes are written by hand.
"""
import json
import math
import pathlib
import random

HERE = pathlib.Path(__file__).parent


def write(scene, bodies):
    """One body per line, so that changes can be read."""
    head = json.dumps(scene, indent=2, ensure_ascii=False)[:-2]
    lines = ",\n".join("    " + json.dumps(body, ensure_ascii=False) for body in bodies)
    (HERE / (scene["name"] + ".json")).write_text(head + ',\n  "bodies": [\n' + lines + "\n  ]\n}\n")


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
            "plot of the overlap shows at once what one linearisation per step costs: LCP and PEG sink in by parts "
            "of a square millimetre, PEG's `exact` step (set `step` of a PEG pane to `exact`) by nothing that "
            "double precision could hold.",
            "**Where LCP and PEG differ.** At a corner the standard model (LCP) forbids what lies behind the "
            "*extended* line of each edge. Where two such half-planes leave no room, its problem has no solution, "
            "and the badge says so. PEG asks for the outside of the corner only; its traps, drawn as diamonds, are "
            "states that the standard model would have forbidden.",
            "**What to change.** Raise the time step to 20 ms: rotation within a step grows, and with it the overlap "
            "of `plain`. Set `eps_theta` of LCP to 2 (no applicability test): it loses a run soon.",
            "After Williams, Lu and Trinkle 2017, figure 20; frictionless as published. The paper does not give "
            "sizes, so compare orders of magnitude."],
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
            "After Williams, Lu and Trinkle 2017, figure 5."],
        "gravity": [0, 0, 0], "dt": 0.01, "duration": 2, "methods": ["lcp", "peg"],
        "materials": [{"name": "plate", "density": 100}],
        "parameters": {"lcp": {"margin": 0.07, "eps_theta": 2}, "peg": {"margin": 0.07}},
        "view": {"eye": [-0.1, 0.1, 9.0], "target": [-0.1, 0.1, 0]}}, bodies)


def heavy_stack():
    """Masses 8, 64, … 32768 kg, the light ones below: each box carries everything above it."""
    bodies = [{"name": "ground", "motion": "static", "shape": {"type": "plane"}}]
    height = 0.0
    for level in range(5):
        size = round(0.2 * 1.5 ** level, 6)
        bodies.append({"name": "%d kg" % 8 ** (level + 1), "mass": 8 ** (level + 1),
                       "shape": {"type": "box", "size": [size] * 3}, "position": [0, round(height + size / 2, 6), 0]})
        height += size
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
            "stiffness of CPF tenfold and look at when the lowest box leaves."],
        "dt": 0.01, "duration": 5, "methods": ["cpf", "lcp", "peg"],
        "parameters": {"cpf": {"stiffness": 2e7, "damping": 2e3, "substeps": 40}},
        "view": {"eye": [2.6, 2.2, 4.6], "target": [0, 1.3, 0]}}, bodies)


if __name__ == "__main__":
    heavy_stack()
    pour_2d()
    dual_trap()
