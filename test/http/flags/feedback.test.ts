import { describe, expect, test } from "bun:test";
import { deleteFlag } from "../../../src/flags/flags.ts";
import { FEEDBACK_LIMITS } from "../../../src/flags/limits.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { FEEDBACK, openPreviews } from "../../support/records/previews.ts";

const GOOD = { flagKey: "search", mood: "HAPPY", rating: 4 };

/** A project whose flag `search` is a preview. */
async function openSearch() {
  const opened = await openPreviews();
  await opened.set("search", { isPreview: true });
  await opened.set("plain", {});
  return opened;
}

type Answered = { success?: true; feedbackId?: string; message?: string };
const json = async (answer: Response) => (await answer.json()) as Answered;

describe("feedback about a preview", () => {
  test("is stored with all that was sent, and its id is the answer", async () => {
    const { app, send, stored } = await openSearch();
    const more = { description: "Said ✓ 'x'", metadata: { page: "home", deep: [{ a: null }] }, other: 1 };
    const answer = await send({ ...GOOD, ...more });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    const { success, feedbackId } = await json(answer);
    expect(success).toBe(true);
    expect(await stored()).toEqual([
      {
        id: feedbackId!,
        flag: "search",
        environment: "live",
        mood: "HAPPY",
        rating: 4,
        description: more.description,
        metadata: JSON.stringify(more.metadata),
        createdAt: app.now(),
      },
    ]);
  });

  test("takes texts and metadata of exactly the size that is allowed", async () => {
    const { send } = await openSearch();
    const description = "✓".repeat(FEEDBACK_LIMITS.description);
    const metadata = { a: "x".repeat(FEEDBACK_LIMITS.metadata - '{"a":""}'.length) };
    expect((await send({ ...GOOD, description, metadata })).status).toBe(200);
    expect((await send({ ...GOOD, description: "", metadata: {} })).status).toBe(200);
    expect((await send({ ...GOOD, description: null, metadata: null })).status).toBe(200);
  });

  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
  test.each<[what: string, body: unknown, status: number, message: string]>([
    ["no JSON", "{", 400, "not valid JSON"],
    ["nothing", "", 400, "not valid JSON"],
    ["broken UTF-8", '{"a":"\ud800', 400, "not valid JSON"],
    ["a list", [], 400, "JSON object"],
    ["null", null, 400, "JSON object"],
    ["no flag", { mood: "SAD", rating: 1 }, 400, "flagKey"],
    ["a flag that is a number", { ...GOOD, flagKey: 5 }, 400, "flagKey"],
    ["a flag that does not exist", { ...GOOD, flagKey: "none" }, 404, "none is not a preview"],
    ["a flag named as a member of every object", { ...GOOD, flagKey: "__proto__" }, 404, "not a preview"],
    ["a flag that is not a preview", { ...GOOD, flagKey: "plain" }, 404, "plain is not a preview"],
    ["no mood", { flagKey: "search", rating: 1 }, 400, "mood is one of VERY_SAD, SAD"],
    ["a mood in lower case", { ...GOOD, mood: "happy" }, 400, "mood"],
    ["a mood that is a list", { ...GOOD, mood: ["HAPPY"] }, 400, "mood"],
    ["no rating", { flagKey: "search", mood: "SAD" }, 400, "rating is an integer from 1 to 5"],
    ["a rating of 0", { ...GOOD, rating: 0 }, 400, "rating"],
    ["a rating of 6", { ...GOOD, rating: 6 }, 400, "rating"],
    ["a rating between two", { ...GOOD, rating: 4.5 }, 400, "rating"],
    ["a rating in quotes", { ...GOOD, rating: "4" }, 400, "rating"],
    ["a description that is a number", { ...GOOD, description: 5 }, 400, "description is a text"],
    ["a long description", { ...GOOD, description: "x".repeat(2001) }, 400, "description has at most 2000"],
    ["metadata that is a list", { ...GOOD, metadata: [] }, 400, "metadata is an object"],
    ["metadata that is a text", { ...GOOD, metadata: "a" }, 400, "metadata is an object"],
    ["large metadata", { ...GOOD, metadata: { a: "✓".repeat(6000) } }, 400, "metadata has at most 16 KB"],
    ["deep metadata", { ...GOOD, metadata: nested(17) }, 400, "metadata has at most 16 levels"],
    ["a large body", { ...GOOD, other: "x".repeat(FEEDBACK_LIMITS.body) }, 413, "at most 64 KB"],
  ])("with %s is refused, and nothing is stored", async (_, body, status, message) => {
    const { send, stored } = await openSearch();
    const answer = await send(body);
    const text = await json(answer);
    expect([answer.status, text.message]).toEqual([status, expect.stringContaining(message)]);
    expect(text as object).toEqual({ error: true, message: text.message, errorMessage: text.message });
    expect(await stored()).toEqual([]);
  });

  test("is refused without keys, with keys that select nothing, compressed, and by another method", async () => {
    const { ask, send, keys, stored } = await openSearch();
    const body = JSON.stringify(GOOD);
    const sent = (headers: Record<string, string>) => ask(FEEDBACK, { method: "POST", headers, body });
    expect((await sent({})).status).toBe(400);
    expect((await sent({ "x-project-key": keys["x-project-key"] })).status).toBe(400);
    expect((await send(GOOD, { "x-project-key": "none" })).status).toBe(401);
    expect((await send(GOOD, { "content-encoding": "gzip" })).status).toBe(415);
    const read = await ask(FEEDBACK, { headers: keys });
    expect([read.status, read.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(await stored()).toEqual([]);
  });

  test("may be sent by pages of any origin", async () => {
    const { ask } = await openSearch();
    const answer = await ask(FEEDBACK, { method: "OPTIONS" });
    expect([answer.status, answer.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "POST, OPTIONS",
    ]);
    for (const header of ["x-project-key", "x-environment-key", "content-type"])
      expect(answer.headers.get("access-control-allow-headers")).toContain(header);
  });

  test("counts once a minute for the same content from the same address", async () => {
    const { app, send, stored } = await openSearch();
    const { feedbackId } = await json(await send(GOOD));
    expect((await json(await send(GOOD))).feedbackId).toBe(feedbackId);
    expect((await json(await send({ ...GOOD, rating: 5 }))).feedbackId).not.toBe(feedbackId);
    expect((await json(await send(GOOD, {}, "198.51.100.8"))).feedbackId).not.toBe(feedbackId);
    app.clock.now += 60_000;
    expect((await json(await send(GOOD))).feedbackId).not.toBe(feedbackId);
    expect(await stored()).toHaveLength(4);
    expect(JSON.stringify(await stored())).not.toContain("198.51.100");
  });

  test("past 60 a minute of one address waits, and that of others and of this machine does not", async () => {
    const { app, send } = await openSearch();
    for (let count = 0; count < 60; count += 1) await send({ ...GOOD, description: String(count) });
    const answer = await send(GOOD);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await answer.json()).toMatchObject({
      error: true,
      errorMessage: expect.stringContaining("too many"),
    });
    expect((await send(GOOD, {}, "198.51.100.8")).status).toBe(200);
    for (let count = 0; count < 61; count += 1)
      expect((await send({ ...GOOD, description: String(count) }, {}, "127.0.0.1")).status).toBe(200);
    app.clock.now += 60_000;
    expect((await send(GOOD)).status).toBe(200);
  });

  test("goes with its flag, also from the list of what counts once", async () => {
    const { app, send, set, stored } = await openSearch();
    const { feedbackId } = await json(await send(GOOD));
    await deleteFlag(app, OPERATOR, { project: "shop", flag: "search" });
    expect((await send(GOOD)).status).toBe(404);
    await set("search", { isPreview: true });
    expect(await stored()).toEqual([]);
    expect((await json(await send(GOOD))).feedbackId).not.toBe(feedbackId);
  });
});
