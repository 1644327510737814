import { expect, test } from "bun:test";
import { parseTestContext, testContextText } from "../../src/flags/contexts/test-context.ts";
import {
  deleteTestContext,
  getTestContext,
  listTestContexts,
  setTestContext,
} from "../../src/flags/contexts/test-contexts.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { codeOf } from "../support/refusals.ts";

const app = openTestApp();
await createProject(app, OPERATOR, { slug: "shop" });
const ann = { project: "shop", name: "Ann" };

test("people of a project are set, listed by name and deleted", async () => {
  expect((await setTestContext(app, OPERATOR, ann, { plan: "beta" })).result).toBe("created");
  expect((await setTestContext(app, OPERATOR, ann, { plan: "beta" })).result).toBe("unchanged");
  expect((await setTestContext(app, OPERATOR, ann, { plan: "free", age: 21 })).result).toBe("updated");
  await setTestContext(app, OPERATOR, { project: "shop", name: "Aaron" }, {});
  expect((await listTestContexts(app, OPERATOR, "shop")).map(({ name }) => name)).toEqual(["Aaron", "Ann"]);
  expect((await getTestContext(app, OPERATOR, "shop", "Ann")).context).toEqual({ plan: "free", age: 21 });
  await deleteTestContext(app, OPERATOR, ann);
  expect(await codeOf(deleteTestContext(app, OPERATOR, ann))).toBe("not_found");
});

test("a project has at most as many as a change is tried for at once", async () => {
  await createProject(app, OPERATOR, { slug: "full" });
  for (let at = 0; at < 20; at += 1)
    await setTestContext(app, OPERATOR, { project: "full", name: `p${at}` }, {});
  const more = { project: "full", name: "more" };
  expect(await codeOf(setTestContext(app, OPERATOR, more, {}))).toBe("too_large");
});

test.each(["", " a", "a/b", "a\nb", "x".repeat(201), ".", "..", "\u200b", "\u2800"])(
  "the name %j is refused",
  async (name) => {
    expect(await codeOf(setTestContext(app, OPERATOR, { project: "shop", name }, {}))).toBe("invalid");
  },
);

test.each([
  ["plan=beta, country=DE", { plan: "beta", country: "DE" }],
  ["age=21, beta=true", { age: 21, beta: true }],
  ['zip="01234", name="Ann, Ben"', { zip: "01234", name: "Ann, Ben" }],
  ["targetingKey=42", { targetingKey: "42" }],
  ['{"tags":["a"]}', { tags: ["a"] }],
  ["", {}],
])("the context %p is read, and written so that it is read alike", (text, context) => {
  expect(parseTestContext(text)).toEqual(context);
  expect(parseTestContext(testContextText(context))).toEqual(context);
});

test.each(["plan", "plan=", "=beta", "[1]", "{"])("the context %p is refused", async (text) => {
  expect(await codeOf((async () => parseTestContext(text))())).toBe("invalid");
});
