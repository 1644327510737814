import type { Command } from "commander";
import { formatBytes } from "../../src/base/bytes.ts";
import { DAY_MS } from "../../src/base/days.ts";
import { parseRate } from "../../src/base/units.ts";
import { projects as operations } from "../../src/operations/projects.ts";
import type { Project, ProjectPatch, Usage } from "../../src/projects/project.ts";
import type { Io } from "../output/terminal.ts";
import { details, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import type { Input } from "../session/input.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { isUnset, sizeValue } from "../session/values.ts";
import { whyOption } from "../session/why.ts";

export function addSetCommand(projects: Command, io: Io): void {
  projects
    .command("set")
    .argument("[project]", "slug of the project")
    .description("change the settings of a project")
    .option("--name <name>", "name for people")
    .option("--mail-from <address>", "sender of mail about its submissions, or default")
    .option("--accent <color>", "colour of the built-in pages of its forms, such as #0b68cb, or default")
    .option(
      "--max-submissions <n/d>",
      "most submissions to its forms on a day in UTC, such as 1000/d, or none",
    )
    .option(
      "--max-storage <size>",
      "most bytes of the submissions and files of its forms, such as 5GB, or none",
    )
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
Submissions over the daily limit are refused until midnight in UTC (429), and submissions that do not fit into the
storage are refused (409). Only an admin of the whole server can change these two limits and the sender.

Examples:
  formflag projects set shop --name 'Our shop' --accent '#a02040'
  formflag projects set shop --mail-from 'Shop <shop@example.com>'
  formflag projects set shop --max-submissions 1000/d --max-storage 5GB
`,
    )
    .action(action(io, parse, run));
}

type Options = {
  name?: string;
  mailFrom?: string;
  accent?: string;
  maxSubmissions?: string;
  maxStorage?: string;
};

async function parse(input: Input, given?: string): Promise<{ slug: string; patch: ProjectPatch }> {
  const slug = await input.need(given, "project");
  const { name, mailFrom, accent, maxSubmissions, maxStorage } = input.options as Options;
  const patch: ProjectPatch = {
    ...(name !== undefined && { name }),
    ...(mailFrom !== undefined && { mailFrom: isDefault(mailFrom) ? null : mailFrom }),
    ...(accent !== undefined && { accent: isDefault(accent) ? null : accent }),
    ...(maxSubmissions !== undefined && { maxSubmissions: dailyCount(maxSubmissions) }),
    ...(maxStorage !== undefined && {
      maxStorage: isDefault(maxStorage) ? null : sizeValue(maxStorage, "--max-storage"),
    }),
  };
  if (Object.keys(patch).length === 0)
    throw usage("nothing to change", "name it for people: --name 'Our shop'; --help lists the settings");
  return { slug, patch };
}

function isDefault(text: string): boolean {
  return text === "default" || isUnset(text);
}

/** `1000/d`, or the number alone. Throws `invalid`. */
function dailyCount(text: string): number | null {
  if (isDefault(text)) return null;
  const rate = /^\d{1,10}$/.test(text) ? { count: Number(text), seconds: DAY_MS / 1000 } : parseRate(text);
  if (rate === undefined || rate.seconds !== DAY_MS / 1000 || rate.count < 1)
    throw usage(`--max-submissions ${text} is not a number a day`, "write --max-submissions 1000/d, or none");
  return rate.count;
}

async function run(
  { client, report }: Session,
  { slug, patch }: { slug: string; patch: ProjectPatch },
): Promise<void> {
  const project = await client.call(operations.set, { names: { project: slug }, body: patch });
  const lines = [["name", project.name] as [string, string], ...settingLines(project)];
  await report(project, shown`${project.result} project ${slug}\n` + details(lines));
}

/** The settings that are not the default, for a person, with what is used; a server of an earlier version sends none. */
export function settingLines(project: Shown): [label: string, text: string][] {
  const { mailFrom, accent, maxSubmissions, maxStorage, usage } = project;
  const used = (text: string | null | undefined) => (text == null ? "" : `, ${text}`);
  return [
    ...line("mail from", mailFrom),
    ...line("accent", accent),
    ...line(
      "submissions",
      maxSubmissions &&
        `at most ${countText(maxSubmissions)} a day${used(usage && `${countText(usage.submissions)} today`)}`,
    ),
    ...line(
      "storage",
      maxStorage &&
        `at most ${formatBytes(maxStorage)}${used(usage?.storage == null ? null : `${formatBytes(usage.storage)} used`)}`,
    ),
  ];
}

export type Shown = Project & { usage?: Usage | null | undefined };

function countText(count: number): string {
  return count.toLocaleString("en");
}

function line(label: string, text: string | number | null | undefined): [label: string, text: string][] {
  return text === null || text === undefined || text === 0 ? [] : [[label, String(text)]];
}
