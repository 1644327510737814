import {
  type Context,
  type Scenario,
  KB,
  admin,
  download,
  fill,
  many,
  rule,
  statusOf,
} from "./gaps-client.ts";
import { large } from "./gaps-large.ts";

const MARKS: Record<string, string> = {
  "U+0301 U+0316": "\u0301\u0316",
  "marks apart by U+00AD": "\u0301".repeat(9) + "\u00ad" + "\u0316".repeat(9) + "\u200b",
  "U+0F71 U+0F74": "\u0f71\u0f74\u200d",
  "U+16D67": "\u{16d67}",
  "U+1611E": "\u{1611e}",
  "U+3300": "㌀",
  "U+3131": "ㄱ",
  Sigma: "Σ'",
};

const forms: Record<string, string> = {};

const send = async ({ url }: Context, form: string, body: string | FormData, type?: string) => {
  const response = await fetch(`${url()}/v1/s/${forms[form]}?mode=rest`, {
    method: "POST",
    body,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });
  await response.text();
  return response.status;
};
const sendJson = (context: Context, form: string, data: object) =>
  send(context, form, JSON.stringify(data), "application/json");
const multipart = (texts: string[]) => {
  const form = new FormData();
  for (const [index, text] of texts.entries()) form.append(`f${index}`, text);
  return form;
};

const SCHEMA = {
  type: "object",
  properties: {
    t: { type: "string", pattern: "^(a|aa|a*b?)*(x+x+)+y$" },
    e: { type: "string", format: "email" },
  },
};

const setup: Scenario = {
  name: "set-up",
  isSetup: true,
  async work(context) {
    const hostileWords = [
      ...Array.from({ length: 90 }, (_, index) => `*${"a".repeat(index + 1)}b*`),
      "*a*a*a*a*b",
      "b*a*a*b",
      "casino",
    ];
    const bodies: Record<string, object> = {
      plain: {},
      words: { spamWords: hostileWords, spamEmails: ["*@*.x*y*z"], spamLinks: 3, spamDisposable: true },
      schema: { schema: SCHEMA },
      unique: { schema: { type: "object", properties: { l: { type: "array", uniqueItems: true } } } },
    };
    for (const [name, body] of Object.entries(bodies)) {
      const { answer, status } = await admin(context, "POST", "/forms", { slug: name, name, ...body });
      if (status !== 201) throw new Error(answer);
      forms[name] = (JSON.parse(answer) as { key: string }).key;
    }
    context.run("projects", "create", "p");
    return Object.keys(forms).length;
  },
};

const submissions: Scenario[] = ["plain", "words", "schema"].flatMap((form) => [
  ...Object.entries(MARKS).flatMap(([name, unit]) => [
    {
      name: `a submission to ${form}: 256 KB of ${name} in one field`,
      work: (context: Context) => sendJson(context, form, { t: `a${fill(unit, 255 * KB)}` }),
    },
    {
      name: `a submission to ${form}: 4 MB of ${name} in sixteen fields`,
      work: (context: Context) =>
        send(context, form, multipart(Array.from({ length: 16 }, () => `a${fill(unit, 252 * KB)}`))),
    },
  ]),
  ...Object.entries({
    "a run of a": { t: fill("a", 255 * KB) },
    "ab words": { t: fill("aaaa ", 255 * KB) },
    "345,000 empty lists": { l: Array.from({ length: 345_000 }, () => []) },
    "80,000 names in a field": {
      l: Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`n${i}`, 1])),
    },
    "500,000 numbers": { l: Array.from({ length: 500_000 }, () => 1) },
    "exact numbers": { l: "@" },
    "130,000 texts": { l: Array.from({ length: 130_000 }, (_, i) => `é${i % 1000}`) },
    backslashes: { t: fill("\\", 127 * KB), u: fill('"', 127 * KB), v: fill('"\\', 127 * KB) },
    spaces: { t: `a${fill(" ", 250 * KB)}a`, e: `a@${fill(" ", 250 * KB)}b` },
    at: { e: fill("a@", 250 * KB), email: fill("a.", 250 * KB) },
    links: { t: fill("https://", 250 * KB), u: fill("http", 250 * KB) },
  }).map(([name, data]) => ({
    name: `a submission to ${form}: ${name}`,
    work: (context: Context) =>
      send(
        context,
        form,
        JSON.stringify(data).replace('"@"', `[${fill("12345678901234567890,", 900 * KB)}1]`),
        "application/json",
      ),
  })),
  {
    name: `a submission to ${form}: repeated names`,
    work: (context: Context) =>
      send(context, form, `{${fill('"a":"1",', 900 * KB)}"a":2}`, "application/json"),
  },
  {
    name: `a submission to ${form}: urlencoded`,
    work: (context: Context) =>
      send(
        context,
        form,
        `t=${fill("%CC%81%CC%96", 200 * KB)}&u=${fill("%", 200 * KB)}&${fill("&", 500 * KB)}`,
        "application/x-www-form-urlencoded",
      ),
  },
]);

const list = (query: string) => (context: Context) =>
  statusOf(context, "GET", `/forms/plain/submissions?${query}`);
const stored: Scenario[] = [
  { name: "the search index catches up", work: (context) => catchUp(context) },
  ...[
    "search=a",
    "search=zzz",
    `search=${encodeURIComponent(fill("a-", 999))}`,
    `search=${encodeURIComponent(
      Array.from({ length: 330 }, (_, i) => String.fromCharCode(0x61 + (i % 26)) + i)
        .join(" ")
        .slice(0, 1000),
    )}`,
    `search=${encodeURIComponent("é\u0301".repeat(300))}`,
    `field=${encodeURIComponent(`t=a${"\u0301\u0316".repeat(400)}`)}`,
    "field=t%3Da",
    "limit=1000",
  ].map((query) => ({
    name: `a list of the inbox: ${query.slice(0, 30)}`,
    work: list(query),
  })),
  ...Object.entries({
    address: { email: `${fill("a\u0301", 200)}@x.example` },
    "a value": { field: "t", value: `a${fill("\u0301\u0316", 255 * KB)}` },
    "1 MB": { field: "t", value: fill("㌀\u0301", 900 * KB) },
  }).map(([name, body]) => ({
    name: `a purge that only counts: ${name}`,
    work: (context: Context) => statusOf(context, "POST", "/submissions/purge", { ...body, dryRun: true }),
  })),
  {
    name: "an export as CSV",
    work: (context) => download(context, "/forms/plain/submissions/export?format=csv"),
  },
  {
    name: "an export as JSON",
    work: (context) => download(context, "/forms/plain/submissions/export?format=jsonl"),
  },
  {
    name: "an export as zip",
    work: (context) => download(context, "/forms/plain/submissions/export?format=zip"),
  },
  { name: "a restart", work: async (context) => (await context.restart(), await catchUp(context)) },
];

const catchUp = async (context: Context) => {
  for (let count = 0; count < 600; count += 1) {
    const { answer } = await admin(context, "GET", "/forms/plain/submissions?search=zzzz&limit=1");
    if ((JSON.parse(answer) as { indexing?: number }).indexing === undefined) return "done";
    await Bun.sleep(100);
  }
  return "not done";
};

const FLAG = "/projects/p/environments/production/flags/f";
const nested = (depth: number, inner: unknown): unknown =>
  depth === 0 ? inner : { "!": [nested(depth - 1, inner)] };
const flags: Scenario[] = [
  ...Object.entries({
    "19,000 comparisons": { or: Array.from({ length: 3900 }, (_, i) => ({ "==": [{ var: "a" }, i] })) },
    "a list of 19,000": { in: [{ var: "a" }, Array.from({ length: 19_000 }, (_, i) => `v${i}`)] },
    "sem_ver of 250 KB": { sem_ver: [{ var: "v" }, "~", fill("1.", 250 * KB)] },
    "a name of 250 KB": { "==": [{ var: fill("a.", 250 * KB) }, 1] },
    "texts of 64 KB": { in: [{ cat: Array.from({ length: 900 }, () => fill("a", 250)) }, { var: "t" }] },
    "60 levels": nested(30, { var: "a" }),
    "starts_with marks": { starts_with: [{ var: "t" }, fill("\u0301\u0316", 250 * KB)] },
    "2,900 versions in one another": {
      and: Array.from({ length: 96 }, () => {
        let rule: unknown = { bogus: 1 };
        for (let level = 0; level < 30; level += 1) rule = { sem_ver: [rule, "=", "1.0.0"] };
        return rule;
      }),
    },
    "10,000 buckets": { fractional: Array.from({ length: 6000 }, () => ["on", 1]) },
  }).flatMap(([name, targeting]) => [
    {
      name: `a flag: ${name}`,
      work: (context: Context) => statusOf(context, "PATCH", FLAG, rule(targeting)),
    },
    {
      name: `its evaluation: ${name}`,
      work: (context: Context) =>
        statusOf(context, "POST", `${FLAG}/evaluate`, {
          context: { targetingKey: fill("a", 1000), t: fill("a", 30 * KB), v: fill("1.", 30 * KB), a: "x" },
        }),
    },
  ]),
  ...Object.entries({
    attributes: `<a ${fill("a ", 65_000)}>x</a>`,
    brackets: fill("[", 65_000),
    emphasis: fill("*a _a ", 65_000),
    quotes: fill("> ", 400),
    html: fill("a <a b", 65_000),
    ticks: fill("`a``", 65_000),
  }).map(([name, previewContent]) => ({
    name: `a preview of 64 KB: ${name}`,
    work: (context: Context) => statusOf(context, "PATCH", FLAG, { isPreview: true, previewContent }),
  })),
];

const documentOf = (projects: object) => ({ projects });
const documents: Scenario[] = Object.entries({
  "60,000 flags": () =>
    documentOf({ q: { environments: { production: {} }, flags: many(60_000, () => ({})) } }),
  "60 rules of 250 KB": () =>
    documentOf({
      q: {
        flags: many(60, () => ({
          environments: {
            production: rule({ in: [{ var: "a" }, Array.from({ length: 19_000 }, (_, i) => `v${i}`)] }),
          },
        })),
      },
    }),
  "200 previews of 64 KB": () =>
    documentOf({
      q: {
        flags: many(200, () => ({
          environments: { production: { isPreview: true, previewContent: `<a ${fill("a ", 60_000)}>x</a>` } },
        })),
      },
    }),
  "5,000 forms": () => ({ forms: many(5000, (i) => ({ name: `n${i}` })) }),
  "a text of 15 MB": () =>
    documentOf({ q: { flags: { f: { description: fill("\u0301\u0316", 15_000 * KB) } } } }),
  "a million numbers": () =>
    documentOf({
      q: {
        flags: {
          f: { environments: { production: { payload: Array.from({ length: 1_000_000 }, () => 1) } } },
        },
      },
    }),
  "2,000,000 names": () => documentOf({ q: many(1_000_000, () => 1) }),
}).flatMap(([name, make]) => [
  {
    name: `a document: ${name}`,
    work: (context: Context) => statusOf(context, "POST", "/apply", { document: make(), dryRun: true }),
  },
  {
    name: `a document, applied: ${name}`,
    work: (context: Context) => statusOf(context, "POST", "/apply", { document: make(), confirmed: true }),
  },
]);

const others: Scenario[] = [
  ...Object.entries({
    patterns: {
      schema: {
        type: "object",
        properties: many(60, (i) => ({ type: "string", pattern: `^(([a-z]{0,${5 + (i % 5)}}){0,5}){0,5}$` })),
      },
    },
    "a large enum": {
      schema: {
        type: "object",
        properties: { a: { enum: Array.from({ length: 6000 }, (_, i) => `v${i}`) } },
      },
    },
    references: {
      schema: {
        type: "object",
        $defs: many(30, (i) => ({ anyOf: [{ $ref: `#/$defs/k${i + 1}` }, { $ref: `#/$defs/k${i + 1}` }] })),
        properties: { a: { $ref: "#/$defs/k0" } },
      },
    },
    "1,000 spam words": { spamWords: Array.from({ length: 1000 }, (_, i) => `*${fill("a", 94)}${i}*`) },
    "a template": { autoreply: true, autoreplyText: fill("{{#a}}{{/a}}", 10_000) },
    "a broken template": { autoreply: true, autoreplyText: fill("{{", 10_000) },
    "a long name": { name: fill("\u0301\u0316", 900 * KB) },
  }).map(([name, patch]) => ({
    name: `settings of a form: ${name}`,
    work: (context: Context) => statusOf(context, "PATCH", "/forms/unique", patch),
  })),
  ...Object.entries({
    "20,000 references": JSON.stringify({
      branch: "main",
      projectName: "web",
      references: {
        f: Array.from({ length: 20_000 }, (_, i) => ({
          filePath: "a/".repeat(100),
          lineNumber: i + 1,
          lineContent: "x".repeat(500),
        })),
      },
    }),
    brackets: `{"branch":"main","projectName":"web","references":{"f":[${fill("[],", 15_000 * KB)}[]]}}`,
    names: `{"branch":"main","projectName":"web","references":{${Array.from({ length: 900_000 }, (_, i) => `"k${i}":[]`).join(",")}}}`,
  }).map(([name, body]) => ({
    name: `code references, 15 MB: ${name}`,
    work: (context: Context) => statusOf(context, "PUT", "/projects/p/code-refs", body),
  })),
  ...Object.entries({
    rows: () => `${JSON.stringify({ t: "x".repeat(100) })}\n`.repeat(130_000),
    "rows of 250 KB of marks": () =>
      `${JSON.stringify({ t: `a${fill("\u0301\u0316", 250 * KB)}` })}\n`.repeat(55),
    "a line": () => `{"l":[${fill("[],", 15_000 * KB)}[]]}`,
    "empty lines": () => fill("\n", 15_000 * KB),
    "a row of 7 MB of lists": () => `{"l":[${fill("[],", 7000 * KB)}[]]}`,
    "a row of as many lists as it can have": () => `{"l":[${fill("[],", 1200 * KB)}[]]}`,
    "a row of as many names as it can have": () => JSON.stringify({ l: many(90_000, () => 1) }),
    "500 rows of lists": () => `{"l":[${fill("[],", 2000)}[]]}\n`.repeat(500),
    "500 rows of names": () => `${JSON.stringify({ l: many(200, () => 1) })}\n`.repeat(500),
    "500 rows of marks": () => `${JSON.stringify({ t: `a${fill("\u0301\u0316", 2000)}` })}\n`.repeat(500),
    "a row of texts": () => JSON.stringify(many(34, () => "ä".repeat(128 * KB))),
    "a row of control characters": () => JSON.stringify(many(5, () => "\u0001".repeat(256 * KB))),
  }).map(([name, make]) => ({
    name: `an import of up to 15 MB: ${name}`,
    work: async ({ url, token }: Context) => {
      const response = await fetch(`${url()}/api/admin/v1/forms/unique/submissions/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/jsonl" },
        body: make(),
      });
      return `${response.status} ${(await response.text()).slice(0, 100)}`;
    },
  })),
  {
    name: "flags for their evaluation",
    work: async (context) => {
      const rules = rule({ in: [{ var: "a" }, Array.from({ length: 19_000 }, (_, i) => `v${i}`)] });
      const flags = {
        ...many(40, () => ({ environments: { production: rules } })),
        ...Object.fromEntries(
          Array.from({ length: 2000 }, (_, i) => [
            `s${i}`,
            { environments: { production: rule({ if: [{ ends_with: [{ var: "t" }, "x"] }, "on"] }) } },
          ]),
        ),
      };
      return statusOf(context, "POST", "/apply", {
        document: { projects: { r: { environments: { production: {} }, flags } } },
        confirmed: true,
      });
    },
  },
  ...["evaluate all", "evaluate all again"].map((name) => ({
    name: `OFREP: ${name} with 60 KB`,
    work: async (context: Context) => {
      const { answer } = await admin(context, "GET", "/projects/r");
      const project = JSON.parse(answer) as { key: string; environments: { slug: string; key: string }[] };
      const response = await fetch(`${context.url()}/ofrep/v1/evaluate/flags`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-project-key": project.key,
          "x-environment-key": project.environments.find(({ slug }) => slug === "production")!.key,
        },
        body: JSON.stringify({
          context: { targetingKey: fill("a", 1000), t: fill("a", 30 * KB), a: fill("v", 25 * KB) },
        }),
      });
      return `${response.status} ${(await response.text()).length}`;
    },
  })),
  ...[
    "/export",
    "/export?project=q",
    "/export?project=r",
    "/export?project=none&forms=true",
    "/projects/r/environments/production/flagd",
    "/projects/r/environments/production/flags?limit=10000",
  ].map((path) => ({
    name: `a read of all flags: ${path}`,
    work: (context: Context) => download(context, path),
  })),
  ...Object.entries({
    metadata: { metadata: many(60_000, () => null) },
    variants: { variants: many(60_000, () => 1) },
    names: many(60_000, () => 1),
    "empty lists": { payload: Array.from({ length: 340_000 }, () => []) },
    objects: { payload: many(15_000, () => ({})) },
  }).map(([name, patch]) => ({
    name: `a body of 1 MB: ${name}`,
    work: (context: Context) => statusOf(context, "PATCH", FLAG, patch),
  })),
  {
    name: "headers of 15 KB",
    work: async ({ url }) =>
      (
        await fetch(`${url()}/v1/f/${forms["schema"]}?${fill("t=%CC%81&", 8000)}`, {
          headers: {
            "accept-language": fill("a-b;q=0.1,", 4000),
            cookie: fill("a=b; ", 2000),
            accept: fill("text/*;q=0.5,", 2000),
          },
        })
      ).status,
  },
];

const endings: Scenario[] = [
  {
    name: "a purge",
    work: (context) =>
      statusOf(context, "POST", "/submissions/purge", {
        field: "t",
        value: `a${fill("\u0301\u0316", 255 * KB)}`,
      }),
  },
  {
    name: "the deletion of all",
    work: (context) => statusOf(context, "POST", "/submissions/delete-matching", { form: "plain" }),
  },
  {
    name: "the retention of all",
    work: async (context) => {
      const status = await statusOf(context, "PATCH", "/forms/words", { retention: 1 });
      await Bun.sleep(20_000);
      return status;
    },
  },
  {
    name: "a last restart",
    work: async (context) => (await context.restart(), await Bun.sleep(5000), "done"),
  },
];

export const scenarios: Scenario[] = [
  setup,
  ...submissions,
  ...stored,
  ...flags,
  ...documents,
  ...others,
  ...large,
  ...endings,
];
