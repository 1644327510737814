import { expect, test } from "bun:test";
import type { Caller } from "../../src/access/caller.ts";
import { createUser } from "../../src/access/users.ts";
import { applyProposal } from "../../src/documents/changes/applying.ts";
import type { ProposalView } from "../../src/documents/changes/proposal.ts";
import { proposeChange } from "../../src/documents/changes/proposals.ts";
import { approveProposal } from "../../src/documents/changes/reviews.ts";
import { setDetails } from "../../src/flags/flags.ts";
import { rerunOn } from "../../src/operations/changes/perform.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { openShop } from "../support/records/shop.ts";
import { reasonOf } from "../support/refusals.ts";

const person = (name: string): Caller => ({ ...callerNamed(name), type: "user" });

/** The flag sale of the shop, whose live environment needs two approvals, and develop none. */
async function openCareful() {
  const { app, set, find } = await openShop();
  await set("live", { enabled: true });
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 2 });
  for (const name of ["ann", "bob", "carl"]) await createUser(app, OPERATOR, { name, role: "releaser" });
  const rerun = rerunOn(app);
  const propose = async (body: unknown) => {
    const operation = {
      operation: "PATCH /projects/:project/flags/:flag",
      names: { project: "shop", flag: "sale" },
      query: undefined,
      body,
    };
    const made = await proposeChange(
      app,
      person("bob"),
      operation,
      { project: "shop", lasts: 60_000 },
      rerun,
    );
    return (made as { change: ProposalView }).change;
  };
  const placeOf = ({ id }: ProposalView) => ({ project: "shop", change: id });
  return {
    app,
    find,
    propose,
    approve: (who: string, change: ProposalView) =>
      approveProposal(app, person(who), placeOf(change), { etag: change.etag }),
    apply: (change: ProposalView) => applyProposal(app, person("eve"), placeOf(change), change.etag, rerun),
  };
}

test("archiving a flag needs the approvals of the strictest environment, since all their readers lose it", async () => {
  const { find, propose, approve, apply } = await openCareful();
  const change = await propose({ archived: true });
  expect(change).toMatchObject({ environments: ["develop", "live"], needed: 2, status: "open" });
  expect((await approve("ann", change)).status).toBe("open");
  expect(await reasonOf(apply(change))).toContain("unapproved");
  expect((await approve("carl", change)).status).toBe("approved");
  await apply(change);
  expect(await find("live")).toMatchObject({ archived: true });
});

test("restoring one does so too", async () => {
  const { app, propose } = await openCareful();
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 0 });
  await setDetails(app, OPERATOR, { project: "shop", flag: "sale" }, { archived: true });
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 2 });
  expect(await propose({ archived: false })).toMatchObject({ environments: ["develop", "live"], needed: 2 });
});
