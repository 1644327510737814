import { flagEntry } from "../../../documents/document.ts";
import type { FlagRecord } from "../../../flags/flag.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import type { DashboardContext, DashboardOptions } from "../dashboard-env.ts";
import { type Command, quoted } from "../parts/commands.tsx";
import { FLAGS_PATH } from "../../paths.ts";
import type { Setting } from "./setting.tsx";

/** Characters of a flag's values that a command quotes. */
const MAX_TEXT = 2000;

/** The address of the server for programs, as far as it is known. */
export function serverOf(c: DashboardContext, { publicUrl, basePath }: DashboardOptions): string {
  return publicUrl ?? `${new URL(c.req.url).origin}${basePath}`;
}

/** The commands that show and change a flag in one environment. */
export function settingCommands({ place, project, environment, record }: Setting, server: string): Command[] {
  const { flag } = place;
  const options = `${quoted(flag)} -p ${quoted(project.slug)} -e ${quoted(environment.slug)}`;
  const verb = record.enabled ? "disable" : "enable";
  return [
    { label: "Show it", text: `formflag flags get ${options}` },
    {
      label: `Turn it ${record.enabled ? "off" : "on"}, with the reason, or for a while`,
      text: `formflag flags ${verb} ${options} --why 'launch'\nformflag flags ${verb} ${options} --for 2h`,
    },
    changeCommand(record, options),
    {
      label: "Evaluate it for a context",
      text: `formflag flags evaluate ${options} --context '{"targetingKey":"ann"}'`,
    },
    {
      label: "Read it as an application does",
      text: `curl ${quoted(`${server}${FLAGS_PATH}/${flag}`)} -H ${quoted(`x-project-key: ${project.key}`)} -H ${quoted(`x-environment-key: ${environment.key}`)}`,
    },
    documentCommand(project.slug, flag, new Map([[environment.slug, record]])),
  ];
}

/** The command that changes what a flag serves: the payload of a plain one, the rule of another. */
function changeCommand({ rules }: FlagRecord, options: string): Command {
  if (rules === null)
    return {
      label: "Change its payload",
      text: `formflag flags set ${options} --payload '{"text":"Hello"}'`,
    };
  const [variant = "on"] = Object.keys(parseRules(rules).variants);
  const condition = `--if 'email ends_with @example.com' --then ${quoted(variant)}`;
  return { label: "Change its rule", text: `formflag flags set ${options} ${condition}` };
}

/** The command that applies a flag as code, in these environments. */
export function documentCommand(
  project: string,
  flag: string,
  records: ReadonlyMap<string, FlagRecord>,
): Command {
  const label = "Apply it as code";
  const lines = [...records].map(
    ([environment, record]) => `          ${key(environment)}: ${JSON.stringify(flagEntry(record))}`,
  );
  if (lines.join("").length > MAX_TEXT)
    return {
      label,
      text: `formflag export -p ${quoted(project)} > flags.yaml\nformflag apply -f flags.yaml`,
    };
  const document = [
    "projects:",
    `  ${key(project)}:`,
    "    flags:",
    `      ${key(flag)}:`,
    "        environments:",
    ...lines,
  ];
  return { label, text: `formflag apply -f - <<'YAML'\n${document.join("\n")}\nYAML` };
}

/** A name as a key in YAML, in quotes if it could be read as something else. */
function key(name: string): string {
  const isPlain = /^[a-z][\w-]*$/i.test(name) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(name);
  return isPlain ? name : JSON.stringify(name);
}
