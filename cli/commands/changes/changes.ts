import { type Command, Option } from "commander";
import { changes as operations } from "../../../src/operations/changes/changes.ts";
import { PROPOSAL_STATUSES } from "../../../src/projects/approval.ts";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { countValue } from "../../session/values.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/change-options.ts";
import { verb } from "../../session/verb.ts";

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
  for (const verb of VERBS) addVerb(changes, io, verb);
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
      each.who,
      `${each.reviews.filter(({ verdict }) => verdict === "approved").length}/${each.needed}`,
      each.createdAt,
    ]);
    await print(found, table(["CHANGE", "STATUS", "SUMMARY", "BY", "APPROVED", "PROPOSED"], rows));
    if (found.length === 0) suggest("No change is proposed.");
  },
});

function statusInWords({ status, isOutdated, bypass }: ProposalView): string {
  return `${status}${isOutdated ? ", outdated" : ""}${bypass ? ", bypass" : ""}`;
}

type Place = { project: string; change: string };

const CHANGE: [string, string] = ["[change]", "id of the change"];

async function readPlace(input: Input, given?: string): Promise<Place> {
  return { change: await input.need(given, "change"), project: await input.project() };
}

const addGetCommand = verb("get", {
  argument: CHANGE,
  description: "show a proposed change, its effect and its reviews",
  options: ["project", "field"],
  parse: readPlace,
  run: async ({ client, print, paint }, names) => {
    const { change } = await client.call(operations.get, { names });
    await print(change, await describe(change, paint));
  },
});

async function describe(change: ProposalView, paint: Session["paint"]): Promise<string> {
  const { JSON_NOTATION, printDiff } = await import("../../output/diff.ts");
  const { id, summary, who, why, isOutdated, needed, environments, reviews, expiresAt, etag } = change;
  const approved = reviews.filter(({ verdict }) => verdict === "approved").length;
  const lines = [
    shown`change ${id}: ${summary}`,
    shown`status: ${statusInWords(change)}${isOutdated ? ": refresh it" : ""}, ${String(approved)} of ${String(needed)} approvals`,
    shown`by ${who}${why === null ? "" : `: ${why}`}`,
    shown`environments: ${environments.join(", ")}; expires ${expiresAt}`,
    ...reviews.map(
      (each) => shown`${each.verdict} by ${each.who}, ${each.at}${each.why === null ? "" : `: ${each.why}`}`,
    ),
    `etag: ${etag}`,
    ...(URL.canParse(change.url ?? "") ? [shown`page: ${change.url!}`] : []),
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

type Verb = {
  name: "approve" | "reject" | "withdraw" | "apply" | "refresh";
  done: string;
  description: string;
  /** Whether it takes the etag of the change that was seen. */
  sees: boolean;
};

const VERBS: readonly Verb[] = [
  {
    name: "approve",
    done: "approved",
    description: "approve someone else's change",
    sees: true,
  },
  { name: "reject", done: "rejected", description: "reject someone else's change for good", sees: false },
  { name: "withdraw", done: "withdrew", description: "withdraw a change", sees: false },
  {
    name: "apply",
    done: "applied",
    description: "apply an approved change, if it still makes exactly what was approved",
    sees: true,
  },
  {
    name: "refresh",
    done: "refreshed",
    description: "plan a change again; if it would now do something else, its approvals are void",
    sees: false,
  },
];

function addVerb(changes: Command, io: Io, { name, done, description, sees }: Verb): void {
  const command = changes
    .command(name)
    .argument(...CHANGE)
    .description(description)
    .addOption(projectOption());
  if (sees)
    command.option(
      "--etag <etag>",
      "approve only the version with this etag, as changes get shows it (default: the present version)",
    );
  if (name === "reject" || name === "approve") command.addOption(whyOption());
  command.action(
    action(
      io,
      async (input: Input, given?: string) => {
        const { etag, why } = input.options as { etag?: string; why?: string };
        if (etag !== undefined && !/^[0-9a-f]{64}$/.test(etag))
          throw usage(`--etag ${etag} is not the etag of a change`, "formflag changes get shows it");
        return { names: await readPlace(input, given), etag, why };
      },
      async (session: Session, { names, etag, why }) => {
        const { client, report } = session;
        const seen = sees ? (etag ?? (await seenEtag(session, name, names))) : undefined;
        const { value } = await client.send(operations[name], {
          names,
          ...(seen !== undefined && { etag: seen }),
          ...(name === "reject" && { body: { why: why ?? null } }),
        });
        const { change } = value as { change: ProposalView };
        const approved = change.reviews.filter(({ verdict }) => verdict === "approved").length;
        const more =
          name === "approve"
            ? shown`, which has ${String(approved)} of ${String(change.needed)} approvals`
            : "";
        await report(
          { change },
          shown`${done} change ${change.id} of project ${change.project}: ${change.summary}${more}\n`,
        );
      },
    ),
  );
}

/** The etag of a change as it is now; at a terminal, once the person has seen it and agrees. */
async function seenEtag(session: Session, name: string, names: Place): Promise<string> {
  const { change } = await session.client.call(operations.get, { names });
  if (session.canPrompt()) {
    session.note(await describe(change, session.paint));
    await session.confirm(`${name} this change?`);
  }
  return change.etag;
}
