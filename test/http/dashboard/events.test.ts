import { expect, test } from "bun:test";
import type { App } from "../../../src/app.ts";
import { createEvents } from "../../../src/http/dashboard/events.ts";
import { callerNamed } from "../../support/records/caller.ts";
import { eventually } from "../../support/eventually.ts";

/** Streams on a database whose activity is what `activity` holds. */
function openMany(count: number, scopes: "admin" | "flags:read" = "admin") {
  const activity = { setup: "1", submissions: "1", deliveries: "1" };
  let looks = 0;
  const store = { activity: async () => ({ ...activity, looks: (looks += 1) }) } as unknown as App["store"];
  const events = createEvents({ store }, (error) => {
    throw error;
  });
  const told: string[] = [];
  const caller = callerNamed("ann", { scopes: [scopes] });
  const listen = (since?: string) => {
    const index = told.push("") - 1;
    const stream = events.open(caller, since).body!;
    void (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of stream as unknown as AsyncIterable<Uint8Array>)
        told[index]! += decoder.decode(bytes);
    })();
  };
  for (let index = 0; index < count; index += 1) listen();
  const looked = (more: number) => {
    const from = looks;
    return eventually("the database is looked at", () => looks >= from + more);
  };
  return { activity, told, looked, events, caller, listen };
}

const toldOf = (told: string[], topic: string) =>
  told.filter((text) => text.includes(`data: ${topic}\n`)).length;

test("Pages are told at once what has changed, and only what their users may know", async () => {
  const { activity, told, looked, events } = openMany(3, "flags:read");
  await looked(1);
  activity.submissions = "2";
  activity.setup = "2";
  await eventually("the pages are told", () => toldOf(told, "setup") === 3);
  expect(toldOf(told, "submissions")).toBe(0);
  events.close();
});

test("A page is told what has changed since it was made, though no page listened", async () => {
  const { activity, told, looked, events, caller, listen } = openMany(0, "flags:read");
  const since = await events.since(caller);
  activity.submissions = "2";
  expect(await events.since(caller)).toBe(since);
  listen(since);
  await looked(2);
  expect(told[0]).not.toContain("data:");
  activity.setup = "2";
  await eventually("the open page is told", () => toldOf(told, "setup") === 1);
  listen(since);
  await eventually("the late page is told", () => toldOf(told, "setup") === 2);
  await looked(2);
  expect(told[1]!.match(/data:/g)).toHaveLength(1);
  events.close();
});

test("With many pages open, twenty are told at once and the others by and by", async () => {
  const { activity, told, looked, events } = openMany(21);
  await looked(1);
  activity.submissions = "2";
  await eventually("the first pages are told", () => toldOf(told, "submissions") > 0);
  expect(toldOf(told, "submissions")).toBe(20);
  await eventually("the last page is told", () => toldOf(told, "submissions") === 21);
  events.close();
});
