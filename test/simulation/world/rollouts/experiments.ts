import { createAssignmentSource } from "../../../../src/experiments/assignment.ts";
import { readServerEvents, takeEvents } from "../../../../src/experiments/events.ts";
import { setFlag } from "../../../../src/flags/flags.ts";
import { addNoticeTarget } from "../../../../src/projects/notice-targets.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { fakeOutgoing } from "../../../support/peers/outgoing.ts";
import { OPERATOR, ask as askServer, request } from "../asking.ts";
import type { World } from "../world.ts";

export const LAB = "lab";
/** The target of the project. */
export const REPORTED = "https://8.8.8.8/lab/each";
const FLAGS = ["headline", "button"];
/** Those with ramps; one has no experiments, so that what a ramp leaves behind is there in the end. */
const RAMPED = [...FLAGS, "banner"];
const LIVE = `/projects/${LAB}/environments/live`;
const CONFIRMED = { "x-confirm": "*" };
const GUARD = "event:error rises 0%";
/** So many visitors of each variant, and errors of one, that a guard fires. */
const CROWD = 110;

/** Visitors as they were sent: what each was exposed to and the metrics of what it did, whatever came of it. */
export type Visits = Map<string, { variants: Set<string>; events: Set<string> }>;

type Event = Record<string, string>;

/** Steps of people who start, pause, stop and ship experiments and ramps with guards, of visitors of their flags, and of others. */
export async function experimentSteps(world: World, visits: Visits): Promise<(() => Promise<void>)[]> {
  const { chance } = world.scheduler;
  const { app } = world.servers[0]!;
  await createProject(app, OPERATOR, { slug: LAB, environments: ["live"] });
  await addNoticeTarget(app, OPERATOR, LAB, { target: REPORTED }, fakeOutgoing());
  for (const flag of RAMPED) await setFlag(app, OPERATOR, { project: LAB, environment: "live", flag }, {});
  const environmentKey = (await app.store.projects.find(LAB))!.environments[0]!.key;
  let [numbers, batches] = [0, 0];
  const ask = (method: string, path: string, body?: object) =>
    request(world, chance.pick(world.servers), {
      method,
      path: `${LIVE}${path}`,
      headers: CONFIRMED,
      ...(body && { body }),
    });
  /** One that holds its flag, if there is one. */
  const any = () => {
    const held = world.db
      .query<{ name: string }, []>(
        "SELECT name FROM experiments WHERE status IN ('running', 'paused') ORDER BY name",
      )
      .all();
    const name = held.length === 0 || chance.once(5) ? `x${chance.int(numbers + 1)}` : chance.pick(held).name;
    return `/experiments/${name}`;
  };
  const guards = () => ({ guards: [GUARD], onGuard: chance.pick(["pause", "rollback"]) });
  const send = async (events: Event[]) => {
    for (const { targetingKey, variant, exposure, event } of events) {
      const known = visits.get(targetingKey!) ?? { variants: new Set(), events: new Set() };
      visits.set(targetingKey!, known);
      if (exposure !== undefined) known.variants.add(`${exposure} ${variant}`);
      else known.events.add(`event:${event}`);
    }
    const key = chance.once(2) ? `batch-${(batches += 1)}` : null;
    const once = () =>
      askServer(world, chance.pick(world.servers), async ({ app }) => {
        const assignments = await createAssignmentSource(app)();
        const { occurrences } = readServerEvents({ events }, assignments, environmentKey);
        const batch = { environmentKey, occurrences, at: app.now(), isOfPage: false };
        return takeEvents(app.store, app.measuring.measure, batch, key);
      });
    // A client that has got no answer sends again, as one does that has.
    const [first, again] = await Promise.all(chance.once(3) ? [once(), once()] : [once()]);
    if (key !== null && first?.value && again?.value && first.value.accepted !== again.value.accepted)
      world.violated(`${key} was answered ${first.value.accepted} and ${again.value.accepted}`);
  };
  const start = async () => {
    const name = `x${(numbers += 1)}`;
    const body = { name, flag: chance.pick(FLAGS), metrics: ["event:signup"], ...guards() };
    await ask("POST", "/experiments", body);
    const { code } = await ask("POST", `/experiments/${name}/start`);
    world.scheduler.note(`experiment ${code}`);
  };
  const visit = async () => {
    const events = Array.from({ length: 1 + chance.int(20) }, (): Event => {
      const targetingKey = `v${chance.int(12)}`;
      if (chance.once(2)) return { targetingKey, event: chance.pick(["signup", "error", "other"]) };
      return { targetingKey, exposure: chance.pick(FLAGS), variant: chance.pick(["on", "off", "red"]) };
    });
    await send(events);
  };
  return [
    start,
    start,
    visit,
    visit,
    visit,
    async function strangers() {
      const round = (batches += 1);
      await send(
        Array.from({ length: 1 + chance.int(5) }, (_, index) => ({
          targetingKey: `s${round}-${index}`,
          event: chance.pick(["signup", "error"]),
        })),
      );
    },
    async function crowds() {
      const flag = chance.pick(FLAGS);
      const round = (batches += 1);
      const exposures = Array.from({ length: CROWD * 2 }, (_, index) => ({
        targetingKey: `c${round}-${index}`,
        exposure: flag,
        variant: index % 2 === 0 ? "on" : "off",
      }));
      const failing = exposures.filter(({ variant }) => variant === "on");
      await send([...exposures, ...failing.map(({ targetingKey }) => ({ targetingKey, event: "error" }))]);
    },
    async function ramps() {
      const body = { variant: "on", to: [10, 50, 100], every: 2 + chance.int(20), ...guards() };
      await ask("PUT", `/flags/${chance.pick(RAMPED)}/ramp`, body);
    },
    async function aborts() {
      await ask("POST", `/flags/${chance.pick(RAMPED)}/ramp/${chance.pick(["abort", "pause", "resume"])}`);
    },
    async function pauses() {
      await ask("POST", `${any()}/pause`);
      await world.scheduler.sleep(chance.int(3000), "paused");
      await ask("POST", `${any()}/resume`);
    },
    async function ends() {
      if (chance.once(3)) await ask("POST", `${any()}/ship`, { variant: "on" });
      else await ask("POST", `${any()}/stop`);
    },
    async function resets() {
      await ask("PATCH", `/flags/${chance.pick(RAMPED)}`, { variants: null, enabled: chance.once(2) });
    },
    async function deletes() {
      if (chance.once(3)) await ask("DELETE", any());
      else if (chance.once(6))
        await request(world, chance.pick(world.servers), {
          method: "DELETE",
          path: `/projects/${LAB}/flags/${chance.pick(FLAGS)}`,
          headers: CONFIRMED,
        });
      for (const flag of FLAGS) await ask("PATCH", `/flags/${flag}`, {});
    },
    async function reads() {
      await ask("GET", `${any()}/results`);
      await ask("GET", "/experiments");
    },
  ];
}
