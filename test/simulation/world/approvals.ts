import { newSession } from "../../../src/access/sign-in.ts";
import { createUser } from "../../../src/access/users.ts";
import { addProjectTarget } from "../../../src/documents/changes/targets.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { OPERATOR, request } from "./asking.ts";
import { BROWSER } from "./people.ts";
import type { World } from "./world.ts";

const PROJECT = "guarded";
/** The environment that needs an approval of two people, and one that is locked at times. */
const [LIVE, STAGING] = ["live", "staging"];
const FLAG = "price";
const ROOT = `/projects/${PROJECT}`;
/** A ramp that makes its first step alone while the world lasts. */
const COURSE = { to: [10, 100], every: 31_536_000 };

/** What is known of a change that was proposed. */
type Proposed = {
  payload: string;
  flag: string;
  approvers: Set<string>;
  isApplied: boolean;
  isClosed: boolean;
};

export type Approvals = { proposed: Map<string, Proposed>; refused: Set<string> };

type Shown = { id: string; etag: string };

/** A user who is logged in on the command line, without what a person does for that. */
async function logIn(world: World, name: string, role: "editor" | "releaser"): Promise<string> {
  const { app } = world.servers[0]!;
  await createUser(app, OPERATOR, { name, role });
  const { secret, stored } = newSession(app, name, "cli", BROWSER);
  const session = { ...stored.session, expiresAt: app.now() + 86_400_000 };
  await app.store.sessions.insert({ ...stored, session }, null);
  return secret;
}

/** Makes a project whose environment needs approvals. Returns the secrets of its author and its reviewers. */
async function furnish(world: World) {
  const { app } = world.servers[0]!;
  await createProject(app, OPERATOR, { slug: PROJECT, environments: [LIVE, STAGING] });
  for (const environment of [LIVE, STAGING])
    await setFlag(app, OPERATOR, { project: PROJECT, environment, flag: FLAG }, {});
  await setEnvironment(app, OPERATOR, PROJECT, LIVE, { approvals: 2 });
  await addProjectTarget(app, OPERATOR, PROJECT, "https://8.8.8.8/guarded", fakeOutgoing());
  return {
    author: await logIn(world, "fay", "editor"),
    reviewers: new Map([
      ["gil", await logIn(world, "gil", "releaser")],
      ["hal", await logIn(world, "hal", "releaser")],
      ["ida", await logIn(world, "ida", "releaser")],
    ]),
  };
}

/**
 * Steps of people who propose changes of an environment that needs two approvals, approve, apply and withdraw them, some at
 * once, and of one who locks another environment.
 */
export async function approvalSteps(world: World, approvals: Approvals): Promise<(() => Promise<void>)[]> {
  const { chance } = world.scheduler;
  const { author, reviewers } = await furnish(world);
  const anyServer = () => chance.pick(world.servers);
  let numbers = 0;
  const flagIn = (environment: string, flag = FLAG) => `${ROOT}/environments/${environment}/flags/${flag}`;
  const ifMatch = ({ etag }: Shown) => ({ "if-match": `"${etag}"` });
  const act = (shown: Shown, verb: string, secret: string, headers = {}) =>
    request(world, anyServer(), {
      method: "POST",
      path: `${ROOT}/changes/${shown.id}/${verb}`,
      secret,
      headers,
      ...(verb === "reject" && { body: { why: "not now" } }),
    });

  const approve = async (change: Proposed, shown: Shown) => {
    const [name, secret] = chance.pick([...reviewers]);
    const both = chance.once(3) ? [0, 1] : [0];
    const before = change.approvers.size;
    // Also where the answer is lost, it may be approved from now on.
    change.approvers.add(name);
    const done = await Promise.all(both.map(() => act(shown, "approve", secret, ifMatch(shown))));
    if (done.every(({ code }) => code !== "ok" && code !== "unknown") && change.approvers.size > before)
      change.approvers.delete(name);
    if (done.filter(({ code }) => code === "ok").length > 1) world.violated(`${name} approved twice`);
  };
  const apply = async (change: Proposed, shown: Shown) => {
    const secrets = chance.once(2) ? [author, author] : [author];
    const done = await Promise.all(secrets.map((secret) => act(shown, "apply", secret, ifMatch(shown))));
    const made = done.filter(({ code }) => code === "ok").length;
    world.scheduler.note(`apply ${change.payload} ${done.map(({ code }) => code).join()}`);
    if (made > 1) world.violated(`${change.payload} was applied twice`);
    if (made > 0 && change.approvers.size < 2)
      world.violated(`${change.payload} was applied with ${change.approvers.size} approvals`);
    if (made > 0 && change.isClosed) world.violated(`${change.payload} was applied after it was closed`);
    if (made > 0) change.isApplied = true;
  };

  return [
    async function propose() {
      const payload = `proposed-${(numbers += 1)}`;
      // Every third goes out by a ramp: a flag that is new, and its ramp.
      const isRamp = numbers % 3 === 0;
      const flag = isRamp ? `out-${numbers}` : FLAG;
      const made = await request(world, anyServer(), {
        ...(isRamp
          ? { method: "PUT", path: `${flagIn(LIVE, flag)}/ramp`, body: { ...COURSE, patch: { payload } } }
          : { method: "PATCH", path: flagIn(LIVE), body: { payload } }),
        secret: author,
        headers: { "x-propose": chance.once(4) ? "20s" : "1d", "x-why": "sale" },
      });
      const shown = made.value?.["change"] as Shown | undefined;
      if (!shown) {
        // Of a proposal whose answer was lost nobody knows the id, so nobody approves it.
        approvals.refused.add(payload);
        return;
      }
      const change: Proposed = { payload, flag, approvers: new Set(), isApplied: false, isClosed: false };
      approvals.proposed.set(shown.id, change);
      let newest = shown;
      for (let steps = 2 + chance.int(5); steps > 0; steps -= 1) {
        await world.scheduler.sleep(chance.int(2000), "review");
        const kind = chance.int(10);
        if (kind < 5) await approve(change, newest);
        else if (kind < 8) await apply(change, newest);
        else if (kind === 8) {
          const refreshed = await act(newest, "refresh", author);
          newest = (refreshed.value?.["change"] as Shown | undefined) ?? newest;
        } else {
          const verb = chance.pick(["withdraw", "reject"]);
          const closed = await act(newest, verb, verb === "reject" ? chance.pick([...reviewers])[1] : author);
          if (closed.code === "ok") change.isClosed = true;
        }
      }
    },
    async function direct() {
      const payload = `direct-${(numbers += 1)}`;
      approvals.refused.add(payload);
      const secret = chance.pick([author, [...reviewers.values()][0], undefined]);
      const set = await request(world, anyServer(), {
        method: "PATCH",
        path: flagIn(LIVE),
        body: { payload },
        secret,
        headers: { "x-confirm": "*" },
      });
      if (set.code === "ok") world.violated("a change was made without the approvals that it needs");
    },
    async function list() {
      await request(world, anyServer(), {
        method: "GET",
        path: `${ROOT}/changes${chance.pick(["", "?status=open", "?limit=2"])}`,
        secret: author,
      });
      const [id] = chance.pick([...approvals.proposed, ["none"]] as [string][]);
      await request(world, anyServer(), { method: "GET", path: `${ROOT}/changes/${id}`, secret: author });
    },
    async function lock() {
      const path = `${ROOT}/environments/${STAGING}`;
      const set = (locked: boolean) =>
        request(world, anyServer(), { method: "PATCH", path, body: { locked } });
      const locked = await set(true);
      if (locked.code === "ok") {
        const payload = `locked-${(numbers += 1)}`;
        approvals.refused.add(payload);
        const body = { payload };
        const change = { method: "PATCH", path: flagIn(STAGING), body, secret: author };
        const changed = await request(world, anyServer(), change);
        if (changed.code === "ok") world.violated("a flag was changed in a locked environment");
      }
      await set(false);
    },
  ];
}

type Row = { before: string | null; after: string; review: string | null };

/** What was applied was made once, with its approvals; what nobody approved, or was refused, was not. */
export function requireApproved({ db, violated }: World, { proposed, refused }: Approvals): void {
  const rows = db
    .query<Row, [string]>(
      `SELECT c.before, c.after, c.review FROM changes c JOIN projects p ON p.id = c.project_id
       WHERE p.slug = ? AND c.kind = 'flag' AND c.environment = 'live'`,
    )
    .all(PROJECT);
  const payloadIn = (state: string | null) => (JSON.parse(state ?? "null") as { payload?: string })?.payload;
  const made = (payload: string) =>
    rows.filter(({ before, after }) => payloadIn(after) === payload && payloadIn(before) !== payload);
  const ramped = new Set(
    db
      .query<{ flag: string }, []>("SELECT flag FROM ramps")
      .all()
      .map(({ flag }) => flag),
  );
  for (const payload of refused) if (made(payload).length > 0) violated(`${payload} was made`);
  for (const { payload, flag, approvers, isApplied } of proposed.values()) {
    const changes = made(payload);
    if (flag !== FLAG && ramped.has(flag) !== changes.length > 0)
      violated(`${payload} was made without its ramp, or the ramp without it`);
    if (changes.length > 1) violated(`${payload} was made ${changes.length} times`);
    if (isApplied && changes.length === 0) violated(`${payload} was applied, and is not in the history`);
    if (changes.length > 0 && approvers.size < 2)
      violated(`${payload} was made with ${approvers.size} approvals`);
    if (changes.some(({ review }) => review === null)) violated(`${payload} was made without a review`);
  }
}
