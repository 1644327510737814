import { expect, test } from "bun:test";
import { setTestContext } from "../../../../src/flags/contexts/test-contexts.ts";
import { setFlag } from "../../../../src/flags/flags.ts";
import { setSegment } from "../../../../src/flags/segments.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const FLAG = "/projects/shop/flags/search?environment=staging";
const ACTION = "/projects/shop/environments/staging/flags/search";
const place = { project: "shop", environment: "staging", flag: "search" };

/** The project shop with the flag search and the segment staff in staging, and an editor who is signed in. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop" });
  await setFlag(app, OPERATOR, place, {
    enabled: true,
    variants: { on: true, off: false },
    defaultVariant: "off",
  });
  await setSegment(app, OPERATOR, { ...place, segment: "staff" }, true);
  const ann = await openDashboard(app).signIn("editor");
  const targeting = async () => JSON.parse((await app.store.flags.find(place))!.rules!).targeting as unknown;
  return {
    app,
    ann,
    targeting,
    send: (fields: Record<string, string | string[]>) => ann.post(ACTION, fields),
  };
}

const SHARES = { "of-1": ["on", "off"], "share-1": ["25", "0"], "was-1": ["100", "0"] };
const SEGMENT = { "attribute-1": "", "operator-1": "segment", "value-1": "staff" };

test("a share of a segment is saved from a row, and the last share takes the rest", async () => {
  const { ann, send, targeting } = await openShop();
  const row = { rules: "1", ...SEGMENT, "serve-1": "shares", ...SHARES, "serve-rest": "" };
  const checked = await send({ ...row, act: "check" });
  expect(checked.text).toContain('id="difference"');
  expect(/<ul id="difference"[^>]*>.*?<\/ul>/s.exec(checked.text)![0]).toContain(
    "rule: none → segment staff: 25 % on, 75 % off; everyone else off",
  );
  expect(await targeting()).toBeUndefined();
  await send({ ...row, act: "save" });
  expect(await targeting()).toEqual({
    if: [
      { $ref: "staff" },
      {
        fractional: [
          ["on", 25],
          ["off", 75],
        ],
      },
    ],
  });
  const page = await ann.get(FLAG);
  expect(page.text).toMatch(/<option value="segment" selected="">segment/);
  expect(page.text).toMatch(/name="share-1"[^>]* value="25"/);
  expect(page.text).toMatch(/name="share-1"[^>]* value="75"/);
});

test("conditions of a row all have to hold, and are read back as they were typed", async () => {
  const { ann, send, targeting } = await openShop();
  const row = {
    rules: "1",
    "attribute-1": ["plan", "country", "", ""],
    "operator-1": ["==", "in", "not segment", "=="],
    "value-1": ["pro plus", "AT, DE", "staff", ""],
    "serve-1": "on",
    "serve-rest": "off",
  };
  await send(row);
  expect(await targeting()).toEqual({
    if: [
      {
        and: [
          { "===": [{ var: "plan" }, "pro plus"] },
          { in: [{ var: "country" }, ["AT", "DE"]] },
          { "!": [{ $ref: "staff" }] },
        ],
      },
      "on",
      "off",
    ],
  });
  const { text } = await ann.get(FLAG);
  for (const name of ["Condition 1", "Condition 2", "Condition 3", "Rule 1", "Everyone else"])
    expect(text).toContain(`aria-label="${name}"`);
  expect(text).toContain('value="pro plus"');
});

test("a rule that words express and rows do not keeps its words, and an unchanged one stays as it is", async () => {
  const { app, ann, targeting } = await openShop();
  const either = { or: [{ "===": [{ var: "a" }, 1] }, { "===": [{ var: "b" }, 2] }] };
  const rule = { if: [{ and: [either, { "===": [{ var: "c" }, 3] }] }, "on"] };
  await setFlag(app, OPERATOR, place, { targeting: rule });
  expect((await ann.get(FLAG)).text).toMatch(/name="words-1"[^>]* value="\(a is 1 or b is 2\) and c is 3"/);
  await ann.post(ACTION, {
    rules: "1",
    "words-1": "(a is 1 or b is 2) and c is 3",
    "serve-1": "on",
    "serve-rest": "",
    payload: "7",
  });
  expect(await targeting()).toEqual(rule);
});

test("conditions of which any may hold are edited one by one", async () => {
  const { ann, send, targeting } = await openShop();
  const row = {
    rules: "1",
    "attribute-1": ["a", "b"],
    "operator-1": ["==", "=="],
    "value-1": ["x", "y"],
    "join-1": "or",
    "serve-1": "on",
    "serve-rest": "",
  };
  await send(row);
  const either = { or: [{ "===": [{ var: "a" }, "x"] }, { "===": [{ var: "b" }, "y"] }] };
  expect(await targeting()).toEqual({ if: [either, "on"] });
  const { text } = await ann.get(FLAG);
  expect(text).toMatch(/<option value="or" selected="">/);
  expect(text.match(/name="attribute-1"/g)!.length).toBe(2);
  await send({ ...row, "join-1": "and" });
  expect(await targeting()).toEqual({ if: [{ and: either.or }, "on"] });
});

test("rows are added, moved and removed, conditions added, and what is typed is kept", async () => {
  const { send, targeting } = await openShop();
  const rows = {
    rules: "2",
    "attribute-1": "plan",
    "operator-1": "==",
    "value-1": "",
    "serve-1": "shares",
    ...SHARES,
    "attribute-2": "country",
    "operator-2": "in",
    "value-2": "AT",
    "serve-2": "off",
    "serve-rest": "",
  };
  const more = await send({ ...rows, act: "and-1" });
  expect(more.text.match(/name="attribute-1"/g)!.length).toBe(2);
  expect(more.text).toContain('value="plan"');
  const moved = await send({ ...rows, act: "up-2" });
  expect(moved.text).toMatch(/name="attribute-1"[^>]* value="country"/);
  expect((await send({ ...rows, act: "row" })).text).toContain('aria-label="Rule 3"');
  expect((await send({ ...rows, act: "remove-2" })).text).not.toContain('value="country"');
  const wrong = await send({ ...rows, act: "save" });
  expect([wrong.status, wrong.text.includes("Row 1: ")]).toEqual([422, true]);
  expect(wrong.text).toContain('value="plan"');
  expect(await targeting()).toBeUndefined();
});

test("a row that is half typed stays, with every other edit, where JSON is asked for", async () => {
  const { send } = await openShop();
  const whole = { "attribute-1": "country", "operator-1": "==", "value-1": "AT", "serve-1": "on" };
  const half = { "attribute-2": "plan", "operator-2": "==", "value-2": "", "serve-2": "off" };
  const asked = await send({ ...whole, ...half, rules: "2", "serve-rest": "", act: "json" });
  expect([asked.status, asked.text.includes("Row 2: ")]).toEqual([422, true]);
  for (const typed of ['value="country"', 'value="AT"', 'value="plan"']) expect(asked.text).toContain(typed);
  const asJson = await send({ ...whole, rules: "1", "serve-rest": "", act: "json" });
  expect([asJson.status, asJson.text.includes("&quot;country&quot;")]).toEqual([200, true]);
});

test("shares of a rule that was changed take the rest in the last one that was not", async () => {
  const { send, targeting } = await openShop();
  const rest = { "of-rest": ["on", "off"], "was-rest": ["25", "75"] };
  await send({ rules: "0", "serve-rest": "shares", ...rest, "share-rest": ["25", "50"] });
  expect(await targeting()).toEqual({
    fractional: [
      ["on", 50],
      ["off", 50],
    ],
  });
  const refused = await send({ rules: "0", "serve-rest": "shares", ...rest, "share-rest": ["90", "60"] });
  expect([refused.status, refused.text.includes("is not 100 %")]).toEqual([422, true]);
});

test("what is not saved is scheduled, and discarded", async () => {
  const { app, ann, send } = await openShop();
  const { text } = await ann.get(FLAG);
  const region = /<section[^>]* aria-label="Not saved".*?<\/section>/s.exec(text)![0];
  for (const name of ["Why", "Save in staging", "Check", "Discard", "Save at", "Schedule"])
    expect(region).toContain(name);
  await send({ payload: "7", act: "schedule", at: "2999-01-01T00:00" });
  const { items } = await app.store.scheduled.page("shop", "staging", { limit: 9 });
  expect(items.map(({ patch }) => patch)).toEqual([{ payload: 7 }]);
  expect((await send({ payload: "8", act: "discard" })).path).toBe(FLAG);
});

test("a button of the rows says at once what saving would change, and for whom", async () => {
  const { app, send, targeting } = await openShop();
  await setTestContext(app, OPERATOR, { project: "shop", name: "Ann" }, { plan: "pro" });
  const pro = { "attribute-1": "plan", "operator-1": "==", "value-1": "pro", "serve-1": "on" };
  const plain = { "attribute-2": "plan", "operator-2": "==", "value-2": "pro", "serve-2": "off" };
  const rows = { ...pro, ...plain, "serve-rest": "" };
  const personIn = (text: string) => /data-person="Ann".*?<\/li>/s.exec(text)![0].replaceAll(/<[^>]*>/g, "");
  const more = await send({ ...rows, rules: "1", act: "row" });
  expect(more.text).toContain("rule: none → plan is pro: on; everyone else off");
  expect(personIn(more.text)).toContain("off → on");
  expect(more.text).toContain('value="up-2"');
  const moved = await send({ ...rows, rules: "2", act: "up-2" });
  expect(moved.text).toContain("rule: none → plan is pro: off; plan is pro: on; everyone else off");
  expect(personIn(moved.text)).toMatch(/Ann off(?! →)/);
  const removed = await send({ ...rows, rules: "1", act: "remove-1" });
  expect(removed.text).toContain("Nothing differs from what is stored.");
  const unfinished = await send({ ...rows, "value-1": "", rules: "1", act: "row" });
  expect(unfinished.status).toBe(200);
  expect(unfinished.text).not.toContain("rule: none");
  expect(await targeting()).toBeUndefined();
});

test("a segment that is missing is told with the row, and with the line of JSON, that names it", async () => {
  const { send } = await openShop();
  const other = { "attribute-2": "", "operator-2": "not segment", "value-2": "beta", "serve-2": "on" };
  const refused = await send({ rules: "2", ...SEGMENT, "serve-1": "on", ...other, "serve-rest": "" });
  expect([
    refused.status,
    refused.text.includes("Row 2: the segment &quot;beta&quot; does not exist"),
  ]).toEqual([422, true]);
  const typed = await send({ targeting: '{"if": [\n  {"$ref": "beta"},\n  "on"\n]}' });
  expect(typed.text).toContain("Line 2: the segment &quot;beta&quot; does not exist");
});
