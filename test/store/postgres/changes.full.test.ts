import { describe, expect, test } from "bun:test";
import type { Caller } from "../../../src/access/caller.ts";
import { createUser } from "../../../src/access/users.ts";
import { viewAuditEntry } from "../../../src/access/audit/entry.ts";
import { createChainCheck } from "../../../src/access/audit/verify.ts";
import { applyProposal } from "../../../src/documents/changes/applying.ts";
import { proposalDeliveriesJob } from "../../../src/documents/changes/proposal-deliveries.ts";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { proposeChange } from "../../../src/documents/changes/proposals.ts";
import { approveProposal } from "../../../src/documents/changes/reviews.ts";
import { addProjectTarget } from "../../../src/documents/changes/targets.ts";
import { rerunOn } from "../../../src/operations/changes/perform.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { fakeOutgoing, webhooksOf } from "../../support/peers/outgoing.ts";
import { IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { openReplicas } from "../../support/postgres/replicas.ts";
import { codeOf } from "../../support/refusals.ts";

const OPERATION = "PATCH /projects/:project/environments/:environment/flags/:flag";

describe.if(IS_POSTGRES_HERE)("two replicas", () => {
  test("approve and apply a change exactly once, and send its events once", async () => {
    const replicas = await openReplicas(2);
    const [first, second] = replicas as [(typeof replicas)[0], (typeof replicas)[0]];
    const project = "shop";
    await createProject(first, OPERATOR, { slug: project, environments: ["live"] });
    await setEnvironment(first, OPERATOR, project, "live", { approvals: 2 });
    const people: Caller[] = [];
    for (const name of ["ann", "bob", "eve"]) {
      await createUser(first, OPERATOR, { name, role: "releaser" });
      people.push({ ...OPERATOR, name, type: "user" });
    }
    const outgoing = fakeOutgoing();
    await addProjectTarget(first, OPERATOR, project, "https://example.com/hook", outgoing);
    const operation = {
      operation: OPERATION,
      names: { project, environment: "live", flag: "sale" },
      query: undefined,
      body: { enabled: true },
    };
    const proposed = await proposeChange(
      first,
      OPERATOR,
      operation,
      { project, lasts: 60_000 },
      rerunOn(first),
    );
    const { change } = proposed as { change: ProposalView };
    const place = { project, change: change.id };
    const both = [first, second];

    const approvals = both.flatMap((app) =>
      people.map((each) => codeOf(approveProposal(app, each, place, { etag: change.etag }))),
    );
    expect((await Promise.all(approvals)).filter((code) => code === "none")).toHaveLength(3);
    const stored = await second.store.proposals.find(project, change.id);
    expect(stored!.reviews.map(({ who }) => who).toSorted()).toEqual(["ann", "bob", "eve"]);

    const applications = both.flatMap((app) =>
      people.map((each) => codeOf(applyProposal(app, each, place, change.etag, rerunOn(app)))),
    );
    const codes = await Promise.all(applications);
    expect(codes.filter((code) => code === "none")).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["none", "conflict"]));
    const { items } = await first.store.changes.page(project, { kind: "flag", limit: 9 });
    expect(items).toMatchObject([{ name: "sale", review: { change: change.id } }]);

    const jobs = both.map((app) =>
      proposalDeliveriesJob(app, {
        outgoing: async () => outgoing,
        retryDelays: [],
        pageOf: () => null,
        report: () => {},
      }),
    );
    await Promise.all(jobs.map((job) => job.run()));
    const types = webhooksOf(outgoing).map(({ type }) => type);
    expect(types.toSorted()).toEqual([
      "change.applied",
      ...Array.from({ length: 3 }, () => "change.approved"),
      "change.proposed",
    ]);

    const check = createChainCheck();
    for (const entry of (await second.store.audit.after({ projects: null, limit: 100, after: 0 })).items)
      expect(check.add(JSON.stringify(viewAuditEntry(entry)))).toBeNull();
    expect(check.count()).toBeGreaterThan(8);
  });
});
