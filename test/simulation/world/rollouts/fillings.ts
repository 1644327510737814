import { setFlag } from "../../../../src/flags/flags.ts";
import { memberValue } from "../../../../src/flags/members.ts";
import { createForm } from "../../../../src/forms/forms.ts";
import { OPERATOR, request } from "../asking.ts";
import { postOver, visit } from "../posts.ts";
import type { Evidence, World } from "../world.ts";
import { LIVE, ROLLOUT } from "./ramps.ts";

const FORM = "waitlist";
/** A segment with those who are named in one field, and one whose values are approved. */
const [INVITED, FRIENDS] = ["invited", "friends"];
const FIELDS = ["email", "friend"];
const FLAG = "beta";
const NAMED = [
  "ann@example.com",
  " Ann@Example.com",
  "ben@example.com",
  "cyd@example.com",
  "e\u0301va",
  "ÉVA",
  "",
];
const CONFIRMED = { "x-confirm": "*" };

const source = (field: string, approve = false) => ({
  source: { form: `${ROLLOUT}:${FORM}`, field, attribute: "email", approve },
});

/** Steps of people who are named in the submissions of a form that fills two segments, and of those who move and delete these. */
export async function fillingSteps(world: World): Promise<(() => Promise<void>)[]> {
  const { db } = world;
  const { chance } = world.scheduler;
  const { app } = world.servers[0]!;
  const { key } = await createForm(app, OPERATOR, { slug: FORM, project: ROLLOUT, spamWords: ["casino"] });
  const ask = (method: string, path: string, body?: object | string) =>
    request(world, chance.pick(world.servers), {
      method,
      path,
      headers: CONFIRMED,
      ...(body !== undefined && { body }),
    });
  await ask("PUT", `${LIVE}/segments/${INVITED}`, source("email"));
  await ask("PUT", `${LIVE}/segments/${FRIENDS}`, source("friend", true));
  await setFlag(
    app,
    OPERATOR,
    { project: ROLLOUT, environment: "live", flag: FLAG },
    {
      variants: { on: true, off: false },
      defaultVariant: "off",
      targeting: { if: [{ $ref: INVITED }, "on"] },
      enabled: true,
    },
  );
  const anyOf = () => {
    const rows = db
      .query<{ id: string }, [string]>(
        `SELECT lower(hex(s.id)) AS id FROM submissions s JOIN forms f ON f.id = s.form_id WHERE f.slug = ?`,
      )
      .all(FORM);
    const ids = rows.map(({ id }) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"));
    return chance.pick(ids.length === 0 ? ["00000000-0000-7000-8000-000000000000"] : ids);
  };
  const fieldsOf = () => ({ email: chance.pick(NAMED), friend: chance.pick(NAMED) });
  const joins = async () => {
    const fields = { ...fieldsOf(), ...(chance.once(6) && { text: "casino" }) };
    await postOver(world, key, { fields, file: null, key: null, sender: chance.int(9) });
  };
  return [
    joins,
    joins,
    joins,
    async function moves() {
      await ask("POST", "/submissions/mark", {
        ids: [anyOf(), anyOf()],
        mark: chance.pick(["spam", "inbox", "archived"]),
      });
    },
    async function deletes() {
      if (chance.once(2)) await ask("POST", "/submissions/delete", { ids: [anyOf()] });
      else await ask("POST", "/submissions/purge", { field: "email", value: chance.pick(NAMED) });
    },
    async function imports() {
      if (!chance.once(2)) return;
      const lines = [{ email: ["dan@example.com", chance.pick(NAMED)] }, fieldsOf()];
      const text = lines.map((data) => JSON.stringify({ data })).join("\n");
      await ask("POST", `/forms/${ROLLOUT}:${FORM}/submissions/import`, text);
    },
    async function approves() {
      const some = { values: [memberValue(chance.pick(NAMED)) ?? "x"] };
      const body = [{ all: true }, some, { ...some, undo: true }][chance.int(3)];
      await ask("POST", `${LIVE}/segments/${FRIENDS}/approve`, body);
    },
    async function lists() {
      await ask(
        "GET",
        `${LIVE}/segments/${chance.pick([INVITED, FRIENDS])}/members?limit=${1 + chance.int(5)}`,
      );
      await ask("GET", `${LIVE}/segments`);
      await isIn(world, chance.pick(NAMED));
    },
    async function fills() {
      if (chance.once(4)) await ask("PUT", `${LIVE}/segments/${INVITED}`, source(chance.pick(FIELDS)));
    },
  ];
}

/** Whether a server that is chosen by the seed serves the flag to someone; null if it does not answer. */
async function isIn(world: World, email: string): Promise<boolean | null> {
  const keys = world.db
    .query<{ key: string; environment: string }, [string]>(
      `SELECT p.key, e.key AS environment FROM projects p JOIN environments e ON e.project_id = p.id WHERE p.slug = ?`,
    )
    .get(ROLLOUT)!;
  const { value } = await visit(
    world,
    `/ofrep/v1/evaluate/flags/${FLAG}`,
    {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-project-key": keys.key,
        "x-environment-key": keys.environment,
      },
      body: JSON.stringify({ context: { targetingKey: "someone", email } }),
    },
    "ofrep",
  );
  return value ? ((await value.json()) as { value: boolean }).value : null;
}

type Source = {
  environmentId: number;
  segment: string;
  formId: number;
  field: string;
  approve: number;
  members: number;
  pending: number;
};
type Row = { value: string; seq: number; approved: number };

/**
 * The values of a segment are exactly those of the submissions that are not spam, and every server serves flags by them, also
 * as they come and go.
 */
export async function requireFillings(world: World, steps: readonly (() => Promise<void>)[]): Promise<void> {
  requireMembers(world);
  const { chance } = world.scheduler;
  for (let rounds = 0; rounds < 4; rounds += 1) {
    for (const step of [chance.pick(steps), chance.pick(steps)]) await step();
    requireMembers(world);
    const approved = world.db
      .query<{ value: string }, [string]>(
        "SELECT DISTINCT value FROM memberships WHERE segment = ? AND approved = 1",
      )
      .all(INVITED);
    const members = new Set(approved.map(({ value }) => value));
    for (const email of NAMED) {
      const [is, shouldBe] = [await isIn(world, email), members.has(memberValue(email) ?? "")];
      if (is !== shouldBe)
        world.violated(`${email} ${shouldBe ? "is" : "is no"} member of ${INVITED}, and is served ${is}`);
    }
  }
}

/** The values of segments are those of the submissions of their forms that are not spam, and counted. */
export function requireMembers({ db, violated }: Evidence): void {
  const sources = db
    .query<Source, []>(
      `SELECT environment_id AS environmentId, segment, form_id AS formId, field, approve, members, pending FROM segment_sources`,
    )
    .all();
  for (const { environmentId, segment, formId, field, approve, members, pending } of sources) {
    const rows = db
      .query<Row, [number, string]>(
        "SELECT value, submission_seq AS seq, approved FROM memberships WHERE environment_id = ? AND segment = ?",
      )
      .all(environmentId, segment);
    const submissions = db
      .query<{ seq: number; data: string }, [number]>(
        "SELECT seq, data FROM submissions WHERE form_id = ? AND state <> 1",
      )
      .all(formId);
    const wanted = new Set(
      submissions.flatMap(({ seq, data }) => {
        const given = (JSON.parse(data) as Record<string, unknown>)[field];
        const values = Array.isArray(given) ? given : [given];
        return values.flatMap((each) => memberValue(each) ?? []).map((value) => `${value} of ${seq}`);
      }),
    );
    const found = new Set(rows.map(({ value, seq }) => `${value} of ${seq}`));
    for (const each of wanted) if (!found.has(each)) violated(`${segment} lacks ${each}`);
    for (const each of found)
      if (!wanted.has(each)) violated(`${segment} has ${each}, which no submission has`);
    const approvals = Map.groupBy(rows, ({ value }) => value);
    const approved = [...approvals.values()].filter((own) => own[0]!.approved === 1).length;
    if ([...approvals.values()].some((own) => own.some((each) => each.approved !== own[0]!.approved)))
      violated(`a value of ${segment} is approved and pending`);
    if (approve === 0 && approved < approvals.size) violated(`${segment} has values that wait for nobody`);
    if (members !== approved || pending !== approvals.size - approved)
      violated(
        `${segment} counts ${members} members and ${pending} pending, and has ${approved} of ${approvals.size}`,
      );
  }
}
