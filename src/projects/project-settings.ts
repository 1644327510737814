import { formatBytes, parseBytes } from "../base/bytes.ts";
import type { ProjectSettings, Usage } from "./project.ts";

/** A setting of a project: commands and pages are made from it. Null is the default of any but a name. */
type ProjectSetting = {
  /** A number a day, in UTC, is written `1000/d` in commands. */
  is: "name" | "text" | "daily" | "bytes";
  /** Only an admin of the server can change it, because it affects other projects or costs resources. */
  isOfInstance?: true;
  /** The option of `projects set` without its dashes, and its help. */
  option: [flags: string, help: string];
  /** Label and hint of the field in the dashboard. */
  field: [label: string, hint: string];
  /** The name of the line that `projects get` prints for a value that is not the default. */
  line?: string;
  /** How much of a limit is used, in words. */
  used?: (usage: Usage) => string | null;
};

export type SettingName = keyof ProjectSettings;

/** The settings of a project, in the order of pages and commands. */
export const SETTINGS: Readonly<Record<SettingName, ProjectSetting>> = {
  name: {
    is: "name",
    option: ["name <name>", "name for people"],
    field: ["Name", "For people; the slug and the key stay."],
  },
  accent: {
    is: "text",
    option: ["accent <color>", "colour of the built-in pages of its forms, such as #0b68cb, or default"],
    field: ["Color", "Of the built-in pages of its forms, such as #0b68cb; empty for the usual one."],
    line: "accent",
  },
  mailFrom: {
    is: "text",
    isOfInstance: true,
    option: ["mail-from <address>", "sender of mail about its submissions, or default"],
    field: [
      "Sender of mail",
      "About submissions of its forms, such as Shop <shop@example.com>; empty for that of the server.",
    ],
    line: "mail from",
  },
  maxSubmissions: {
    is: "daily",
    isOfInstance: true,
    option: [
      "max-submissions <n/d>",
      "most submissions to its forms on a day in UTC, such as 1000/d, or none",
    ],
    field: ["Submissions a day", "At most, to all of its forms, in UTC; empty for any number."],
    line: "submissions",
    used: ({ submissions }) => `${submissions.toLocaleString("en")} today`,
  },
  maxStorage: {
    is: "bytes",
    isOfInstance: true,
    option: [
      "max-storage <size>",
      "most bytes of the submissions and files of its forms, such as 5GB, or none",
    ],
    field: [
      "Storage",
      "At most, of the submissions and files of all of its forms, such as 5 GB; empty for any size.",
    ],
    line: "storage",
    used: ({ storage }) => (storage === null ? null : `${formatBytes(storage)} used`),
  },
};

export const PROJECT_SETTINGS = Object.keys(SETTINGS) as SettingName[];

/** The text of a setting in its field; empty for the default. */
export function settingText(project: ProjectSettings, name: SettingName): string {
  const value = project[name] ?? "";
  return SETTINGS[name].is === "bytes" && typeof value === "number" ? formatBytes(value) : String(value);
}

/** The value of such a text; undefined for one that stands for none. */
export function settingValue(name: SettingName, text: string): string | number | null | undefined {
  const { is } = SETTINGS[name];
  if (is === "name") return text;
  if (text === "") return null;
  if (is === "bytes") return parseBytes(text);
  return is === "text" ? text : /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
