import { expect, test } from "bun:test";
import { createSite } from "../../src/http/site.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";

const app = openTestApp();
const { reported, ...services } = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });
const admin = await services.admin();
const { key, environments } = await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
await admin.request(
  "/api/admin/v1/forms",
  { method: "POST", body: '{"slug":"contact"}', headers: { "content-type": "application/json" } },
  { operator: () => "ann" },
);

const LIVE = "/api/admin/v1/projects/shop/environments/live";
const KEYS = { "x-project-key": key, "x-environment-key": environments[0]!.key };

/** Bytes of a text in ISO-8859-1, and in UTF-16 as Windows writes it. */
const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");

type Sent = [method: string, path: string, type: string, text: string];

const ADMIN: Sent[] = [
  ["PATCH", `${LIVE}/flags/a`, "application/json", '{"payload":{"t":"Zoë"}}'],
  ["POST", `${LIVE}/flagd`, "application/json", '{"flags":{},"$evaluators":{"s":{"==":["Zoë",1]}}}'],
  ["PUT", `${LIVE}/segments/s`, "application/json", '{"rule":{"==":[{"var":"name"},"Zoë"]}}'],
  ["POST", "/api/admin/v1/apply", "application/json", '{"document":{"projects":{"shop":{"name":"Zoë"}}}}'],
  ["POST", "/api/admin/v1/forms/contact/submissions/import", "application/jsonl", '{"data":{"name":"Zoë"}}'],
  [
    "PUT",
    "/api/admin/v1/projects/shop/code-refs",
    "application/json",
    '{"branch":"main","projectName":"Zoë","references":{}}',
  ],
];

const FLAGS: Sent[] = [
  ["POST", "/ofrep/v1/evaluate/flags", "application/json", '{"context":{"name":"Zoë"}}'],
  ["POST", "/api/v1/flags/preview/feedback", "application/json", '{"slug":"a","description":"Zoë"}'],
];

async function send(
  isAdmin: boolean,
  [method, path, type, text]: Sent,
  encode: (text: string) => Uint8Array,
) {
  const init = { method, body: encode(text), headers: { ...KEYS, "content-type": type } };
  const answer = isAdmin
    ? await admin.request(path, init, { operator: () => "ann" })
    : await site.fetch(new Request(`http://site.test${path}`, init), () => "198.51.100.7");
  return { status: answer.status, text: await answer.text() };
}

const ALL = [...ADMIN, ...FLAGS].map((sent, index) => [sent[1], index < ADMIN.length, sent] as const);

test.each(ALL)(
  "text that is not UTF-8 is refused and named, and nothing is stored: %s",
  async (_, isAdmin, sent) => {
    const before = await app.store.flags.list("shop", "live");
    for (const [encode, words] of [
      [latin1, "is not UTF-8"],
      [utf16, "is UTF-16, not UTF-8"],
    ] as const) {
      const answer = await send(isAdmin, sent, encode);
      expect(answer).toEqual({ status: 400, text: expect.stringContaining(words) });
    }
    expect(await app.store.flags.list("shop", "live")).toEqual(before);
  },
);

test.each(ALL)(
  "the same text in UTF-8 is not, with a byte order mark or without: %s",
  async (_, isAdmin, sent) => {
    for (const mark of ["", "\uFEFF"]) {
      const { text } = await send(isAdmin, sent, (text) => Buffer.from(mark + text));
      expect(text).not.toContain("UTF-");
      expect(text).not.toContain("not valid JSON");
    }
  },
);

test.each<[path: string, method: string, body: string, place: string]>([
  [`${LIVE}/flags/a`, "PATCH", '{"payload":{"a":1,"a":2}}', "payload.a"],
  [`${LIVE}/flagd`, "POST", '{"flags":{"a":{"state":"ENABLED"},"a":{"state":"DISABLED"}}}', "flags.a"],
  [
    "/api/admin/v1/apply",
    "POST",
    '{"document":{"projects":{"shop":{"flags":{"a":{},"a":{}}}}}}',
    "projects.shop.flags.a",
  ],
])("a name that is twice in a body is 400 with its place: %s", async (path, method, body, place) => {
  const { status, text } = await send(true, [method, path, "application/json", body], (each) =>
    Buffer.from(each),
  );
  expect({ status, text }).toEqual({
    status: 400,
    text: expect.stringContaining(`"${place}: this name is there twice`),
  });
});

test("none of this was a bug to report", () => {
  expect(reported).toEqual([]);
});
