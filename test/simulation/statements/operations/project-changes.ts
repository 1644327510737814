import type { Proposal } from "../../../../src/documents/changes/proposal.ts";
import type { ProposalChange } from "../../../../src/documents/changes/proposal-change.ts";
import { orderSegments, planScheduled, putFlag, putSegment } from "../../../../src/flags/plan.ts";
import { planDeletion, planEnvironment, planUpdate } from "../../../../src/projects/plan.ts";
import { NOW, environmentCalled, formRecord, proposalOf } from "../../../support/records/records.ts";
import type { Call } from "./call.ts";
import { change } from "./changes.ts";

/** A key of three groups that each call has for itself. */
const keyOf = (name: string, letter: string) =>
  `${letter.repeat(4)}-${letter.repeat(4)}-${letter.repeat(3)}${name.toLowerCase()}`;

const update = (proposal: Proposal, action: "change.approve" | "change.apply"): ProposalChange => ({
  change: "updateProposal",
  project: "shop",
  proposal,
  action,
  events: [{ type: action, body: "{}" }],
});

/** Changes of projects, of forms in them, of who may do what there, and proposed changes. */
export const PROJECT_CHANGES = {
  "add a project": change((_, { name }) => ({
    change: "insertProject",
    project: "new",
    name: "New",
    key: keyOf(name, "n"),
    createdAt: NOW,
    history: null,
  })),
  "add the default project": change((_, { name }) => ({
    change: "insertProject",
    project: "default",
    name: "default",
    key: keyOf(name, "d"),
    createdAt: NOW,
    history: null,
  })),
  "limit a project": change((_, { name }) => ({
    change: "setProject",
    project: "shop",
    settings: { maxStorage: 2000, name },
    history: null,
  })),
  "add an environment": change((_, { name }) =>
    planEnvironment("shop", { ...environmentCalled("extra"), key: keyOf(name, "e") }, NOW),
  ),
  "set an environment": change(({ shop }) =>
    planUpdate("shop", shop.environments[0]!, { locked: true, approvals: 1 }),
  ),
  "set metadata": change((_, { name }) => ({
    change: "setMetadata",
    project: "shop",
    environment: "live",
    metadata: JSON.stringify({ name }),
    history: null,
  })),
  "delete an environment": change(({ shop }) => planDeletion("shop", shop.environments[0]!)),
  "put a segment": change((_, { name }) =>
    putSegment({ project: "shop", environment: "live", segment: "beta" }, undefined, {
      name: "beta",
      rule: JSON.stringify(name),
      createdAt: NOW,
      updatedAt: NOW,
      revision: 0,
    }),
  ),
  "order segments": change(() => orderSegments("shop", "live", ["staff"])),
  "schedule a change": change(({ scheduled }, { name }) =>
    planScheduled("shop", { ...scheduled, id: keyOf(name, "s") }),
  ),
  "add a form": change((_, { name }) => {
    const form = formRecord("new", { project: "shop", key: `new-${name}` });
    return { change: "insertForm", project: "shop", form };
  }),
  "move a form": change(({ ordered: { slug, key } }) => ({
    change: "moveForm",
    project: "blog",
    from: "shop",
    slug,
    key,
  })),
  "move a form here": change(({ form: { slug, key } }) => ({
    change: "moveForm",
    project: "shop",
    from: "default",
    slug,
    key,
  })),
  "delete a form of a project": change(({ ordered: { slug, key } }) => ({
    change: "deleteForm",
    project: "shop",
    slug,
    key,
    onlyEmpty: false,
  })),
  "add a member": change(() => ({
    change: "putMember",
    project: "shop",
    user: "ann",
    source: "oidc",
    role: "editor",
    environments: ["live"],
    isNew: true,
  })),
  "remove a member": change(() => ({ change: "deleteMember", project: "shop", user: "eve", source: null })),
  "add an invitation": change(({ invitation }, { name, hash }) => ({
    change: "insertInvitation",
    invitation: { ...invitation, id: keyOf(name, "v"), maker: { type: "user", name: "eve" } },
    hash,
  })),
  "revoke an invitation": change(({ invitation: { id } }) => ({
    change: "deleteInvitation",
    project: "shop",
    id,
    isSpent: false,
  })),
  "accept an invitation": async (store, { invitation, by }) => {
    const { version } = await store.readVersion();
    const found = await store.invitations.findById("shop", invitation.id);
    if (!found) return "spent";
    const { role, environments } = found;
    const member = { project: "shop", user: "ann", source: "manual" as const, role, environments };
    await store.apply(
      [
        { change: "putMember", isNew: true, ...member },
        { change: "deleteInvitation", project: "shop", id: found.id, isSpent: true },
      ],
      version,
      by,
    );
    return "joined";
  },
  propose: change((_, { name }) => ({
    change: "insertProposal",
    project: "shop",
    proposal: proposalOf("shop", { id: keyOf(name, "o"), etag: name }),
    action: "change.propose",
    events: [{ type: "change.proposed", body: "{}" }],
  })),
  "approve a change": async (store, { proposal, by }, { name: who }) => {
    const { version } = await store.readVersion();
    const found = await store.proposals.find("shop", proposal.id);
    if (found?.status !== "open") return "closed";
    const reviews = [...found.reviews, { who, verdict: "approved" as const, why: null, at: NOW }];
    await store.apply([update({ ...found, reviews }, "change.approve")], version, by);
    return reviews.length;
  },
  "apply a change": async (store, { proposal, place, flag, by }) => {
    const { version } = await store.readVersion();
    const found = await store.proposals.find("shop", proposal.id);
    if (found?.status !== "open") return "closed";
    const applied = { ...found, status: "applied" as const, appliedBy: "ann", appliedAt: NOW };
    const put = putFlag(place, flag, { ...flag, description: "approved" });
    await store.apply([put, update(applied, "change.apply")], version, by);
    return found.reviews.length;
  },
  "add a webhook": change(({ hook }, { name }) => ({
    change: "insertProjectTarget",
    project: "shop",
    target: { ...hook, id: keyOf(name, "w") },
  })),
  "delete a webhook": change(({ hook: { id } }) => ({ change: "deleteProjectTarget", project: "shop", id })),
} satisfies Record<string, Call>;
