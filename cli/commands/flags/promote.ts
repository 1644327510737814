import { SECTIONS } from "../../../src/flags/flag-fields.ts";
import type { Promotion } from "../../../src/flags/promotions.ts";
import { promotion as operations } from "../../../src/operations/promotion.ts";
import type { Paint } from "../../output/color.ts";
import { JSON_NOTATION, printDiff } from "../../output/diff.ts";
import { counted, printable, shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { verb } from "../../session/verb.ts";

const OWN = ["State", "payload", "expiry", "variants", "rules"];

/** Describes the values of a flag in each environment, and `more`. */
export function ownValues(...more: readonly string[]): string {
  const sections = SECTIONS.map(([section]) => section.toLowerCase());
  const words = [...new Set([...OWN, ...sections, ...more])];
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

export const addPromoteCommand = verb("promote", {
  argument: ["[flag]", "slug of the flag"],
  description: "copy the values of a flag, or of all, from one environment to another",
  options: [
    "project",
    ["--all", "every flag of the project"],
    ["--from <environment>", "environment to copy from"],
    ["--to <environment>", "environment to copy to"],
    ["--segments", "also copy the segments that the rules refer to"],
    ["--dry-run", "show what would change, and change nothing"],
    "why",
  ],
  help: `
${ownValues()} are copied, all at once or not at all.

Examples:
  formflag flags promote new-checkout -p shop --from staging --to production
  formflag flags promote --all -p shop --from staging --to production --dry-run
  formflag flags promote search -p shop --from develop --to staging --segments
`,
  parse: async (input, given) => {
    const { all, from, to, dryRun, segments } = input.options as Options;
    if ((given === undefined) !== (all === true))
      throw usage("which flags are promoted is not clear", "name one flag, or add --all");
    if (from === undefined || to === undefined)
      throw usage("an environment is missing", "give both: --from staging --to production");
    const project = await input.project();
    return {
      project,
      to,
      order: { from, flags: given === undefined ? undefined : [given], dryRun, segments },
    };
  },
  run,
});

type Options = { all?: true; from?: string; to?: string; dryRun?: true; segments?: true };

type Values = {
  project: string;
  to: string;
  /** Without `flags`, every flag of the project is promoted. */
  order: {
    from: string;
    flags: string[] | undefined;
    dryRun: true | undefined;
    segments: true | undefined;
  };
};

async function run(session: Session, { project, to, order }: Values): Promise<void> {
  const names = { project, environment: to };
  const promotion = await session.client.call(operations.promote, { names, body: order });
  const text = describePromotion(promotion, to, order, session.paint);
  await (order.dryRun ? session.print(promotion, text) : session.report(promotion, text));
}

function describePromotion(
  { flags, segments, unchanged }: Promotion,
  to: string,
  { from, dryRun }: Values["order"],
  paint: Paint,
): string {
  const changed = flags.map(({ slug, before, after }) => {
    const states = { before: before ?? {}, after: after ?? {} };
    return printDiff({ head: printable(slug), color: "bold", ...states }, JSON_NOTATION, paint);
  });
  const shared = segments.map(({ name, copied, before, after }) => {
    const state = before === null ? "missing" : "different";
    const done = dryRun ? "would be copied" : "copied";
    const head = shown`segment ${name}: ${state} in ${to}, ${copied ? done : "not copied: add --segments"}`;
    const states = { before: before === null ? {} : { rule: before }, after: { rule: after } };
    return printDiff({ head, color: "bold", ...states }, JSON_NOTATION, paint);
  });
  const count = shown`${counted(changed.length, "flag")} from ${from} to ${to}`;
  const end = `${dryRun ? "would promote" : "promoted"} ${count}, ${unchanged} unchanged\n`;
  return [...changed, ...shared, end].join("\n");
}
