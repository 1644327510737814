import { expect, test } from "bun:test";
import type { Caller } from "../../src/access/caller.ts";
import { createUser } from "../../src/access/users.ts";
import { applyProposal, refreshProposal } from "../../src/documents/changes/applying.ts";
import type { ProposalView } from "../../src/documents/changes/proposal.ts";
import { proposeChange } from "../../src/documents/changes/proposals.ts";
import { approveProposal, rejectProposal, withdrawProposal } from "../../src/documents/changes/reviews.ts";
import { getProposal } from "../../src/documents/changes/views.ts";
import { rerunOn } from "../../src/operations/changes/perform.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { viewRevision } from "../../src/projects/history.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { openShop } from "../support/records/shop.ts";
import { errorOf } from "../support/refusals.ts";

const person = (name: string): Caller => ({ ...callerNamed(name), type: "user" });
const assistantOf = (name: string, via = "Claude"): Caller => ({ ...person(name), via });

/** The flag sale of the shop, whose live environment needs one approval, and develop none. */
async function openCareful() {
  const { app, set, find } = await openShop();
  for (const environment of ["live", "develop"]) await set(environment, { enabled: true });
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
  for (const name of ["ann", "bob"]) await createUser(app, OPERATOR, { name, role: "releaser" });
  const rerun = rerunOn(app);
  const propose = async (caller: Caller, environment: string) => {
    const operation = {
      operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
      names: { project: "shop", environment, flag: "sale" },
      query: undefined,
      body: { enabled: false },
    };
    const made = await proposeChange(app, caller, operation, { project: "shop", lasts: 60_000 }, rerun);
    return (made as { change: ProposalView }).change;
  };
  const placeOf = ({ id }: ProposalView) => ({ project: "shop", change: id });
  return {
    app,
    find,
    propose,
    get: (change: ProposalView) => getProposal(app, OPERATOR, placeOf(change), rerun),
    approve: (caller: Caller, change: ProposalView) =>
      approveProposal(app, caller, placeOf(change), { etag: change.etag }),
    reject: (caller: Caller, change: ProposalView) => rejectProposal(app, caller, placeOf(change), undefined),
    withdraw: (caller: Caller, change: ProposalView) => withdrawProposal(app, caller, placeOf(change)),
    refresh: (caller: Caller, change: ProposalView) => refreshProposal(app, caller, placeOf(change), rerun),
    apply: (caller: Caller, change: ProposalView) =>
      applyProposal(app, caller, placeOf(change), change.etag, rerun),
  };
}

test("what an assistant proposes is its person's, with its name, in the proposal, the history and the audit log", async () => {
  const { app, propose, approve, apply } = await openCareful();
  const change = await propose(assistantOf("ann"), "live");
  expect(change).toMatchObject({ who: "ann", via: "Claude", needed: 1, status: "open" });
  expect(await propose(person("ann"), "develop")).toMatchObject({ who: "ann", via: null });
  await approve(person("bob"), change);
  await apply(assistantOf("ann"), change);
  const [newest] = (await app.store.changes.page("shop", { limit: 1 })).items;
  expect(viewRevision(newest!)).toMatchObject({
    who: "ann",
    via: "Claude",
    review: { author: "ann via Claude", approvers: ["bob"] },
  });
  const { items } = await app.store.audit.page({ projects: ["shop"], action: "change", limit: 10 });
  expect(items.map(({ action, who, details }) => [action, who, details["via"]])).toEqual([
    ["change.apply", "ann", "Claude"],
    ["change.approve", "bob", undefined],
    ["change.propose", "ann", undefined],
    ["change.propose", "ann", "Claude"],
  ]);
});

test("where approvals are required, another person approves what an assistant proposed", async () => {
  const { propose, approve, reject } = await openCareful();
  const change = await propose(assistantOf("ann"), "live");
  expect(await errorOf(approve(person("ann"), change))).toBe("forbidden: you cannot review your own change");
  expect(await errorOf(reject(person("ann"), change))).toContain("your own change");
  expect((await approve(person("bob"), change)).status).toBe("approved");
});

test("where none are required, the person approves what their assistant proposed, and not what they proposed", async () => {
  const { find, propose, approve, apply } = await openCareful();
  const own = await propose(person("ann"), "develop");
  expect(await errorOf(approve(person("ann"), own))).toContain("your own change");
  const change = await propose(assistantOf("ann"), "develop");
  expect((await approve(person("ann"), change)).status).toBe("approved");
  await apply(person("ann"), change);
  expect(await find("develop")).toMatchObject({ enabled: false });
});

test("a person's approval of their own assistant's change does not count once approvals are required", async () => {
  const { app, propose, approve, apply, get } = await openCareful();
  const change = await propose(assistantOf("ann"), "develop");
  await approve(person("ann"), change);
  await setEnvironment(app, OPERATOR, "shop", "develop", { approvals: 1 });
  expect(await get(change)).toMatchObject({ status: "open", needed: 1, reviews: [] });
  expect(await errorOf(apply(person("bob"), change))).toContain("0 of 1 approvals");
});

test("an assistant reviews nothing, whatever its person may do, and withdraws only what it has proposed", async () => {
  const { propose, approve, reject, withdraw, refresh } = await openCareful();
  const byBob = await propose(person("bob"), "live");
  for (const review of [approve, reject])
    expect(await errorOf(review(assistantOf("ann"), byBob))).toContain("only a person who is signed in");
  const byOther = await propose(assistantOf("ann", "Cursor"), "live");
  for (const change of [byBob, await propose(person("ann"), "live"), byOther])
    for (const act of [withdraw, refresh])
      expect(await errorOf(act(assistantOf("ann"), change))).toContain("only what it has proposed itself");
  expect((await withdraw(assistantOf("ann", "Cursor"), byOther)).status).toBe("withdrawn");
  expect((await withdraw(person("ann"), await propose(assistantOf("ann"), "live"))).status).toBe("withdrawn");
});
