import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { openHeldWebhook } from "../support/peers/held-webhook.ts";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { openRig } from "../support/postgres/rig.ts";
import { clientOf, jsonSubmission, prepareWith, seededRandom } from "../faults/load.ts";
import { report, sizeOf } from "./report.ts";

const COUNT = sizeOf(60, 600);
const random = seededRandom(1);

test.skipIf(!IS_POSTGRES_HERE)(
  "three servers deliver each submission once, and again only what one was sending when it was killed",
  async () => {
    using hook = openHeldWebhook();
    const { replicas, commands, query } = await openRig({ env: { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" } });
    const keys = await prepareWith(commands);
    expect((await commands.run("targets", "add", "contact", hook.url)).code).toBe(0);
    const clients = replicas.map(({ url }) => clientOf(url, keys));
    const ids: string[] = [];
    const submit = async (index: number) => {
      const answer = await clients[index % 3]!.submit(jsonSubmission(random));
      expect(answer.status).toBe(200);
      ids.push(((await answer.json()) as { id: string }).id);
    };
    for (let index = 0; index < COUNT / 2; index += 1) await submit(index);
    await eventually("each server to send", () => hook.received.size >= 3);
    await replicas[0].stop("SIGKILL");
    const before = new Set(hook.received.keys());
    hook.open();
    await replicas[0].start();
    for (let index = COUNT / 2; index < COUNT - 1; index += 1) await submit(index);
    await eventually("what the killed server had claimed to be left", async () => {
      const holders = await query("SELECT DISTINCT holder FROM deliveries WHERE status = 0");
      return holders.length === 0 || (holders.length === 1 && holders[0]!["holder"] !== null);
    });
    // Its leases end after half a minute.
    if (sizeOf(0, 1) === 0) await query("UPDATE deliveries SET due_at = 0 WHERE status = 0");
    // A submission makes a server check what is due.
    await submit(1);
    await eventually("every submission", () => hook.received.size === COUNT, 60_000);
    await eventually(
      "every result",
      async () => (await query("SELECT 1 FROM deliveries WHERE status = 0")).length === 0,
      60_000,
    );
    expect([...hook.received.keys()].toSorted()).toEqual(ids.toSorted());
    const repeated = [...hook.received].filter(([, deliveries]) => deliveries.length > 1);
    expect(repeated.filter(([id]) => !before.has(id))).toEqual([]);
    expect(repeated.filter(([, deliveries]) => new Set(deliveries).size > 1)).toEqual([]);
    report(
      "outbox",
      `${COUNT} submissions delivered, ${repeated.length} of the killed replica twice, under one id`,
    );
  },
  150_000,
);
