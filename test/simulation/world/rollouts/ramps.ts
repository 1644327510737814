import { setFlag } from "../../../../src/flags/flags.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { addNoticeTarget } from "../../../../src/projects/notice-targets.ts";
import { fakeOutgoing } from "../../../support/peers/outgoing.ts";
import { OPERATOR, request } from "../asking.ts";
import type { World } from "../world.ts";

export const ROLLOUT = "rollout";
const FLAGS = ["slow", "fast", "brief"];
const ROOT = `/projects/${ROLLOUT}`;
export const LIVE = `${ROOT}/environments/live`;

/** Targets of the project: one hears of each change, one of all within ten seconds at once. */
export const NOTICED = "https://8.8.8.8/rollout/each";
export const GATHERED = "https://8.8.8.8/rollout/digest";

const CONFIRMED = { "x-confirm": "*" };
const COURSES = [[5, 40, 100], [1, 10, 50, 100], [20, 60, 80], [100]];

export async function furnishRollouts(world: World): Promise<void> {
  const { app } = world.servers[0]!;
  await createProject(app, OPERATOR, { slug: ROLLOUT, environments: ["live"] });
  await addNoticeTarget(app, OPERATOR, ROLLOUT, { target: NOTICED }, fakeOutgoing());
  await addNoticeTarget(app, OPERATOR, ROLLOUT, { target: GATHERED, digest: 10 }, fakeOutgoing());
  for (const flag of FLAGS) await setFlag(app, OPERATOR, { project: ROLLOUT, environment: "live", flag }, {});
}

/** Steps of people who begin, pause, resume and abort ramps, and who change, delete and lock what these depend on. */
export function rampSteps(world: World): (() => Promise<void>)[] {
  const { chance } = world.scheduler;
  let numbers = 0;
  const ask = (method: string, path: string, body?: object) =>
    request(world, chance.pick(world.servers), {
      method,
      path,
      headers: CONFIRMED,
      ...(body && { body }),
    });
  const flag = () => `${LIVE}/flags/${chance.pick(FLAGS)}`;
  const start = async () => {
    const later = new Date(world.scheduler.now() + 1000 + chance.int(9000)).toISOString();
    const body = {
      variant: "on",
      to: chance.pick(COURSES),
      every: 1 + chance.int(5),
      ...(chance.once(4) && { start: later }),
    };
    const { code } = await ask("PUT", `${flag()}/ramp`, body);
    world.scheduler.note(`ramp ${code}`);
  };
  return [
    start,
    start,
    async function pauses() {
      const path = `${flag()}/ramp`;
      await ask("POST", `${path}/pause`);
      await world.scheduler.sleep(chance.int(6000), "paused");
      await ask("POST", `${path}/resume`);
    },
    async function aborts() {
      if (chance.once(2)) await ask("POST", `${flag()}/ramp/abort`, { keep: chance.once(2) });
    },
    async function changes() {
      const patch = chance.once(2)
        ? { payload: `r${(numbers += 1)}`, description: chance.pick(["a", "b"]) }
        : { enabled: chance.once(3) };
      await ask("PATCH", flag(), patch);
    },
    /** Lets another ramp begin from nothing. */
    async function resets() {
      await ask("PATCH", flag(), { variants: null, enabled: false });
    },
    async function deletes() {
      if (!chance.once(4)) return;
      const name = chance.pick(FLAGS);
      await ask("DELETE", `${ROOT}/flags/${name}`);
      await ask("PATCH", `${LIVE}/flags/${name}`, { enabled: false });
    },
    async function locks() {
      if (!chance.once(3)) return;
      await ask("PATCH", LIVE, { locked: true });
      await world.scheduler.sleep(chance.int(5000), "locked");
      await ask("PATCH", LIVE, { locked: false });
    },
    async function lists() {
      await ask("GET", `${ROOT}/ramps?limit=${1 + chance.int(3)}`);
      await ask("GET", `${flag()}/ramp`);
      await ask("GET", `${ROOT}/scheduled`);
      await ask("GET", `${ROOT}/targets`);
    },
  ];
}
