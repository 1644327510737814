import { describe, expect, test } from "bun:test";
import { deleteFlag } from "../../../src/flags/flags.ts";
import { plantFlag } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { PREVIEWS, openPreviews } from "../../support/records/previews.ts";

const FIELDS = ["slug", "enabled", "payload", "expiredAt", "description", "createdAt", "updatedAt"];
const SEARCH = { isPreview: true, previewName: "Search", previewContent: "# Search" };

describe("the previews of an environment", () => {
  test("are the flags that are previews there, newest first, with their content as HTML", async () => {
    const { app, set, read, ask, askHot, keys } = await openPreviews();
    await set("old", { ...SEARCH, enabled: true });
    app.clock.now += 1000;
    await set("search", { ...SEARCH, expiredAt: "2026-01-03T00:00:00.000Z" });
    await set("elsewhere", SEARCH, "develop");
    await set("no-preview", { ...SEARCH, isPreview: false });
    const [createdAt, earlier] = ["2026-01-02T03:04:06.678Z", "2026-01-02T03:04:05.678Z"];
    const shown = { isPreview: true, previewName: "Search", previewContent: "<h1>Search</h1>\n" };
    const expected = {
      flags: [
        { slug: "search", enabled: false, ...shown, expiredAt: "2026-01-03T00:00:00.000Z", createdAt },
        { slug: "old", enabled: true, ...shown, expiredAt: null, createdAt: earlier },
      ],
    };
    expect(await (await read()).json()).toEqual(expected);
    expect(await (await askHot(PREVIEWS, "", PREVIEWS, { headers: keys })).json()).toEqual(expected);
    const one = (await (await ask("/api/v1/flags/old", { headers: keys })).json()) as object;
    expect(Object.keys(one)).toEqual(FIELDS);
  });

  test("are empty without any", async () => {
    const { read } = await openPreviews();
    expect(await (await read()).json()).toEqual({ flags: [] });
  });

  test("are answered 304 until one of them changes or expires", async () => {
    const { app, set, read } = await openPreviews();
    const expiredAt = new Date(app.now() + 1000).toISOString();
    await set("search", { ...SEARCH, enabled: true, expiredAt });
    const first = await read();
    const etag = first.headers.get("etag")!;
    expect(first.headers.get("cache-control")).toBe("no-cache");
    expect((await read({ "if-none-match": etag })).status).toBe(304);
    app.clock.now += 1000;
    const expired = await read({ "if-none-match": etag });
    expect(await expired.json()).toMatchObject({ flags: [{ enabled: false, expiredAt }] });
    await set("search", { previewContent: "*new*" });
    const changed = await read({ "if-none-match": expired.headers.get("etag")! });
    expect(await changed.json()).toMatchObject({ flags: [{ previewContent: "<p><em>new</em></p>\n" }] });
    await deleteFlag(app, OPERATOR, { project: "shop", flag: "search" });
    expect(await (await read()).json()).toEqual({ flags: [] });
  });

  test("are safe also where the stored content was never checked", async () => {
    const { app, read } = await openPreviews();
    const place = { project: "shop", environment: "live" };
    const hostile = { ...SEARCH, previewContent: "<img src=x onerror=alert(1)>" };
    await plantFlag(app, { ...place, flag: "hostile" }, hostile);
    await plantFlag(app, { ...place, flag: "large" }, { ...SEARCH, previewContent: ">".repeat(65_536) });
    const { flags } = (await (await read()).json()) as { flags: { slug: string; previewContent: string }[] };
    expect(flags.map(({ slug, previewContent }) => [slug, previewContent])).toEqual([
      ["hostile", '<img src="x">\n'],
      ["large", ""],
    ]);
  });

  test("are refused as an empty list with a message, and as 405 for other methods", async () => {
    const { ask, keys, read } = await openPreviews();
    const asked = async (headers: Record<string, string>) => {
      const answer = await ask(PREVIEWS, { headers });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      const body = (await answer.json()) as { message: string };
      expect(body).toEqual({
        flags: [],
        error: true,
        message: body.message,
        errorMessage: body.message,
      } as never);
      return [answer.status, body.message];
    };
    const { "x-project-key": project } = keys;
    expect(await asked({})).toEqual([400, expect.stringContaining("project key is missing")]);
    expect(await asked({ "x-project-key": project })).toEqual([
      400,
      expect.stringContaining("environment key is missing"),
    ]);
    expect(await asked({ ...keys, "x-environment-key": "none" })).toEqual([
      401,
      expect.stringContaining("select nothing"),
    ]);
    // A reader of the list has one, whatever is wrong.
    for (const [path, init] of [
      [PREVIEWS, { headers: { ...keys, "x-environment-key": "none" } }],
      [PREVIEWS, {}],
      [`${PREVIEWS}/`, { headers: { ...keys, "x-project-key": "none" } }],
      [PREVIEWS, { method: "POST", headers: keys }],
    ] as const) {
      const { flags, error } = (await (await ask(path, init)).json()) as { flags: unknown; error: unknown };
      expect({ flags, error }).toEqual({ flags: [], error: true });
    }
    const posted = await ask(PREVIEWS, { method: "POST", headers: keys });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect((await read()).status).toBe(200);
  });

  test("are counted and not logged", async () => {
    const { app, services, keys } = await openPreviews();
    const { createSite } = await import("../../../src/http/site.ts");
    const { siteOptions } = await import("../../support/app.ts");
    const logged: string[] = [];
    const options = { ...siteOptions(app), logsReads: false };
    const site = createSite(
      { previews: services.previews },
      { ...options, log: ({ route }) => void logged.push(route) },
    );
    const request = () => new Request(`http://site.test${PREVIEWS}`, { headers: keys });
    expect((await site.fetch(request(), () => "198.51.100.7")).status).toBe(200);
    const sent = new Request(`http://site.test${PREVIEWS}/feedback`, {
      method: "POST",
      headers: keys,
      body: "{}",
    });
    expect((await site.fetch(sent, () => "198.51.100.7")).status).toBe(400);
    expect(logged).toEqual([`${PREVIEWS}/feedback`]);
    const counted = options.counted.requests().map(({ labels }) => [labels.route, labels.status]);
    expect(counted).toContainEqual([PREVIEWS, "200"]);
  });
});
