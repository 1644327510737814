import { expect } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { type Visits, LAB } from "../../simulation/world/rollouts/experiments.ts";
import { ROLLOUT } from "../../simulation/world/rollouts/ramps.ts";
import type { House, Killer } from "./house.ts";

export type Keys = {
  token: string;
  evaluate: string;
  browser: string;
  /** Of forms: one that fills segments, one that an experiment counts, and one that a flag opens. */
  waitlist: string;
  contact: string;
  desk: string;
};

/** What was acknowledged: submissions by their mark, with whether they were deleted since; and flags that expire. */
export type Acknowledged = {
  submissions: Map<string, { id: string; isDeleted: boolean }>;
  visits: Visits;
  expiring: string[];
};

type Place = { house: House; killer: Killer; keys: Keys; done: Acknowledged };

const lab = `/projects/${LAB}/environments/live`;
const rollout = `/projects/${ROLLOUT}/environments/live`;

/** So many visitors of each variant, and errors of one, that a guard fires. */
const CROWD = 110;
/** Milliseconds in which a job has done what is due, though servers are killed meanwhile. */
const PATIENCE = 120_000;

type Event = { targetingKey: string; exposure?: string; variant?: string; event?: string };
type Experiment = { status: string; reason: string | null };
type Ramp = Experiment;
type Results = { mixed: number; metrics: { metric: string; variants: Counts[] }[] };
type Counts = { variant: string; visitors: number; conversions: number };

/** One round of what people do with ramps, experiments, guards, segments that a form fills, and a form that a flag opens. */
export async function playRound(place: Place, round: number): Promise<void> {
  await growRamp(place, round);
  await runExperiment(place, round);
  await fireGuards(place, round);
  await fillSegments(place, round);
  await openForm(place);
}

function actions({ house, killer, keys, done }: Place) {
  const call = (method: string, path: string, body?: object) =>
    house.send(`/api/admin/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${keys.token}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  /** What is there; null for nothing. */
  const get = async <T>(path: string): Promise<T | null> => {
    for (;;) {
      const answer = await call("GET", path);
      if (answer?.status === 404) return null;
      if (answer?.ok) return (await answer.json()) as T;
      if (answer) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    }
  };
  /** Does something until it is answered, or is there without an answer; what was answered is there. */
  const act = async (
    what: string,
    once: () => Promise<Response | null>,
    isDone?: () => Promise<boolean>,
  ): Promise<Response | null> => {
    await killer.during(what);
    let answer: Response | null = null;
    for (;;) {
      answer = await once();
      if (answer?.ok) break;
      if (answer) throw new Error(`${what} was answered ${answer.status}: ${await answer.text()}`);
      if (await isDone?.()) break;
    }
    if (isDone) expect([what, await isDone()]).toEqual([what, true]);
    return answer;
  };
  /** Waits for what a job of a server does. */
  const wait = async (what: string, isDone: () => Promise<boolean>) => {
    await killer.during(what);
    await eventually(what, isDone, PATIENCE);
  };
  const note = (targetingKey: string) => {
    const known = done.visits.get(targetingKey) ?? { variants: new Set(), events: new Set() };
    done.visits.set(targetingKey, known);
    return known;
  };
  const send = (what: string, key: string, events: Event[]) => {
    for (const { targetingKey, exposure, variant, event } of events) {
      if (exposure !== undefined) note(targetingKey).variants.add(`${exposure} ${variant}`);
      else note(targetingKey).events.add(`event:${event}`);
    }
    return act(what, () =>
      house.send("/v1/events", {
        method: "POST",
        headers: { Authorization: `Bearer ${keys.evaluate}`, "Idempotency-Key": key },
        body: JSON.stringify({ events }),
      }),
    );
  };
  /** Sends a submission until it is answered, with one key. */
  const submit = async (
    what: string,
    form: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<string> => {
    const mark = `${form} ${JSON.stringify(fields)}`;
    const answer = await act(what, () =>
      house.send(`/v1/s/${form}?mode=rest`, {
        method: "POST",
        headers: {
          ...headers,
          "Content-Type": "application/json",
          "Idempotency-Key": Bun.hash(mark).toString(36),
        },
        body: JSON.stringify({ ...fields, mark }),
      }),
    );
    const { id } = (await answer!.json()) as { id: string };
    done.submissions.set(mark, { id, isDeleted: false });
    return id;
  };
  const flag = (where: string, slug: string, body: object) =>
    act(
      "create a flag",
      () => call("PATCH", `${where}/flags/${slug}`, body),
      async () => (await get(`${where}/flags/${slug}`)) !== null,
    );
  return { call, get, act, wait, note, send, submit, flag };
}

async function growRamp(place: Place, round: number): Promise<void> {
  const { call, get, act, wait, flag } = actions(place);
  const slug = `slow-${round}`;
  const ramp = () => get<Ramp>(`${rollout}/flags/${slug}/ramp`);
  await flag(rollout, slug, {});
  const brief = `brief-${round}`;
  await flag(rollout, brief, { enabled: true, expiredAt: new Date(Date.now() + 1000).toISOString() });
  place.done.expiring.push(brief);
  const plan = { variant: "on", to: [10, 50, 100], every: 1 };
  await act(
    "begin a ramp",
    () => call("PUT", `${rollout}/flags/${slug}/ramp`, plan),
    async () => (await ramp()) !== null,
  );
  await wait("steps of a ramp", async () => (await ramp())!.status === "completed");
}

async function runExperiment(place: Place, round: number): Promise<void> {
  const { house, keys } = place;
  const { call, get, act, note, send, submit, flag } = actions(place);
  const [slug, name] = [`hero-${round}`, `x-${round}`];
  const path = `${lab}/experiments/${name}`;
  const is = (status: string) => async () => (await get<Experiment>(path))?.status === status;
  await flag(lab, slug, { browser: true });
  const metrics = ["event:signup", "submissions:contact"];
  await act(
    "draft an experiment",
    () => call("POST", `${lab}/experiments`, { name, flag: slug, metrics }),
    is("draft"),
  );
  await act("start an experiment", () => call("POST", `${path}/start`), is("running"));
  const visitors = Array.from({ length: 12 }, (_, index) => `${name}-${index}`);
  await send("count visitors", `${name} seen`, [
    ...visitors.map((targetingKey, index) => ({
      targetingKey,
      exposure: slug,
      variant: index % 3 === 0 ? "on" : "off",
    })),
    ...visitors.slice(0, 6).map((targetingKey) => ({ targetingKey, event: "signup" })),
    // Seen in two variants.
    { targetingKey: visitors[11]!, exposure: slug, variant: "on" },
  ]);
  await send(
    "count conversions",
    `${name} converted`,
    visitors.slice(3, 9).map((targetingKey) => ({ targetingKey, event: "signup" })),
  );
  await act("pause an experiment", () => call("POST", `${path}/pause`), is("paused"));
  await act("resume an experiment", () => call("POST", `${path}/resume`), is("running"));

  const user = `${name}-page`;
  const evaluate = () =>
    house.send("/ofrep/v1/evaluate/flags", {
      method: "POST",
      headers: { "X-API-Key": keys.browser, "Content-Type": "application/json" },
      body: JSON.stringify({ context: { targetingKey: user } }),
    });
  const evaluated = (await act("evaluate", evaluate))!;
  const assignment = evaluated.headers.get("x-formflag-assignment")!;
  const { flags } = (await evaluated.json()) as { flags: { key: string; variant: string }[] };
  const { variant } = flags.find(({ key }) => key === slug)!;
  note(user).variants.add(`${slug} ${variant}`);
  note(user).events.add("event:signup").add("submissions:contact");
  const page = JSON.stringify({ assignment, exposures: [slug], events: ["signup"] });
  await act("count a page", () =>
    house.send(`/v1/events?key=${keys.browser}`, { method: "POST", body: page }),
  );
  await submit(
    "convert by a submission",
    keys.contact,
    { from: user },
    { "X-Formflag-Assignment": assignment },
  );

  const expected = {
    "event:signup": { off: [7, 6], on: [4, 3] },
    "submissions:contact": { off: [7, 0], on: [4, 0] },
  };
  for (const of of Object.values(expected)) {
    const own = of[variant as "on" | "off"];
    own[0]! += 1;
    own[1]! += 1;
  }
  const results = async () => {
    const { mixed, metrics: counted } = (await get<Results>(`${path}/results`))!;
    const of = ({ variant: each, visitors: seen, conversions }: Counts) =>
      [each, [seen, conversions]] as const;
    return {
      mixed,
      ...Object.fromEntries(
        counted.map(({ metric, variants }) => [metric, Object.fromEntries(variants.map(of))]),
      ),
    };
  };
  expect({ round, ...(await results()) }).toEqual({ round, mixed: 1, ...expected });
  const to = round % 2 === 0 ? {} : { to: [80, 100], every: 1 };
  await act("ship an experiment", () => call("POST", `${path}/ship`, { variant: "on", ...to }), is("ended"));
  expect({ round, ...(await results()) }).toEqual({ round, mixed: 1, ...expected });
}

/** An experiment and a ramp that make errors, and are stopped by their guards. */
async function fireGuards(place: Place, round: number): Promise<void> {
  const { call, get, act, wait, send, flag } = actions(place);
  const guards = { guards: ["event:error rises 0%"], onGuard: round % 2 === 0 ? "pause" : "rollback" };
  const crowd = (slug: string) => {
    const exposures = Array.from({ length: CROWD * 2 }, (_, index) => ({
      targetingKey: `${slug}-${index}`,
      exposure: slug,
      variant: index % 2 === 0 ? "on" : "off",
    }));
    const failing = exposures.filter(({ variant }) => variant === "on");
    const errors = failing.map(({ targetingKey }) => ({ targetingKey, event: "error" }));
    return send("count a crowd", slug, [...exposures, ...errors]);
  };
  const [tried, grown] = [`button-${round}`, `banner-${round}`];
  const experiment = `${lab}/experiments/${tried}`;
  const ramp = `${lab}/flags/${grown}/ramp`;
  for (const slug of [tried, grown]) await flag(lab, slug, {});
  const draft = { name: tried, flag: tried, metrics: ["event:signup"], ...guards };
  const isThere = (path: string) => async () => (await get(path)) !== null;
  await act("draft an experiment", () => call("POST", `${lab}/experiments`, draft), isThere(experiment));
  const isRunning = async () => (await get<Experiment>(experiment))!.status !== "draft";
  await act("start an experiment", () => call("POST", `${experiment}/start`), isRunning);
  const plan = { variant: "on", to: [50, 100], every: 3600, ...guards };
  await act("begin a ramp with guards", () => call("PUT", ramp, plan), isThere(ramp));
  const isStopped = (path: string) => async () => (await get<Experiment>(path))!.reason === "guard";
  await crowd(tried);
  await wait("a guard of an experiment", isStopped(experiment));
  await crowd(grown);
  await wait("a guard of a ramp", isStopped(ramp));
}

async function fillSegments(place: Place, round: number): Promise<void> {
  const { call, get, act, submit } = actions(place);
  const { keys, done } = place;
  const name = (email: string, friend: string) =>
    submit("name members", keys.waitlist, {
      email,
      friend: `${friend}-${round}@example.com`,
      round: String(round),
    });
  const first = await name("ann@example.com", "ben");
  const second = await name(`cyd-${round}@example.com`, "dan");
  const mark = (as: string) =>
    act(
      `mark as ${as}`,
      () => call("POST", "/submissions/mark", { ids: [first], mark: as }),
      async () => (await get<{ state: string }>(`/submissions/${first}`))!.state === as,
    );
  await mark("spam");
  await mark("inbox");
  const friends = `${rollout}/segments/friends`;
  const isApproved = async () => (await get<{ pending: number }>(friends))!.pending === 0;
  await act("approve members", () => call("POST", `${friends}/approve`, { all: true }), isApproved);
  const isGone = async () => (await get(`/submissions/${second}`)) === null;
  await act("delete a member", () => call("POST", "/submissions/delete", { ids: [second] }), isGone);
  for (const each of done.submissions.values()) if (each.id === second) each.isDeleted = true;
}

/** Every answer to a submission is by the flag as it was acknowledged. */
async function openForm(place: Place): Promise<void> {
  const { house, keys } = place;
  const { call, get, act } = actions(place);
  for (const enabled of [false, true]) {
    const isSo = async () => (await get<{ enabled: boolean }>(`${lab}/flags/open`))!.enabled === enabled;
    await act("open a form", () => call("PATCH", `${lab}/flags/open`, { enabled }), isSo);
    let answer: Response | null = null;
    while (answer === null)
      answer = await house.send(`/v1/s/${keys.desk}?mode=rest`, {
        method: "POST",
        body: new URLSearchParams({ a: "b" }),
      });
    expect([enabled, answer.status]).toEqual([enabled, enabled ? 200 : 409]);
  }
}
