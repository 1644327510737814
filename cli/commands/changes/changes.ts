import { type Command, Option } from "commander";
import { changes as operations } from "../../../src/operations/changes/changes.ts";
import { FACTOR_WORDS } from "../../../src/access/factors/second-factor.ts";
import { PROPOSAL_STATUSES } from "../../../src/projects/approval.ts";
import { TAKES } from "../../../src/documents/changes/approval-factor.ts";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { actorName } from "../../../src/access/source.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { sourceOf } from "../../session/sources.ts";
import { countValue } from "../../session/values.ts";
import { usage } from "../../session/usage.ts";
import { inProject, type Taken, verb } from "../../session/verb.ts";

export function addChangeCommands(changes: Command, io: Io): void {
  changes.after(`
If an environment requires approvals (environments set --approvals), propose a change with --propose, let others approve it, and apply it.

Examples:
  formflag flags set new-checkout -p shop -e production --on --propose --why "ready for all"
  formflag changes list -p shop --status open
  formflag changes get 8k2d-0xqa-w51m -p shop
  formflag changes approve 8k2d-0xqa-w51m -p shop
  formflag changes apply 8k2d-0xqa-w51m -p shop
`);
  addListCommand(changes, io);
  addGetCommand(changes, io);
  for (const add of REVIEWS) add(changes, io);
}

const addListCommand = verb("list ls", {
  description: "list the proposed changes of a project, newest first",
  options: [
    "project",
    new Option("--status <status>", "only those with this status").choices(PROPOSAL_STATUSES),
    ["--limit <n>", "how many at most (default: 50)"],
    "field",
  ],
  parse: async (input) => {
    const { status, limit } = input.options as { status?: ProposalView["status"]; limit?: string };
    return {
      project: await input.project(),
      query: status === undefined ? {} : { status },
      limit: limit === undefined ? 50 : countValue(limit, "--limit", 1),
    };
  },
  run: async ({ client, print, suggest }, { project, query, limit }) => {
    const page = { cursor: "before", limit, maxPage: 100 } as const;
    const found = await listAll(client, operations.list, { names: { project }, query, ...page });
    const rows = found.map((each) => [
      each.id,
      statusInWords(each),
      each.summary,
      actorName(each),
      `${approvalsOf(each)}/${each.needed}`,
      each.createdAt,
    ]);
    await print(found, table(["CHANGE", "STATUS", "SUMMARY", "BY", "APPROVED", "PROPOSED"], rows));
    if (found.length === 0) suggest("No change is proposed.");
  },
});

function statusInWords({ status, isOutdated, bypass }: ProposalView): string {
  return `${status}${isOutdated ? ", outdated" : ""}${bypass ? ", bypass" : ""}`;
}

/** A change of a project, by its id. */
const CHANGE = {
  argument: ["[change]", "id of the change"],
  options: ["project"],
  parse: inProject("change", "change"),
} as const;

const addGetCommand = verb("get", {
  ...CHANGE,
  description: "show a proposed change, its effect and its reviews",
  options: ["project", "field"],
  run: async ({ client, print, paint }, names) => {
    const { change } = await client.call(operations.get, { names });
    await print(change, await describe(change, paint));
  },
});

async function describe(change: ProposalView, paint: Session["paint"]): Promise<string> {
  const { JSON_NOTATION, printDiff } = await import("../../output/diff.ts");
  const { id, summary, why, isOutdated, needed, approveWith, environments, reviews, expiresAt, etag } =
    change;
  const lines = [
    shown`change ${id}: ${summary}`,
    shown`status: ${statusInWords(change)}${isOutdated ? ": refresh it" : ""}, ${approvalsOf(change)} of ${needed} approvals`,
    shown`by ${actorName(change)}${why === null ? "" : `: ${why}`}`,
    shown`environments: ${environments.join(", ")}; expires ${expiresAt}`,
    ...(approveWith === null ? [] : [`approval takes ${TAKES[approveWith]}`]),
    ...reviews.map(
      (each) =>
        shown`${each.verdict} by ${each.who}${each.factor === null ? "" : ` with ${FACTOR_WORDS[each.factor]}`}, ${each.at}${each.why === null ? "" : `: ${each.why}`}`,
    ),
    `etag: ${etag}`,
    ...(URL.canParse(change.url ?? "") ? [shown`page: ${change.url!}`] : []),
    ...(change.impact?.lines ?? []).map((line) => shown`impact: ${line}`),
  ];
  const diffs = change.differences.map(({ action: done, kind, path, before, after }) =>
    printDiff(
      { head: shown`${done} ${kind} ${path}`, color: "bold", before: stateOf(before), after: stateOf(after) },
      JSON_NOTATION,
      paint,
    ),
  );
  return `${lines.join("\n")}\n\n${diffs.join("\n")}`;
}

function stateOf(state: unknown): unknown {
  if (state === null) return {};
  return typeof state === "object" && !Array.isArray(state) ? state : { rule: state };
}

/** Takes the etag of the change that was seen. */
const ETAG: Taken = [
  "--etag <etag>",
  "approve only the version with this etag, as changes get shows it (default: the present version)",
];

const CODE: Taken = [
  "--code <source>",
  "read the code of your authenticator app, or a recovery code, from standard input (-) or @FILE (default: ask on the terminal)",
];

/** The verbs that review a change or apply it. */
const REVIEWS = (
  [
    ["approve", "approved", "approve someone else's change", [ETAG, CODE, "why"]],
    ["reject", "rejected", "reject someone else's change for good", ["why"]],
    ["withdraw", "withdrew", "withdraw a change", []],
    ["apply", "applied", "apply an approved change, if it still makes exactly what was approved", [ETAG]],
    [
      "refresh",
      "refreshed",
      "plan a change again; if it would now do something else, its approvals are void",
      [],
    ],
  ] as const
).map(([name, done, description, options]) =>
  verb(name, {
    ...CHANGE,
    description,
    options: ["project", ...options],
    parse: async (input, given) => {
      const { etag, code, why } = input.options as { etag?: string; code?: string; why?: string };
      if (etag !== undefined && !/^[0-9a-f]{64}$/.test(etag))
        throw usage(`--etag ${etag} is not the etag of a change`, "formflag changes get shows it");
      if (code !== undefined && !/^(-|@.+)$/.test(code))
        throw usage(
          "--code takes no code, which others on this machine could read",
          "write --code - or --code @FILE",
        );
      const read = code === undefined ? undefined : await sourceOf(code, "--code", input);
      return { names: await CHANGE.parse(input, given), etag, code: read?.trim(), why };
    },
    run: async (session, { names, etag, code, why }) => {
      const [sees, asks] = [ETAG, CODE].map((each) => options.some((option) => option === each));
      const lacks = (sees && etag === undefined) || (asks && code === undefined);
      const present = lacks ? (await session.client.call(operations.get, { names })).change : null;
      if (asks && present?.mayApprove === false) await requireReviewable(session, names);
      if (present && etag === undefined) await agree(session, name, present);
      const seen = etag ?? (sees ? present?.etag : undefined);
      const typed = code ?? (asks && present ? await typedCode(session, present) : undefined);
      const { value } = await session.client.send(operations[name], {
        names,
        ...(seen !== undefined && { etag: seen }),
        ...(name === "reject" && { body: { why: why ?? null } }),
        ...(typed !== undefined && { body: { code: typed } }),
      });
      const { change } = value as { change: ProposalView };
      const { id, project, summary, needed } = change;
      const more = name === "approve" ? `, which has ${approvalsOf(change)} of ${needed} approvals` : "";
      await session.report(
        { change },
        shown`${done} change ${id} of project ${project}: ${summary}${more}\n`,
      );
    },
  }),
);

function approvalsOf({ reviews }: ProposalView): number {
  return reviews.filter(({ verdict }) => verdict === "approved").length;
}

/** Throws what an approval would be refused with, whichever version it is of: without an etag, nothing is approved. */
async function requireReviewable(
  session: Session,
  names: { project: string; change: string },
): Promise<void> {
  try {
    await session.client.send(operations.approve, { names });
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== "etag-missing") throw error;
  }
}

/** Shows a change at a terminal, where the person has to agree. */
async function agree(session: Session, name: string, change: ProposalView): Promise<void> {
  if (!session.canPrompt()) return;
  session.note(await describe(change, session.paint));
  await session.confirm(`${name} this change?`);
}

/** The code that the approval of a change takes, which a person types at a terminal; undefined where it takes none. */
async function typedCode(session: Session, { approveWith, url }: ProposalView): Promise<string | undefined> {
  if (approveWith === null) return undefined;
  const page = URL.canParse(url ?? "") ? `open ${url}` : "open its page in the dashboard";
  if (approveWith !== "passkey" && session.canPrompt()) {
    const { promptSecret } = await import("../../session/prompts.ts");
    return promptSecret("Code of your authenticator app, or a recovery code");
  }
  const isPasskey = approveWith === "passkey";
  throw new AppError("unconfirmed", `to approve this change takes ${TAKES[approveWith]}`, {
    reason: isPasskey ? "passkey-needed" : "code-needed",
    hint: isPasskey
      ? `${page}, and approve it there`
      : "run this on a terminal, or pipe the code to --code -",
  });
}
