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
        rectangle(3.2, 0.4, 0, -0.2), rectangle(0.4, 2.4, -1.4, 1.0), rectangle(0.4, 2.4, 1.4, 1.0)]}}]
    for number in range(20):
        bodies.append({
            "name": "polygon %02d" % (number + 1), "shape": {"type": "polygon", "points": polygon(rng)},
            "material": "plate", "position": [round(rng.uniform(-0.6, 0.6), 3), 2.2, 0],
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
        "view": {"eye": [0, 1.1, 4.6], "target": [0, 1.0, 0]}}, bodies)


if __name__ == "__main__":
    pour_2d()
