import { createForm } from "../../../src/forms/forms.ts";
import { memberValue } from "../../../src/flags/members.ts";
import { mailboxOf } from "../../../src/delivery/address.ts";
import { OPERATOR, request } from "./asking.ts";
import { ASIDE } from "./people.ts";
import { postOver, visit } from "./posts.ts";
import type { World } from "./world.ts";

const SLUG = "newsletter";
/** A segment that the form fills, with a mail to each of its values once it is approved. */
const READERS = "readers";
const READERS_PATH = `/projects/${ASIDE}/environments/staging/segments/${READERS}`;
const WELCOME = "Welcome, reader";
const LINK = /https:\/\/forms\.example(\/v1\/c\/\S+)/;
const ADDRESSES = ["ann@example.org", "Ann+news@Example.org", "ben@example.org", "cid@example.org"];

/** The most requests of one mailbox within a day, which is longer than senders are at work. */
const MOST = 3;

/** Links that were answered as confirmed. */
const confirmed = new WeakMap<World, Set<string>>();

/** Steps of senders who sign up, of those who open the links in their mail, several at once, and of people who approve them. */
export async function optInSteps(world: World): Promise<(() => Promise<void>)[]> {
  const { chance } = world.scheduler;
  const { key } = await createForm(world.servers[0]!.app, OPERATOR, {
    slug: SLUG,
    project: ASIDE,
    optIn: "email",
    optInWithin: 86_400,
    notify: ["ops@example.com"],
  });
  const source = { form: SLUG, field: "email", approve: true, welcome: `# ${WELCOME}\n\nYou are in.\n` };
  await request(world, world.servers[0], { method: "PUT", path: READERS_PATH, body: { source } });
  const done = new Set<string>();
  confirmed.set(world, done);
  let numbers = 0;
  return [
    async function subscribers() {
      const fields = { marker: `o${(numbers += 1)}`, email: chance.pick(ADDRESSES) };
      await postOver(world, key, { fields, file: null, key: null, sender: chance.int(9) });
    },
    async function confirmers() {
      const links = world.receivers.mail.flatMap(({ text }) => LINK.exec(text)?.[1] ?? []);
      if (links.length === 0) return;
      const link = chance.pick(links);
      const post = async () => {
        const { value } = await visit(world, link, { method: "POST", body: "" }, "forms", chance.int(9));
        if (value) done.add(link);
      };
      await Promise.all([visit(world, link, {}, "forms"), post(), post()]);
    },
    async function approvers() {
      const body = chance.once(2) ? { all: true } : { values: [memberValue(chance.pick(ADDRESSES))] };
      const approve = () =>
        request(world, chance.pick(world.servers), { method: "POST", path: `${READERS_PATH}/approve`, body });
      await Promise.all([approve(), approve()]);
    },
  ];
}

type Row = { state: number; confirmedAt: string | null; kinds: string | null };

/** Who confirmed is in the inbox with one notification, who did not is gone, and no mailbox was asked more often than it may be. */
export function requireConfirmed(world: World): void {
  const { db, receivers, violated } = world;
  const rows = db.query<Row, [string]>(
    `SELECT s.state, s.confirmed_at AS confirmedAt,
       (SELECT group_concat(kind, ' ') FROM (SELECT kind FROM deliveries WHERE submission_seq = s.seq ORDER BY kind)) AS kinds
     FROM submissions s JOIN forms f ON f.id = s.form_id WHERE f.slug = ?`,
  );
  let stored = 0;
  for (const { state, confirmedAt, kinds } of rows.all(SLUG)) {
    if (confirmedAt !== null) stored += 1;
    if (state === 3) violated("a submission waits longer than its sender may confirm it");
    if ((state === 0) !== (confirmedAt !== null))
      violated(`a submission is in folder ${state}: ${confirmedAt}`);
    if (state === 0 && !/^confirmation notification( welcome)?$/.test(kinds ?? ""))
      violated(`a confirmed submission has the deliveries ${kinds}`);
  }
  const answered = confirmed.get(world)?.size ?? 0;
  if (stored < answered) violated(`${answered} links were answered as confirmed, and ${stored} are`);
  const asked = receivers.mail.filter(({ text }) => LINK.test(text));
  const byId = new Map(asked.map((each) => [each.id, each]));
  for (const [mailbox, own] of Map.groupBy(byId.values(), ({ to }) => mailboxOf(to)))
    if (own.length > MOST) violated(`${mailbox} was asked ${own.length} times`);
}

/** Each address that was approved got one mail, and no other got any. */
export function requireWelcomed({ db, receivers, violated }: World): void {
  const approved = db
    .query<{ value: string }, [string]>(
      "SELECT DISTINCT value FROM memberships WHERE segment = ? AND approved = 1",
    )
    .all(READERS);
  const mail = receivers.mail.filter(({ subject }) => subject === WELCOME);
  const byAddress = Map.groupBy(mail, ({ to }) => memberValue(to)!);
  for (const { value } of approved) {
    // After a kill the same message may be sent again.
    const messages = new Set(byAddress.get(value)?.map(({ id }) => id));
    if (messages.size !== 1) violated(`${value} was approved once, and got ${messages.size} mails`);
    byAddress.delete(value);
  }
  for (const value of byAddress.keys()) violated(`${value} got a mail, and was not approved`);
}
