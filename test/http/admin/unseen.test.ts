import { expect, test } from "bun:test";
import { setMember } from "../../../src/access/members/members.ts";
import { newSession } from "../../../src/access/sign-in.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { createUser } from "../../../src/access/users.ts";
import { OPERATIONS } from "../../../src/operations/all.ts";
import { ADMIN_PATH } from "../../../src/operations/operation.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { bearer, openWorld } from "../../support/postgres/world.ts";
import { BROWSER } from "../../support/records/users.ts";

const world = await openWorld();
const { app, operations, addressOf, ask, names, everything } = world;
await createProject(app, OPERATOR, { slug: "mine", environments: ["develop"] });
await createForm(app, OPERATOR, { slug: "own", project: "mine" });
await createUser(app, OPERATOR, { name: "outsider", role: "none" });
await setMember(app, OPERATOR, "mine", "outsider", { role: "admin" });
const { secret: login, stored } = newSession(app, "outsider", "cli", BROWSER, app.now() + 86_400_000);
await app.store.sessions.insert(stored, null);
const { token } = await createToken(app, OPERATOR, { name: "elsewhere", project: "mine" });

/** A name that nothing has, for each name in a path. */
const NOTHING: Record<string, string> = Object.fromEntries(
  Object.entries(names).map(([name, value]) => [
    name,
    /^[\da-f-]{36}$/.test(value) ? "01900000-0000-7000-8000-00000000dead" : "nothing",
  ]),
);

const all = [...Object.values(names), ...Object.values(NOTHING)]
  .filter((name) => name.length > 1)
  .toSorted((a, b) => b.length - a.length);

/** A text without the names that tell one request from the other. */
const nameless = (text: string) => all.reduce((rest, name) => rest.replaceAll(name, "*"), text);

/** A body with names that nothing has in place of those that exist. */
const unmade = (body: unknown): unknown =>
  body === undefined
    ? undefined
    : typeof body === "string"
      ? body
      : JSON.parse(
          JSON.stringify(body).replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, NOTHING["id"]!),
        );

const placeOf = new Map(
  OPERATIONS.map(({ method, path, place }) => [
    `${method} ${ADMIN_PATH}${path.replaceAll(/:(\w+)/g, "{$1}")}`,
    place,
  ]),
);

/** Ways in for somebody with every right in another project. */
const CALLERS = [
  { who: "a member of another project", headers: bearer(login), inProject: 404 },
  { who: "a token of another project", headers: bearer(token), inProject: 403 },
];

test("every operation says what it reaches", () => {
  for (const { method, path } of operations)
    expect([`${method} ${path}`, placeOf.get(`${method} ${path}`)]).toEqual([
      `${method} ${path}`,
      expect.any(String),
    ]);
});

for (const { who, headers, inProject } of CALLERS) {
  test(`to ${who}, what exists is like what nobody made`, async () => {
    const before = await everything();
    for (const operation of operations) {
      const { name, method, path, address, body } = operation;
      const place = placeOf.get(`${method} ${path}`)!;
      const query = address.includes("?") ? address.slice(address.indexOf("?")) : "";
      const missing = { ...operation, address: addressOf(path, NOTHING) + query, body: unmade(body) };
      const answers = [await ask(operation, headers), await ask(missing, headers)];
      const [there, nowhere] = await Promise.all(
        answers.map(async (answer) => ({ status: answer.status, body: nameless(await answer.text()) })),
      );
      if (place === "project" || place === "environment") {
        expect([name, there!.status]).toEqual([name, inProject]);
        expect([name, there]).toEqual([name, nowhere]);
      } else if (place === "instance") expect([name, there!.status]).toEqual([name, 403]);
      else if (path.includes("{")) {
        expect([name, there!.status]).toEqual([name, 404]);
        expect([name, there]).toEqual([name, nowhere]);
      } else if (body !== undefined && "ids" in (body as object))
        expect([name, there]).toEqual([name, nowhere]);
    }
    expect(await everything()).toBe(before);
  });

  test(`lists of ${who} hold nothing of others`, async () => {
    for (const { name, method, path, address } of operations) {
      if (method !== "GET" || path.includes("{") || placeOf.get(`${method} ${path}`) !== "seen") continue;
      const answer = await ask({ method, address }, headers);
      const text = await answer.text();
      expect([name, answer.status]).toEqual([name, 200]);
      for (const secret of [names["id"]!, names["target"]!, '"shop"', '"contact"', '"sale"', "victim"])
        expect([name, text.includes(secret)]).toEqual([name, false]);
    }
  });
}

test("none of this was a bug to report", () => {
  expect(world.reported).toEqual([]);
});
