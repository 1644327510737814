import type { Command } from "commander";
import { formatBytes } from "../../src/base/bytes.ts";
import { DAY_MS } from "../../src/base/days.ts";
import { parseRate } from "../../src/base/units.ts";
import { projects as operations } from "../../src/operations/projects.ts";
import type { Project, ProjectPatch, Usage } from "../../src/projects/project.ts";
import { PROJECT_SETTINGS, SETTINGS, type SettingName } from "../../src/projects/project-settings.ts";
import type { Io } from "../output/terminal.ts";
import { details, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import type { Input } from "../session/input.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { isUnset, sizeValue } from "../session/values.ts";
import { whyOption } from "../session/why.ts";

export function addSetCommand(projects: Command, io: Io): void {
  const command = projects
    .command("set")
    .argument("[project]", "slug of the project")
    .description("change the settings of a project");
  for (const name of PROJECT_SETTINGS) {
    const [flags, help] = SETTINGS[name].option;
    command.option(`--${flags}`, help);
  }
  command
    .addOption(whyOption())
    .after(`
Submissions over the daily limit are refused until midnight in UTC (429), and submissions that do not fit into the
storage are refused (409). Only an admin of the whole server can change these two limits and the sender.

Examples:
  formflag projects set shop --name 'Our shop' --accent '#a02040'
  formflag projects set shop --mail-from 'Shop <shop@example.com>'
  formflag projects set shop --max-submissions 1000/d --max-storage 5GB
`)
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<{ slug: string; patch: ProjectPatch }> {
  const slug = await input.need(given, "project");
  const patch: Record<string, unknown> = {};
  for (const name of PROJECT_SETTINGS) {
    const text = input.options[name] as string | undefined;
    if (text !== undefined) patch[name] = valueOf(name, text);
  }
  if (Object.keys(patch).length === 0)
    throw usage("nothing to change", "name it for people: --name 'Our shop'; --help lists the settings");
  return { slug, patch };
}

function valueOf(name: SettingName, text: string): string | number | null {
  const { kind, option, required } = SETTINGS[name];
  if (!required && (text === "default" || isUnset(text))) return null;
  if (kind.is === "bytes") return sizeValue(text, `--${option[0].split(" ")[0]}`);
  return kind.is === "count" ? dailyCount(text) : text;
}

/** `1000/d`, or the number alone. Throws `invalid`. */
function dailyCount(text: string): number {
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
  await report(
    project,
    shown`${project.result} project ${slug}\n` + details([["name", project.name], ...settingLines(project)]),
  );
}

export type Shown = Project & { usage?: Usage | null | undefined };

/** The settings that are not the default, for a person, with what is used; a server of an earlier version sends none. */
export function settingLines(project: Shown): [label: string, text: string][] {
  return PROJECT_SETTINGS.flatMap((name): [string, string][] => {
    const [{ kind, line, used }, value] = [SETTINGS[name], project[name]];
    if (!value || line === undefined) return [];
    if (typeof value === "string") return [[line, value]];
    const most = kind.is === "bytes" ? formatBytes(value) : `${value.toLocaleString("en")} a day`;
    const usedText = project.usage && used?.(project.usage);
    return [[line, `at most ${most}${usedText ? `, ${usedText}` : ""}`]];
  });
}
