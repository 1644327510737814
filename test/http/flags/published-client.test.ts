import { describe, expect, test } from "bun:test";
import { FlagsSDK, type SubmitPreviewFeedbackPayload } from "@basestack/flags-js";
import { openPreviews } from "../../support/records/previews.ts";

/** The published client of this interface, unmodified. */
async function openClient(keys: { environmentKey?: string } = {}) {
  const opened = await openPreviews();
  const { "x-project-key": projectKey, "x-environment-key": environmentKey } = opened.keys;
  const client = new FlagsSDK({
    baseURL: "/api/v1",
    projectKey,
    environmentKey,
    ...keys,
    cache: { enabled: false },
    fetchImpl: ((path: string, init?: RequestInit) => opened.ask(path, init)) as typeof fetch,
  });
  return { ...opened, client };
}

const GOOD: SubmitPreviewFeedbackPayload = { flagKey: "search", mood: "HAPPY", rating: 4 };

/** What a call throws. */
async function messageOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "nothing",
    (error: Error) => error.message,
  );
}

describe("the published client", () => {
  test("reads a flag, all flags and previews", async () => {
    const { client, set } = await openClient();
    await set("search", { enabled: true, payload: { a: 1 }, isPreview: true, previewContent: "*New*" });
    await client.init();
    const flag = await client.getFlag("search");
    expect(flag).toMatchObject({ slug: "search", enabled: true, payload: { a: 1 } });
    expect(await client.getAllFlags()).toEqual({ flags: [flag] });
    const { flags } = await client.getPreviewFlags();
    expect(flags).toMatchObject([
      { slug: "search", isPreview: true, previewName: "", previewContent: "<p><em>New</em></p>\n" },
    ]);
  });

  test("sends feedback", async () => {
    const { client, set, stored } = await openClient();
    await set("search", { isPreview: true });
    const more = { description: "Reads well", metadata: { page: "landing" } };
    const { success, feedbackId } = await client.submitPreviewFeedback({ ...GOOD, ...more });
    expect(success).toBe(true);
    expect(await stored()).toMatchObject([{ id: feedbackId, rating: 4, description: "Reads well" }]);
  });

  test.each<[what: string, payload: object, message: string]>([
    ["a mood that does not exist", { mood: "ECSTATIC" }, "mood is one of"],
    ["a flag that is a number", { flagKey: 5 }, "flagKey is the slug"],
    ["a flag that is not a preview", { flagKey: "none" }, "Flag with slug none is not a preview"],
    ["a description that is a number", { description: 5 }, "description is a text"],
    ["a date as metadata", { metadata: new Date(0) }, "metadata is an object"],
    ["large metadata", { metadata: { a: "x".repeat(20_000) } }, "metadata has at most 16 KB"],
    ["a large body", { other: "x".repeat(70_000) }, "a feedback has at most 64 KB"],
  ])("lets %s through, and throws the message of the answer", async (_, payload, message) => {
    const { client, set, stored } = await openClient();
    await set("search", { isPreview: true });
    const sent = client.submitPreviewFeedback({ ...GOOD, ...payload });
    expect(await messageOf(sent)).toContain(message);
    expect(await stored()).toEqual([]);
  });

  test("returns and throws the message for keys that select nothing", async () => {
    const { client } = await openClient({ environmentKey: "none" });
    const message = "the project key and the environment key select nothing: check them in the project";
    const failed = { enabled: false, error: true, errorMessage: message };
    expect((await client.getPreviewFlags()) as unknown).toEqual(failed);
    expect((await client.getFlag("search")) as unknown).toEqual(failed);
    expect(await messageOf(client.submitPreviewFeedback(GOOD))).toBe(message);
  });
});
