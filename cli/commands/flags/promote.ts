import type { Command } from "commander";
import type { Promotion } from "../../../src/flags/promotion.ts";
import { diffLines, paintFor } from "../../output/diff.ts";
import type { Io } from "../../output/terminal.ts";
import { printable, shown } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { projectOption } from "../../session/config.ts";
import { action } from "../../session/session.ts";
import { usage } from "../../session/values.ts";

type PromoteOptions = { all?: true; from?: string; to?: string; dryRun?: true; segments?: true };

export function addPromoteCommand(flags: Command, io: Io): void {
  flags
    .command("promote")
    .argument("[flag]", "slug of the flag")
    .description("copy the values of a flag, or of all, from one environment to another")
    .addOption(projectOption())
    .option("--all", "every flag of the project")
    .option("--from <environment>", "environment to copy from")
    .option("--to <environment>", "environment to copy to")
    .option("--segments", "copy the segments that the rules refer to, too")
    .option("--dry-run", "show what would change, and change nothing")
    .addHelpText(
      "after",
      `
State, payload, expiry, variants and rules are copied, all at once or not at all.

Examples:
  formflag flags promote new-checkout -p shop --from staging --to production
  formflag flags promote --all -p shop --from staging --to production --dry-run
  formflag flags promote search -p shop --from develop --to staging --segments
`,
    )
    .action(
      action(io, async (session, given) => {
        const { all, from, to, dryRun, segments } = session.options as PromoteOptions;
        if ((given === undefined) !== (all === true))
          throw usage("which flags are promoted is not clear", "name one flag, or say --all");
        if (from === undefined || to === undefined)
          throw usage("an environment is missing", "give both: --from staging --to production");
        const project = await session.project();
        const order = { from, flags: given === undefined ? undefined : [given], dryRun, segments };
        const url = path`/projects/${project}/environments/${to}/promote`;
        const promotion = await session.client.call<Promotion>("POST", url, order);
        const paint = paintFor(session);
        const changed = promotion.flags.map(
          ({ slug, before, after }) =>
            `${paint(printable(slug), "head")}\n${diffLines(before, after, paint)}`,
        );
        const shared = promotion.segments.map(({ name, copied, before, after }) => {
          const state = before === null ? "missing" : "different";
          const done = dryRun ? "would be copied" : "copied";
          const head = shown`segment ${name}: ${state} in ${to}, ${copied ? done : "not copied: add --segments"}`;
          const old = before === null ? null : { rule: before };
          return `${paint(head, "head")}\n${diffLines(old, { rule: after }, paint)}`;
        });
        const count = shown`${changed.length} flag${changed.length === 1 ? "" : "s"} from ${from} to ${to}`;
        const end = `${dryRun ? "would promote" : "promoted"} ${count}, ${promotion.unchanged} unchanged\n`;
        const text = [...changed, ...shared, end].join("\n");
        await (dryRun ? session.print(promotion, text) : session.report(promotion, text));
      }),
    );
}
