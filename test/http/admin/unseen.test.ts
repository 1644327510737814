import { expect, test } from "bun:test";
import { setMember } from "../../../src/access/members/members.ts";
import { newSession } from "../../../src/access/sign-in.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { createUser } from "../../../src/access/users.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import type { App } from "../../../src/app.ts";
import { deleteProject } from "../../../src/forms/keeping/project-deletion.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { bearer, openWorld, placeReached } from "../../support/postgres/world.ts";
import { BROWSER } from "../../support/records/users.ts";

const world = await openWorld();
const { app, addressOf, ask, names, nothing, nameless, everything } = world;
const operations = [...world.operations, ...world.reviews];
await createProject(app, OPERATOR, { slug: "mine", environments: ["develop"] });
await createForm(app, OPERATOR, { slug: "own", project: "mine" });
const { headers: outsider } = await outsiderOf(app);
const { token } = await createToken(app, OPERATOR, { name: "elsewhere", project: "mine" });

/** A new user who is an admin of the project `mine` alone. */
async function outsiderOf(app: App) {
  const headers = await userOf(app, "outsider");
  await setMember(app, OPERATOR, "mine", "outsider", { role: "admin" });
  return { headers };
}

/** A new user who has no right anywhere, signed in. */
async function userOf(app: App, name: string) {
  await createUser(app, OPERATOR, { name, role: "none" });
  const { secret, stored } = newSession(app, name, "cli", BROWSER, app.now() + 86_400_000);
  await app.store.sessions.insert(stored, null);
  return bearer(secret);
}

/** A body with names that nothing has in place of those that exist. */
const unmade = (body: unknown): unknown =>
  body === undefined
    ? undefined
    : typeof body === "string"
      ? body
      : JSON.parse(
          JSON.stringify(body).replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, nothing["id"]!),
        );

/** Ways in for those with every right in another project, and for a user with none at all. */
const CALLERS = [
  { who: "a member of another project", headers: outsider, inProject: 404, lists: 200 },
  { who: "a token of another project", headers: bearer(token), inProject: 403, lists: 200 },
  { who: "a user of no project", headers: await userOf(app, "newcomer"), inProject: 404, lists: 403 },
];

test("every operation says what it reaches", () => {
  for (const operation of operations)
    expect([operation.name, placeReached(operation)]).toEqual([operation.name, expect.any(String)]);
});

for (const { who, headers, inProject, lists } of CALLERS) {
  test(`to ${who}, what exists is like what nobody made`, async () => {
    const before = await everything();
    for (const operation of operations) {
      const { name, path, address, body } = operation;
      const place = placeReached(operation)!;
      const query = address.includes("?") ? address.slice(address.indexOf("?")) : "";
      const missing = { ...operation, address: addressOf(path, nothing) + query, body: unmade(body) };
      const answers = [await ask(operation, headers), await ask(missing, headers)];
      const [there, nowhere] = await Promise.all(
        answers.map(async (answer) => ({ status: answer.status, body: nameless(await answer.text()) })),
      );
      if (["project", "environment", "within"].includes(place)) {
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
    for (const operation of operations) {
      const { name, method, path, address } = operation;
      if (method !== "GET" || path.includes("{") || placeReached(operation) !== "seen") continue;
      const answer = await ask({ method, address }, headers);
      const text = await answer.text();
      expect([name, answer.status]).toEqual([name, lists]);
      for (const secret of [names["id"]!, names["target"]!, '"shop"', '"contact"', '"sale"', "victim"])
        expect([name, text.includes(secret)]).toEqual([name, false]);
    }
  });
}

test("no list, count, search or cursor of a member of another project depends on what is in this one", async () => {
  const other = await openWorld();
  await createProject(other.app, OPERATOR, { slug: "mine", environments: ["develop"] });
  const { headers: member } = await outsiderOf(other.app);
  const lists = other.operations.filter(
    (operation) => operation.method === "GET" && placeReached(operation) === "seen",
  );
  expect(lists.length).toBeGreaterThan(5);
  const seen = async () => {
    const answers: unknown[] = [];
    for (const { name, path } of lists.filter((each) => !each.path.includes("{")))
      for (const query of ["", `?before=${other.names["id"]}`, "?limit=1", "?q=Ada", "?search=Ada"]) {
        const answer = await other.ask({ method: "GET", address: path + query }, member);
        answers.push([name, query, answer.status, await answer.text()]);
      }
    return answers;
  };
  const before = await seen();
  await deleteProject(other.app, OPERATOR, "shop");
  expect(await seen()).toEqual(before);
});

test("none of this was a bug to report", () => {
  expect(world.reported).toEqual([]);
});
