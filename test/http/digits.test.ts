import { describe, expect, test } from "bun:test";
import { buildAutoreply } from "../../src/delivery/autoreply.ts";
import { buildNotification } from "../../src/delivery/notification.ts";
import { fillReplyTemplate } from "../../src/delivery/reply-templates.ts";
import { createForm } from "../../src/forms/forms.ts";
import { newFormSchema } from "../../src/forms/form-schema.ts";
import { parseExactly } from "../../src/base/json/exact-json.ts";
import { titlesIn } from "../../src/forms/inbox/field-words.ts";
import { openTools } from "../support/mcp.ts";
import { openDashboard } from "../support/pages/dashboard.ts";
import { OPERATOR } from "../support/records/caller.ts";

const { app, services, connect } = openTools();
const admin = await services.admin();
const dashboard = openDashboard(app);
const form = await createForm(app, OPERATOR, newFormSchema.parse({ slug: "orders" }));

const DATA = '{"big":12345678901234567890,"price":1.10,"huge":1e400,"list":[1.0,{"deep":-0}],"plain":5}';

async function submit(body: string): Promise<string> {
  const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
  const answer = await services.forms.routes.request(`/v1/s/${form.key}?mode=rest`, init);
  return ((await answer.json()) as { id: string }).id;
}

const id = await submit(DATA);

async function ask(path: string, init: RequestInit = {}): Promise<string> {
  const answer = await admin.request(`/api/admin/v1${path}`, init, { operator: () => "ann" });
  expect(answer.status).toBeLessThan(300);
  return answer.text();
}

const submissions = (query: string) => ask(`/forms/orders/submissions${query}`);

describe("every digit of a number that was sent is", () => {
  test.each([
    ["a submission", () => ask(`/submissions/${id}`)],
    ["a list", () => submissions("")],
    ["the list of all forms", () => ask("/submissions")],
    ["a list in which is searched", () => submissions("?search=12345678901234567890")],
    ["a list of a field", () => submissions("?field=price=1.10")],
    ["a list of a field, as JavaScript writes its number", () => submissions("?field=price=1.1")],
    ["an export as JSON lines", () => ask("/forms/orders/submissions/export?format=jsonl")],
    ["an export as JSON", () => ask("/forms/orders/submissions/export?format=json")],
    [
      "a page as JSON",
      async () => (await (await dashboard.signIn("admin")).get(`/inbox/orders/${id}/json`)).text,
    ],
  ])("in %s", async (_, read) => {
    const text = await read();
    expect(text.replaceAll(/\s/g, "")).toContain(`"data":${DATA}`);
  });

  const CELLS = '12345678901234567890,1.10,1e400,"[1.0,{""deep"":-0}]",5';

  test("in an export as CSV, and comes back from it", async () => {
    const csv = await ask("/forms/orders/submissions/export?format=csv");
    expect(csv).toContain(CELLS);
    const { csvRows } = await import("../../src/forms/transfer/import-csv.ts");
    const rows = await Array.fromAsync(
      csvRows(
        (async function* () {
          yield csv;
        })(),
      ),
    );
    expect(rows.map(({ json }) => json)).toContainEqual(expect.stringContaining(`"data":${DATA}`));
  });

  test.each([
    ["csv", CELLS],
    ["json", `"_formflag":{"data":${DATA}}`],
    ["json", 'big: 12345678901234567890\\nprice: 1.10\\nhuge: 1e400\\nlist: [1.0,{\\"deep\\":-0}]'],
    ["atom", "big: 12345678901234567890\nprice: 1.10\nhuge: 1e400\n"],
  ])("in a feed as %s: %s", async (format, text) => {
    const body = JSON.stringify({ name: "feed", format });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    const { url } = JSON.parse(await ask("/forms/orders/feeds", init)) as { url: string };
    const answer = await services.forms.routes.request(new URL(url, "http://site.test").pathname);
    expect(await answer.text()).toContain(text);
  });

  test("on pages", async () => {
    const browser = await dashboard.signIn("admin");
    const { text } = await browser.get(`/inbox/orders/${id}`);
    for (const number of ["12345678901234567890", "1.10", "1e400", "1.0", "-0", "5"])
      expect(text).toContain(`<code>${number}</code>`);
    const list = (await browser.get("/inbox/orders")).text;
    expect(list).toContain("12345678901234567890");
    expect(list).toContain("1.10 · 1e400 · 1.0, -0");
    const table = (await browser.get("/inbox/orders?view=table")).text;
    expect(table).toContain("12345678901234567890");
  });

  test("in what a model reads", async () => {
    const { call } = await connect(["forms:read"]);
    for (const { text } of [
      await call("submissions_get", { id }),
      await call("submissions_list", { form: "orders" }),
    ])
      expect(text).toContain(DATA);
  });

  test("in mail, in automatic replies and in templates", () => {
    const [from, now] = [{ name: "Shop", address: "forms@shop.example" }, 0];
    const { message } = buildNotification({
      id: "d-1",
      from,
      to: "owner@shop.example",
      now,
      form,
      submission: { id, data: DATA, createdAt: 0 },
      files: [],
      emailField: null,
      schemaEmailField: null,
      subject: "{{big}} for {{price}}",
      title: "",
      attach: 0,
      spam: 0,
    });
    expect(message.subject).toBe("12345678901234567890 for 1.10");
    expect(message.text).toMatch(/big: +12345678901234567890\nprice: +1\.10\nhuge: +1e400\nlist: +1\.0\n/);
    const reply = {
      id: "d-1",
      from,
      to: "ann@x.example",
      now,
      subject: null,
      text: "{{price}}, {{huge}}, {{list}}",
    };
    expect(buildAutoreply({ ...reply, data: DATA.replace("{", '{"email":"ann@x.example",') })?.text).toBe(
      "1.10, 1e400, 1.0 - deep: -0",
    );
    expect(fillReplyTemplate({ name: "a", text: "{{big}} {{price}}" }, DATA)).toBe(
      "12345678901234567890 1.10",
    );
  });

  test("found by a purge, also as JavaScript writes it", async () => {
    const purge = (value: string) => {
      const body = JSON.stringify({ field: "price", value, dryRun: true });
      return ask("/submissions/purge", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
    };
    for (const value of ["1.10", "1.1"]) expect(await purge(value)).toContain(id);
    expect(await purge("1.100")).not.toContain(id);
  });
});

test("a choice of a schema is the same with any digits, and another number has its own", () => {
  const schema = {
    properties: {
      n: {
        oneOf: [
          { const: 1, title: "One" },
          { const: null, title: "None" },
        ],
      },
    },
  };
  const titleOf = titlesIn(schema);
  expect([titleOf("n", parseExactly("1.0")), titleOf("n", null)]).toEqual(["One", "None"]);
  expect(JSON.stringify(titleOf("n", parseExactly("[1.0,1.10]")))).toBe('["One",1.10]');
});

test("a number of many digits is cut on a page as a text is", async () => {
  const long = await submit(`{"n":${"1".repeat(900_000)}}`);
  const { text } = await (await dashboard.signIn("admin")).get(`/inbox/orders/${long}`);
  expect(text).toContain("more characters");
  expect(text.length).toBeLessThan(100_000);
});
