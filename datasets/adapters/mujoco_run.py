"""Runs a scene in MuJoCo (Python package mujoco) and writes its trajectory and contacts.

    touchstone-cli export isotropy --mjcf isotropy.xml
    python3 mujoco_run.py isotropy.xml mujoco.csv --time 1.2
    touchstone-cli judge isotropy mujoco=mujoco.csv --contacts mujoco=mujoco-contacts.csv
"""
import argparse
import mujoco
import numpy
from trajectory import Writer


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", help="of touchstone-cli export --mjcf")
    options.add_argument("out", help="trajectory file; contacts go to OUT-contacts.csv")
    options.add_argument("--time", type=float, required=True, help="s")
    options.add_argument("--step", type=float, help="s; else that of the scene")
    options.add_argument("--iterations", type=int, help="of the solver; else the engine's")
    options = options.parse_args()
    model = mujoco.MjModel.from_xml_path(options.model)
    model.opt.timestep = step = options.step or model.opt.timestep
    model.opt.iterations = options.iterations or model.opt.iterations
    print("step", step, "gravity", model.opt.gravity, "iterations", model.opt.iterations)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    name = lambda body: mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
    free = [(name(model.jnt_bodyid[j]), model.jnt_qposadr[j], model.jnt_dofadr[j]) for j in range(model.njnt)]
    out = Writer(options.out, "mujoco %s (it%d)" % (mujoco.mj_versionString(), model.opt.iterations),
                 omega="body", step=step)

    release = numpy.zeros(len(free))  # until then a body waits far above
    late = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_NUMERIC, "release_time")
    if late >= 0:
        release = model.numeric_data[model.numeric_adr[late]:][:len(free)]
    start, speed = data.qpos.copy(), data.qvel.copy()

    def place(t):
        for number, (_, at, dof) in enumerate(free):
            if release[number] > 0 and t - 0.5 * step < release[number]:
                data.qpos[at:at + 7], data.qvel[dof:dof + 6] = start[at:at + 7], speed[dof:dof + 6]
                if t + 0.5 * step < release[number]:
                    data.qpos[at + 1] += 1e3 * (1 + number)

    def rows(t):  # of qpos and qvel: xpos is one step old after mj_step; qvel has ω in body axes
        for number, (body, at, dof) in enumerate(free):
            if t + 0.5 * step < release[number]:
                continue
            out.row(t, body, data.qpos[at:at + 3], data.qpos[at + 3:at + 7], data.qvel[dof:dof + 3],
                    data.qvel[dof + 3:dof + 6])

    def contacts(t):
        force = numpy.zeros(6)
        for index in range(data.ncon):
            contact = data.contact[index]
            mujoco.mj_contactForce(model, data, index, force)
            frame = numpy.reshape(contact.frame, (3, 3))  # rows: normal from geom1 to geom2, two tangents
            a, b = (name(model.geom_bodyid[geom]) for geom in (contact.geom1, contact.geom2))
            out.contact(t, a, b, contact.pos, frame[0], step * force[0],
                        step * (force[1] * frame[1] + force[2] * frame[2]))

    place(0)
    rows(0)
    for count in range(1, round(options.time / step) + 1):
        mujoco.mj_step(model, data)
        place(count * step)
        rows(count * step)
        contacts(count * step)


if __name__ == "__main__":
    main()
