import type { Caller } from "../../access/caller.ts";
import type { App } from "../../app.ts";
import { BACKUP_CHECK, type Finding } from "../../maintenance/finding.ts";
import type { Backups } from "../../maintenance/status.ts";
import { type Need, TONES } from "./need.ts";
import { sentence } from "../../base/shapes/words.ts";
import { ofExperiments, ofProposals, ofRamps, ofStale } from "./needs-of-flags.ts";
import { ofInbox, ofTargets } from "./needs-of-forms.ts";

/** The state of the server, for callers with the scope `admin`. */
type Server = { findings: readonly Finding[]; backup: Backups };

/** The needs of a caller, the worst first; only of what the caller may see. */
export async function findNeeds(
  app: App,
  caller: Caller,
  server: Server | null,
  sendsMail: () => Promise<boolean | null>,
): Promise<Need[]> {
  const found = await Promise.all([
    ofRamps(app, caller),
    ofExperiments(app, caller),
    ofTargets(app, caller, sendsMail),
    ofProposals(app, caller),
    ofInbox(app, caller),
    ofStale(app, caller),
  ]);
  const rank = ({ tone }: Need) => TONES.indexOf(tone);
  const all = [...(server ? ofServer(server) : []), ...found.flat()];
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function ofServer({ findings, backup }: Server): Need[] {
  const shared = { project: null, path: "/health", verb: "See Health" };
  const { failure } = backup;
  const problems = findings
    // A backup that failed is a need of its own.
    .filter(({ status, check }) => status === "problem" && !(failure && check === BACKUP_CHECK))
    .map(({ check, message, hint }): Need => {
      const reason = hint === null ? "" : sentence(hint);
      return {
        ...shared,
        kind: "health",
        tone: "bad",
        title: `${check}: ${message}`,
        subject: check,
        reason,
        at: null,
      };
    });
  const failed: Need[] = failure
    ? [
        {
          ...shared,
          kind: "backup",
          tone: "bad",
          title: "The last backup failed",
          subject: "backup",
          reason: sentence(failure.error),
          at: Date.parse(failure.at),
        },
      ]
    : [];
  const warnings = findings.filter(({ status }) => status === "warning");
  const [first] = warnings;
  if (!first) return [...problems, ...failed];
  const title =
    warnings.length === 1 ? "1 warning about the server" : `${warnings.length} warnings about the server`;
  const subject = title.slice(0, title.indexOf(" about"));
  const reason = sentence(`${first.check}: ${first.message}`);
  return [
    ...problems,
    ...failed,
    { ...shared, kind: "health", tone: "neutral", title, subject, reason, at: null },
  ];
}
