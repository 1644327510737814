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
  const told = Array.from({ length: count }, () => "");
  for (const index of told.keys()) {
    const stream = events.open(callerNamed("ann", { scopes: [scopes] })).body!;
    void (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of stream as unknown as AsyncIterable<Uint8Array>)
        told[index]! += decoder.decode(bytes);
    })();
  }
  const looked = (more: number) => {
    const from = looks;
    return eventually("the database is looked at", () => looks >= from + more);
  };
  return { activity, told, looked, events };
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

test("With many pages open, twenty are told at once and the others by and by", async () => {
  const { activity, told, looked, events } = openMany(21);
  await looked(1);
  activity.submissions = "2";
  await eventually("the first pages are told", () => toldOf(told, "submissions") > 0);
  expect(toldOf(told, "submissions")).toBe(20);
  await eventually("the last page is told", () => toldOf(told, "submissions") === 21);
  events.close();
});
