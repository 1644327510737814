import { join } from "node:path";
import { describe, expect, setSystemTime, test } from "bun:test";
import type { Flag, FlagPatch } from "../../../src/flags/flag.ts";
import { setFlag, deleteFlag } from "../../../src/flags/flags.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import type { FlagsService } from "../../../src/http/flags/flags.ts";
import { createSite } from "../../../src/http/site.ts";
import { deleteEnvironment } from "../../../src/projects/environments.ts";
import { deleteProject } from "../../../src/forms/keeping/project-deletion.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { clientAt, openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const BASE = "http://flags.test";

/** The two ways in which a server reaches the service. */
const MOUNTS: [name: string, mount: (service: FlagsService) => Ask][] = [
  ["the Hono app", (service) => async (path, init) => service.routes.request(`${BASE}${path}`, init)],
  [
    "the plain functions",
    (service) => async (path, init) => {
      const request = new Request(`${BASE}${path}`, init);
      if (!["GET", "HEAD"].includes(request.method)) return service.routes.fetch(request);
      const slug = /^\/api\/v1\/flags\/(.*)$/.exec(path)?.[1];
      const client = () => clientAt("198.51.100.7");
      return slug === undefined
        ? service.readFlags(request, client)
        : service.readFlag(request, slug, client);
    },
  ],
];

const FIELDS = ["slug", "enabled", "payload", "expiredAt", "description", "createdAt", "updatedAt"];
const ALL = "/api/v1/flags";
const one = (slug: string) => `${ALL}/${slug}`;

describe.each(MOUNTS)("flags through %s", (_name, mount) => {
  const app = openTestApp();
  const { flags: service, reported } = openServices(app);
  const ask = mount(service);
  let projects = 0;

  /** A project of its own, with ways to change and to read the flags of its environments. */
  async function openProject() {
    projects += 1;
    const slug = `project-${projects}`;
    const project = await createProject(app, OPERATOR, { slug, environments: ["develop", "staging"] });
    const keysOf = (environment: string) => ({
      "x-project-key": project.key,
      "x-environment-key": project.environments.find((each) => each.slug === environment)!.key,
    });
    const headers = keysOf("develop");
    return {
      slug,
      headers,
      keysOf,
      set: (flag: string, patch: FlagPatch = {}, environment = "develop") =>
        setFlag(app, OPERATOR, { project: slug, environment, flag }, patch),
      read: (path: string, more: Record<string, string> = {}) =>
        ask(path, { headers: { ...headers, ...more } }),
      flag: async (flag: string, environment = "develop"): Promise<Flag> => {
        const answer = await ask(one(flag), { headers: keysOf(environment) });
        expect(answer.status).toBe(200);
        return (await answer.json()) as Flag;
      },
      slugs: async (environment = "develop"): Promise<string[]> => {
        const answer = await ask(ALL, { headers: keysOf(environment) });
        const { flags } = (await answer.json()) as { flags: Flag[] };
        return flags.map((flag) => flag.slug);
      },
    };
  }

  describe("one flag", () => {
    test("has exactly the seven fields, in order", async () => {
      const { set, read } = await openProject();
      const at = new Date(app.now()).toISOString();
      await set("checkout", { enabled: true, payload: { colour: "red" }, description: "The new checkout" });

      const answer = await read(one("checkout"));

      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toStartWith("application/json");
      const flag = (await answer.json()) as Flag;
      expect(Object.keys(flag)).toEqual(FIELDS);
      expect(flag).toEqual({
        slug: "checkout",
        enabled: true,
        payload: { colour: "red" },
        expiredAt: null,
        description: "The new checkout",
        createdAt: at,
        updatedAt: at,
      });
    });

    test("has the payload {} when none is set", async () => {
      const { set, flag } = await openProject();
      await set("plain");
      expect((await flag("plain")).payload).toEqual({});
    });

    test.each([
      [null],
      [false],
      [true],
      [0],
      [-1.5],
      [""],
      ["text"],
      [[]],
      [[1, [null]]],
      [{}],
      [{ a: { b: 1 } }],
    ])("has the payload %j as it was set", async (payload) => {
      const { set, flag } = await openProject();
      await set("loaded", { payload });
      expect((await flag("loaded")).payload).toStrictEqual(payload);
    });

    test("is off until it is turned on, with an empty description", async () => {
      const { set, flag } = await openProject();
      await set("new");
      expect(await flag("new")).toMatchObject({ enabled: false, description: "" });
    });

    test("is created, off, in the other environments with the same description", async () => {
      const { set, flag } = await openProject();
      await set("shared", {
        enabled: true,
        payload: 1,
        description: "Shared",
        expiredAt: "2030-01-01T00:00:00Z",
      });
      expect(await flag("shared", "staging")).toMatchObject({
        enabled: false,
        payload: {},
        expiredAt: null,
        description: "Shared",
      });
    });

    test("shows timestamps in ISO 8601 with milliseconds and Z", async () => {
      const { set, flag } = await openProject();
      await set("timed", { expiredAt: "2031-05-06T07:08:09+02:00" });
      const { expiredAt, createdAt, updatedAt } = await flag("timed");
      expect(expiredAt).toBe("2031-05-06T05:08:09.000Z");
      for (const time of [createdAt, updatedAt])
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    test("keeps createdAt and moves updatedAt when it changes", async () => {
      const { set, flag } = await openProject();
      await set("moving");
      const before = await flag("moving");
      app.clock.now += 1000;
      await set("moving", { enabled: true });
      const after = await flag("moving");
      expect(after.createdAt).toBe(before.createdAt);
      expect(Date.parse(after.updatedAt)).toBe(Date.parse(before.updatedAt) + 1000);
    });

    test("tells slugs apart by case", async () => {
      const { set, flag, read } = await openProject();
      await set("Case", { enabled: true });
      expect((await flag("Case")).enabled).toBe(true);
      expect((await read(one("case"))).status).toBe(404);
    });

    test("may have a slug of 150 characters of every allowed kind", async () => {
      const { set, flag } = await openProject();
      const slug = `9A.b_c-${"x".repeat(143)}`;
      await set(slug, { enabled: true });
      expect(await flag(slug)).toMatchObject({ slug, enabled: true });
    });
  });

  describe("a flag with variants is what a reader without a context is served", () => {
    const SWITCH = { variants: { on: true, off: false }, defaultVariant: "off" };
    const percent = (on: number) => ({
      fractional: [
        ["on", on],
        ["off", 100 - on],
      ],
    });
    const values = ({ enabled, payload }: Flag) => ({ enabled, payload });
    const OFF = { enabled: false, payload: {} };

    test("off in a rollout, with its payload again once the rule is gone", async () => {
      const { set, flag, read } = await openProject();
      const payload = { color: "green" };
      await set("nc", { enabled: true, payload });
      for (const share of [10, 100]) {
        await set("nc", { ...SWITCH, targeting: percent(share) });
        expect(values(await flag("nc"))).toEqual(OFF);
        const { flags } = (await (await read(ALL)).json()) as { flags: Flag[] };
        expect(flags).toEqual([await flag("nc")]);
      }
      await set("nc", { defaultVariant: "on" });
      expect(values(await flag("nc"))).toEqual({ enabled: true, payload });
      await set("nc", { enabled: false });
      expect(values(await flag("nc"))).toEqual(OFF);
      await set("nc", { enabled: true, variants: null });
      expect(values(await flag("nc"))).toEqual({ enabled: true, payload });
    });

    test("what a rule yields that needs no context, also by a segment that changes", async () => {
      const { slug, set, flag } = await openProject();
      const segment = { project: slug, environment: "develop", segment: "everybody" };
      await setSegment(app, OPERATOR, segment, true);
      const targeting = { if: [{ $ref: "everybody" }, "on"] };
      await set("ruled", { enabled: true, payload: [1], ...SWITCH, targeting });
      expect(values(await flag("ruled"))).toEqual({ enabled: true, payload: [1] });
      await setSegment(app, OPERATOR, segment, false);
      expect(values(await flag("ruled"))).toEqual(OFF);
    });

    test("the value where values are not true and false, and on as it is set", async () => {
      const { set, flag } = await openProject();
      const variants = { red: "#f00", blue: "#00f" };
      const targeting = { if: [{ "==": [{ var: "plan" }, null] }, "blue"] };
      await set("color", { enabled: true, variants, defaultVariant: "red", targeting });
      expect(values(await flag("color"))).toEqual({ enabled: true, payload: "#00f" });
      await set("color", { targeting: null });
      expect(values(await flag("color"))).toEqual({ enabled: true, payload: "#f00" });
      await set("color", { enabled: false, defaultVariant: null });
      expect(values(await flag("color"))).toEqual(OFF);
    });

    test("another once a time in its rule has come", async () => {
      const { set, flag } = await openProject();
      const second = Math.floor(Date.now() / 1000);
      const from = { ">=": [{ var: "$flagd.timestamp" }, second + 3600] };
      await set("launch", { enabled: true, ...SWITCH, targeting: { if: [from, "on"] } });
      expect((await flag("launch")).enabled).toBe(false);
      setSystemTime((second + 3600) * 1000);
      try {
        expect((await flag("launch")).enabled).toBe(false);
        app.clock.now += 1000;
        expect((await flag("launch")).enabled).toBe(true);
      } finally {
        setSystemTime();
      }
    });
  });

  describe("all flags", () => {
    test("are an empty list when there are none, without an error", async () => {
      const { read } = await openProject();
      const answer = await read(ALL);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ flags: [] });
    });

    test("have exactly the seven fields each", async () => {
      const { set, read } = await openProject();
      await set("a");
      await set("b", { payload: null });
      const { flags } = (await (await read(ALL)).json()) as { flags: Flag[] };
      expect(flags.map((flag) => Object.keys(flag))).toEqual([FIELDS, FIELDS]);
    });

    test("come newest first by creation, then by slug", async () => {
      const { set, slugs } = await openProject();
      await set("old");
      app.clock.now += 1;
      for (const flag of ["m", "z", "a"]) await set(flag);
      app.clock.now += 1;
      await set("latest");
      await set("old", { enabled: true });
      expect(await slugs()).toEqual(["latest", "a", "m", "z", "old"]);
      expect(await slugs("staging")).toEqual(["latest", "a", "m", "z", "old"]);
    });

    test("say of each flag what it says itself", async () => {
      const { set, flag, read } = await openProject();
      await set("a", { enabled: true, payload: [1] });
      await set("b", { description: "B" });
      const { flags } = (await (await read(ALL)).json()) as { flags: Flag[] };
      expect(flags).toEqual([await flag("a"), await flag("b")]);
    });

    test("are those of the environment asked for and no other project", async () => {
      const mine = await openProject();
      const other = await openProject();
      await mine.set("mine");
      await other.set("other");
      expect(await mine.slugs()).toEqual(["mine"]);
    });
  });

  describe("a header missing", () => {
    test.each([
      ["project", "x-project-key"],
      ["environment", "x-environment-key"],
    ] as const)("is answered with 400 and names the %s key", async (noun, header) => {
      const { headers } = await openProject();
      const without = new Headers(headers);
      without.delete(header);
      for (const path of [ALL, one("any")]) {
        for (const sent of [without, { ...headers, [header]: "" }]) {
          const answer = await ask(path, { headers: sent });
          expect(answer.status).toBe(400);
          const body = (await answer.json()) as { error: string };
          expect(Object.keys(body)).toEqual(["error"]);
          expect(body.error).toContain(`${noun} key is missing in the headers`);
        }
      }
    });

    test("is answered with 400 when both are", async () => {
      const answer = await ask(ALL);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({ error: expect.stringContaining("missing in the headers") });
    });
  });

  describe("a slug missing", () => {
    test("is answered with 400, with the keys and without", async () => {
      const { headers } = await openProject();
      for (const sent of [headers, {}]) {
        const answer = await ask(one(""), { headers: sent });
        expect(answer.status).toBe(400);
        const body = (await answer.json()) as { error: string };
        expect(Object.keys(body)).toEqual(["error"]);
        expect(body.error).toContain("flag slug is missing");
      }
    });
  });

  describe("an unknown flag", () => {
    test.each(["nope", "__proto__", "constructor", "preview"])(
      "called %s is a 404 that reads as off",
      async (slug) => {
        const { set, read } = await openProject();
        await set("there", { enabled: true });
        const answer = await read(one(slug));
        expect(answer.status).toBe(404);
        expect(await answer.text()).toBe(
          JSON.stringify({ enabled: false, error: true, message: `Flag with slug ${slug} does not exist` }),
        );
      },
    );

    test("is one that was deleted", async () => {
      const { slug, set, read, slugs } = await openProject();
      await set("gone", { enabled: true });
      await read(one("gone"));
      await deleteFlag(app, OPERATOR, { project: slug, flag: "gone" });
      expect((await read(one("gone"))).status).toBe(404);
      expect(await slugs()).toEqual([]);
    });
  });

  describe("keys that select nothing", () => {
    const refusedAlike = async (headers: Record<string, string>) => {
      const single = await ask(one("any"), { headers });
      expect(single.status).toBe(401);
      const all = await ask(ALL, { headers });
      expect(all.status).toBe(401);
      const message = expect.stringContaining("key");
      expect(await single.json()).toEqual({ enabled: false, error: true, message });
      expect(await all.json()).toEqual({ flags: [], error: true, message });
    };

    test("are made up", async () => {
      const { headers } = await openProject();
      await refusedAlike({ ...headers, "x-project-key": "aaaa-bbbb-cccc" });
      await refusedAlike({ ...headers, "x-environment-key": "aaaa-bbbb-cccc" });
    });

    test("are the keys of two different projects", async () => {
      const mine = await openProject();
      const other = await openProject();
      await other.set("any", { enabled: true });
      await other.read(one("any"));
      await refusedAlike({ ...other.headers, "x-project-key": mine.headers["x-project-key"] });
    });

    test("are the two keys in each other's place", async () => {
      const { headers } = await openProject();
      await refusedAlike({
        "x-project-key": headers["x-environment-key"],
        "x-environment-key": headers["x-project-key"],
      });
    });

    test("are in another case", async () => {
      const { headers } = await openProject();
      await refusedAlike({ ...headers, "x-project-key": headers["x-project-key"].toUpperCase() });
    });

    test("belonged to an environment or a project that was deleted", async () => {
      const { slug, headers, keysOf, set, read } = await openProject();
      await set("any", { enabled: true });
      await read(ALL);
      await deleteEnvironment(app, OPERATOR, slug, "develop");
      await refusedAlike(headers);
      expect((await ask(ALL, { headers: keysOf("staging") })).status).toBe(200);
      await deleteProject(app, OPERATOR, slug);
      await refusedAlike(keysOf("staging"));
    });

    test("never make an answer that can be kept", async () => {
      const answer = await ask(ALL, { headers: { "x-project-key": "a", "x-environment-key": "b" } });
      expect(answer.headers.get("etag")).toBeNull();
      expect(answer.headers.get("cache-control")).toContain("no-");
    });
  });

  describe("an expiry", () => {
    test("that passes while the answer is cached turns the flag off and is still shown", async () => {
      const { set, flag, read } = await openProject();
      const expiredAt = new Date(app.now() + 60_000).toISOString();
      await set("brief", { enabled: true, expiredAt });
      await set("lasting", { enabled: true });
      expect(await flag("brief")).toMatchObject({ enabled: true, expiredAt });
      const etags = [(await read(one("brief"))).headers.get("etag"), (await read(ALL)).headers.get("etag")];

      app.clock.now += 59_999;
      expect((await flag("brief")).enabled).toBe(true);
      app.clock.now += 1;
      expect(await flag("brief")).toMatchObject({ enabled: false, expiredAt });
      const { flags } = (await (await read(ALL)).json()) as { flags: Flag[] };
      expect(flags.map(({ slug, enabled }) => [slug, enabled])).toEqual([
        ["brief", false],
        ["lasting", true],
      ]);
      expect((await read(one("brief"), { "if-none-match": etags[0]! })).status).toBe(200);
      expect((await read(ALL, { "if-none-match": etags[1]! })).status).toBe(200);
    });

    test("of several flags each counts when its own time has come", async () => {
      const { set, read } = await openProject();
      const start = app.now();
      for (const [flag, after] of Object.entries({ b: 2000, a: 1000, c: 3000 })) {
        await set(flag, { enabled: true, expiredAt: new Date(start + after).toISOString() });
      }
      const on = async () => {
        const { flags } = (await (await read(ALL)).json()) as { flags: Flag[] };
        return flags.flatMap((flag) => (flag.enabled ? [flag.slug] : []));
      };
      expect(await on()).toEqual(["a", "b", "c"]);
      app.clock.now = start + 1000;
      expect(await on()).toEqual(["b", "c"]);
      app.clock.now = start + 2500;
      expect(await on()).toEqual(["c"]);
      app.clock.now = start + 3000;
      expect(await on()).toEqual([]);
    });

    test("that is taken away turns the flag on again", async () => {
      const { set, flag } = await openProject();
      await set("back", { enabled: true, expiredAt: new Date(app.now() - 1).toISOString() });
      expect((await flag("back")).enabled).toBe(false);
      await set("back", { expiredAt: null });
      expect(await flag("back")).toMatchObject({ enabled: true, expiredAt: null });
    });
  });

  describe("an answer that may be kept", () => {
    test("has a strong ETag, Cache-Control: no-cache, and varies by the keys", async () => {
      const { set, read } = await openProject();
      await set("a");
      for (const path of [ALL, one("a")]) {
        const { headers } = await read(path);
        expect(headers.get("etag")).toMatch(/^"[^"]+"$/);
        expect(headers.get("cache-control")).toBe("no-cache");
        expect(headers.get("vary")?.toLowerCase()).toBe("x-project-key, x-environment-key");
      }
    });

    test.each([
      ["the ETag itself", (etag: string) => etag],
      ["its weak form", (etag: string) => `W/${etag}`],
      ["a list that has it", (etag: string) => `"other", W/"more" ,  ${etag}`],
      ["a list that has its weak form", (etag: string) => `"other",W/${etag}`],
      ["*", () => "*"],
    ])("is a 304 without a body when If-None-Match is %s", async (_what, header) => {
      const { set, read } = await openProject();
      await set("a", { enabled: true });
      for (const path of [ALL, one("a")]) {
        const etag = (await read(path)).headers.get("etag")!;
        const answer = await read(path, { "if-none-match": header(etag) });
        expect(answer.status).toBe(304);
        expect(await answer.text()).toBe("");
        expect(answer.headers.get("etag")).toBe(etag);
        expect(answer.headers.get("cache-control")).toBe("no-cache");
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      }
    });

    test.each(['"other"', "", "W/", '"a", "b"'])("is sent whole when If-None-Match is %j", async (header) => {
      const { set, read } = await openProject();
      await set("a");
      const answer = await read(one("a"), { "if-none-match": header });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ slug: "a" });
    });

    test("has another ETag after a change, and the old one is no longer a 304", async () => {
      const { set, read } = await openProject();
      await set("a");
      for (const path of [ALL, one("a")]) {
        const etag = (await read(path)).headers.get("etag")!;
        app.clock.now += 1;
        await set("a", { payload: path });
        const answer = await read(path, { "if-none-match": etag });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("etag")).not.toBe(etag);
      }
    });

    test("has the same ETag after a set that changed nothing", async () => {
      const { set, read } = await openProject();
      await set("a", { enabled: true });
      const etag = (await read(ALL)).headers.get("etag")!;
      app.clock.now += 1000;
      expect((await set("a", { enabled: true })).result).toBe("unchanged");
      expect((await read(ALL, { "if-none-match": etag })).status).toBe(304);
    });

    test("of one environment stays the same when another one changes", async () => {
      const { set, read } = await openProject();
      await set("a", { enabled: true });
      const etag = (await read(ALL)).headers.get("etag")!;
      app.clock.now += 1000;
      await set("a", { enabled: true, payload: "staging only" }, "staging");
      expect((await read(ALL, { "if-none-match": etag })).status).toBe(304);
    });

    test("is no 304 for an error, whatever If-None-Match is", async () => {
      const { read } = await openProject();
      expect((await read(one("nope"), { "if-none-match": "*" })).status).toBe(404);
      const stranger = { "x-project-key": "a", "x-environment-key": "b", "if-none-match": "*" };
      expect((await ask(ALL, { headers: stranger })).status).toBe(401);
    });
  });

  describe("methods", () => {
    test("HEAD has the status and headers of GET", async () => {
      const { set, headers } = await openProject();
      await set("a");
      for (const path of [ALL, one("a"), one("nope"), one("")]) {
        const get = await ask(path, { headers });
        const head = await ask(path, { headers, method: "HEAD" });
        expect([path, head.status]).toEqual([path, get.status]);
        for (const name of ["etag", "content-type", "cache-control", "vary"]) {
          expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
        }
      }
      const etag = (await ask(ALL, { headers })).headers.get("etag")!;
      const known = await ask(ALL, { method: "HEAD", headers: { ...headers, "if-none-match": etag } });
      expect(known.status).toBe(304);
    });

    test.each([ALL, one("a"), one("")])(
      "OPTIONS %s lets any origin send what reading takes",
      async (path) => {
        const answer = await ask(path, {
          method: "OPTIONS",
          headers: {
            origin: "https://app.example",
            "access-control-request-method": "GET",
            "access-control-request-headers": "x-environment-key,x-project-key",
          },
        });
        expect(answer.status).toBe(204);
        expect(await answer.text()).toBe("");
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
        expect(answer.headers.get("access-control-allow-methods")).toContain("GET");
        const allowed = answer.headers.get("access-control-allow-headers")!.toLowerCase().split(/, */);
        expect(allowed.toSorted()).toEqual([
          "content-type",
          "if-none-match",
          "x-environment-key",
          "x-project-key",
        ]);
      },
    );

    test.each(["POST", "PUT", "PATCH", "DELETE"])(
      "%s is a 405 as JSON that says what is allowed",
      async (method) => {
        const { set, headers } = await openProject();
        await set("a");
        for (const path of [ALL, one("a"), one("")]) {
          const answer = await ask(path, { method, headers });
          expect(answer.status).toBe(405);
          expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
          expect(await answer.json()).toMatchObject({ error: true, message: expect.any(String) });
        }
      },
    );
  });

  test("every answer can be read by any origin, with its ETag, and is JSON", async () => {
    const { set, headers } = await openProject();
    await set("a");
    const stranger = { "x-project-key": "a", "x-environment-key": "b" };
    const answers = [
      await ask(ALL, { headers }),
      await ask(one("a"), { headers }),
      await ask(one("nope"), { headers }),
      await ask(one(""), { headers }),
      await ask(ALL),
      await ask(ALL, { headers: stranger }),
      await ask(one("a"), { headers: stranger }),
      await ask(ALL, { method: "POST" }),
    ];
    for (const answer of answers) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-expose-headers")).toBe("ETag");
      expect(answer.headers.get("content-type")).toStartWith("application/json");
      expect(await answer.json()).toBeObject();
    }
  });

  describe("a change", () => {
    test("made through the same store is in the next answer", async () => {
      const { set, flag, slugs } = await openProject();
      await set("a");
      for (const enabled of [true, false, true, false]) {
        await set("a", { enabled });
        expect((await flag("a")).enabled).toBe(enabled);
      }
      await set("b");
      expect(await slugs()).toEqual(["a", "b"]);
      expect(await slugs("staging")).toEqual(["a", "b"]);
    });

    test("made by another store on the same file is in every answer after that store was closed", async () => {
      const { slug, set, flag, slugs } = await openProject();
      await set("a");
      for (const enabled of [true, false, true, false, true]) {
        expect((await flag("a")).enabled).toBe(!enabled);
        await slugs();
        const other = openSqliteStore(join(app.directory, "formflag.db"), "inline");
        const place = { project: slug, environment: "develop", flag: "a" };
        await setFlag({ ...app, store: other }, OPERATOR, place, { enabled });
        await other.close();
        expect((await flag("a")).enabled).toBe(enabled);
      }
      const other = openSqliteStore(join(app.directory, "formflag.db"), "inline");
      await deleteFlag({ ...app, store: other }, OPERATOR, { project: slug, flag: "a" });
      await other.close();
      expect(await slugs()).toEqual([]);
    });

    test("of a description in one environment is seen in all", async () => {
      const { set, flag } = await openProject();
      await set("a", { description: "before" });
      await flag("a", "staging");
      await set("a", { description: "after" });
      expect((await flag("a", "staging")).description).toBe("after");
      expect((await flag("a")).description).toBe("after");
    });
  });

  test("none of this was a bug to report", () => {
    expect(reported).toEqual([]);
  });
});

describe("anything else under /api/", () => {
  const app = openTestApp();
  const services = openServices(app);
  const site = createSite(services, siteOptions(app));

  test.each(["/api/", "/api/v1", "/api/v1/flag", "/api/v1/flags/a/b", "/api/v2/flags", "/api/%ff"])(
    "%s is a 404 as JSON, for a browser too",
    async (path) => {
      for (const accept of ["text/html,*/*", "application/json", "*/*"]) {
        const answer = await site.fetch(
          new Request(`${BASE}${path}`, { headers: { accept } }),
          () => "127.0.0.1",
        );
        expect(answer.status).toBe(404);
        expect(answer.headers.get("content-type")).toStartWith("application/json");
        expect(await answer.json()).toMatchObject({ error: true, message: expect.any(String) });
      }
    },
  );
});

describe("a database that does not answer", () => {
  test("is a 5xx as JSON that reads as off", async () => {
    const app = openTestApp();
    const { flags, reported } = openServices(app);
    const { key, environments } = await createProject(app, OPERATOR, { slug: "p" });
    const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
    await app.store.close();
    const single = await flags.routes.request(one("a"), { headers });
    expect(single.status).toBeGreaterThanOrEqual(500);
    expect(await single.json()).toMatchObject({ enabled: false, error: true });
    const all = await flags.routes.request(ALL, { headers });
    expect(all.status).toBeGreaterThanOrEqual(500);
    expect(await all.json()).toMatchObject({ flags: [], error: true });
    expect(reported).toHaveLength(2);
  });
});
