import { flagEntry } from "../../../documents/document.ts";
import type { FlagRecord } from "../../../flags/flag.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import type { DashboardContext, DashboardOptions } from "../dashboard-env.ts";
import { type Command, formflag, type Options, quoted } from "../parts/commands.tsx";
import { FLAGS_PATH } from "../../paths.ts";
import type { Screen } from "./screen.tsx";

/** Characters of a flag's values that a command quotes. */
const MAX_TEXT = 2000;

/** The address of the server for programs, as far as it is known. */
export function serverOf(c: DashboardContext, { publicUrl, basePath }: DashboardOptions): string {
  return publicUrl ?? `${new URL(c.req.url).origin}${basePath}`;
}

/** The commands that show and change a flag in one environment. */
export function settingCommands({ place, project, environment, record }: Screen, server: string): Command[] {
  const { flag } = place;
  const at = { p: project.slug, e: environment.slug };
  const verb = `flags ${record.enabled ? "disable" : "enable"}`;
  return [
    ["Show it", "flags get", flag, at],
    {
      label: `Turn it ${record.enabled ? "off" : "on"}, with the reason, or for a while`,
      text: `${formflag(verb, flag, at)} --why 'launch'\n${formflag(verb, flag, at, { for: "2h" })}`,
    },
    changeCommand(record, flag, at),
    ["Raise its share by steps", "flags ramp", flag, at, { variant: "on", to: "1,10,50,100", every: "1d" }],
    ["Evaluate it for a context", "flags evaluate", flag, at, { context: '{"targetingKey":"ann"}' }],
    {
      label: "Read it as an application does",
      text: `curl ${quoted(`${server}${FLAGS_PATH}/${flag}`)} -H ${quoted(`x-project-key: ${project.key}`)} -H ${quoted(`x-environment-key: ${environment.key}`)}`,
    },
    documentCommand(project.slug, flag, new Map([[environment.slug, record]])),
  ];
}

/** The command that changes what a flag serves: the payload of a plain one, the rule of another. */
function changeCommand({ rules }: FlagRecord, flag: string, at: Options): Command {
  const verb = "flags set";
  if (rules === null) return ["Change its payload", verb, flag, at, { payload: '{"text":"Hello"}' }];
  const [variant = "on"] = Object.keys(parseRules(rules).variants);
  return ["Change its rule", verb, flag, at, { if: "email ends_with @example.com" }, "--then", variant];
}

/** The command that applies a flag as code, in these environments. */
function documentCommand(project: string, flag: string, records: ReadonlyMap<string, FlagRecord>): Command {
  const label = "Apply it as code";
  const lines = [...records].map(
    ([environment, record]) => `          ${key(environment)}: ${JSON.stringify(flagEntry(record))}`,
  );
  if (lines.join("").length > MAX_TEXT)
    return {
      label,
      text: `${formflag("export", { p: project })} > flags.yaml\nformflag apply -f flags.yaml`,
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
