import { expect, test } from "bun:test";
import { setMember } from "../../../src/access/members/members.ts";
import type { Role } from "../../../src/access/role.ts";
import { SCOPES_OF } from "../../../src/access/role.ts";
import type { Scope } from "../../../src/access/scope.ts";
import { newSession } from "../../../src/access/sign-in.ts";
import { createUser } from "../../../src/access/users.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { SUFFICE, bearer, openWorld, placeReached } from "../../support/postgres/world.ts";
import { BROWSER } from "../../support/records/users.ts";

const world = await openWorld();
const { app, addressOf, ask, nothing, nameless, everything } = world;
const operations = [...world.operations, ...world.reviews];
await createProject(app, OPERATOR, { slug: "mine", environments: ["develop"] });

/** Headers of a new user who is an admin of the project `mine`, and a member of the one of the world. */
async function memberWith(role: Role, environments?: string[]): Promise<Record<string, string>> {
  const name = `${role}-${environments ? "limited" : "member"}`;
  await createUser(app, OPERATOR, { name, role: "none" });
  await setMember(app, OPERATOR, "mine", name, { role: "admin" });
  await setMember(app, OPERATOR, "shop", name, { role, ...(environments && { environments }) });
  const { secret, stored } = newSession(app, name, "cli", BROWSER, app.now() + 86_400_000);
  await app.store.sessions.insert(stored, null);
  return bearer(secret);
}

const may = (role: Role, needed: Scope) => SUFFICE[needed].some((scope) => SCOPES_OF[role].includes(scope));

/** The answers to an operation on what exists, and on what nobody made in the same project. */
async function bothAnswers(
  operation: (typeof operations)[0],
  headers: Record<string, string>,
  there = operation.address,
) {
  const names = { ...nothing, project: "shop" };
  const query = operation.address.includes("?")
    ? operation.address.slice(operation.address.indexOf("?"))
    : "";
  const addresses = [there, addressOf(operation.path, names) + query];
  return Promise.all(
    addresses.map(async (address) => {
      const answer = await ask({ ...operation, address }, headers);
      return { status: answer.status, body: nameless(await answer.text()) };
    }),
  );
}

for (const role of ["viewer", "inbox", "editor", "releaser"] as const) {
  test(`a ${role} of a project is refused there what takes more, although admin of another`, async () => {
    const headers = await memberWith(role);
    const before = await everything();
    const refused = operations.filter(({ needed }) => !may(role, needed));
    expect(refused.length).toBeGreaterThan(10);
    for (const operation of refused) {
      const [there, nowhere] = await bothAnswers(operation, headers);
      const isList = placeReached(operation) === "seen" && !operation.path.includes("{");
      if (isList) continue;
      // What the member does not see at all is like what nobody made; what is seen is refused.
      if (there!.status === 404) expect([operation.name, there]).toEqual([operation.name, nowhere]);
      else {
        expect([operation.name, there!.status, there!.body]).toEqual([
          operation.name,
          403,
          expect.stringContaining('"code":"forbidden"'),
        ]);
        if (nowhere!.status !== 404) expect([operation.name, nowhere]).toEqual([operation.name, there]);
      }
    }
    expect(await everything()).toBe(before);
  });
}

test("a member of an environment changes nothing in another, whether it exists or not, nor in all of them", async () => {
  const headers = await memberWith("releaser", ["develop"]);
  const before = await everything();
  const writes = operations.filter(
    ({ needed, name }) => /^flags:(write|locked)$/.test(needed) && name !== "POST /plans",
  );
  expect(writes.length).toBeGreaterThan(10);
  for (const operation of writes) {
    const elsewhere = addressOf(operation.path, { environment: "staging" });
    const isNarrow = placeReached(operation) === "environment" && operation.path.includes("{environment}");
    const [there, nowhere] = await bothAnswers(operation, headers, isNarrow ? elsewhere : operation.address);
    expect([operation.name, there!.status]).toEqual([operation.name, 403]);
    if (isNarrow) expect([operation.name, nowhere]).toEqual([operation.name, there]);
  }
  expect(await everything()).toBe(before);
});

test("none of this was a bug to report", () => {
  expect(world.reported).toEqual([]);
});
