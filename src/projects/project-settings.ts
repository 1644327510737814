import { formatBytes } from "../base/bytes.ts";
import { type Field, showKind } from "../base/kinds/kinds.ts";

/** A setting of a project, whose default is null unless it is required. */
type ProjectSetting = Field & {
  label: string;
  /** Only an admin of the server can change it, because it affects other projects or costs resources. */
  isOfInstance?: true;
  /** The name of the line that `projects get` prints for a value that is not the default. */
  line?: string;
  /** How much of a limit is used, in words. */
  used?: (usage: { submissions: number; storage: number | null }) => string | null;
};

/** The most submissions a day that the forms of a project can be limited to. */
export const MOST_SUBMISSIONS = 1_000_000_000;

export type SettingName = "name" | "accent" | "mailFrom" | "maxSubmissions" | "maxStorage";

/** The settings of a project, in the order of pages and commands. */
export const SETTINGS: Readonly<Record<SettingName, ProjectSetting>> = {
  name: {
    kind: { is: "name" },
    required: true,
    option: ["name <name>", "name for people"],
    label: "Name",
    hint: "For people; the slug and the key stay.",
  },
  accent: {
    kind: { is: "text", most: 7 },
    option: ["accent <color>", "colour of the built-in pages of its forms, such as #0b68cb, or default"],
    label: "Color",
    hint: "Of the built-in pages of its forms, such as #0b68cb; empty for the usual one.",
    line: "accent",
  },
  mailFrom: {
    kind: { is: "text", most: 500 },
    isOfInstance: true,
    option: ["mail-from <address>", "sender of mail about its submissions, or default"],
    label: "Sender of mail",
    hint: "About submissions of its forms, such as Shop <shop@example.com>; empty for that of the server.",
    line: "mail from",
  },
  maxSubmissions: {
    kind: { is: "count", least: 1, most: MOST_SUBMISSIONS },
    isOfInstance: true,
    option: [
      "max-submissions <n/d>",
      "most submissions to its forms on a day in UTC, such as 1000/d, or none",
    ],
    label: "Submissions a day",
    hint: "At most, to all of its forms, in UTC; empty for any number.",
    line: "submissions",
    used: ({ submissions }) => `${submissions.toLocaleString("en")} today`,
  },
  maxStorage: {
    kind: { is: "bytes", least: 1, most: Number.MAX_SAFE_INTEGER },
    isOfInstance: true,
    option: [
      "max-storage <size>",
      "most bytes of the submissions and files of its forms, such as 5GB, or none",
    ],
    label: "Storage",
    hint: "At most, of the submissions and files of all of its forms, such as 5 GB; empty for any size.",
    line: "storage",
    used: ({ storage }) => (storage === null ? null : `${formatBytes(storage)} used`),
  },
};

export const PROJECT_SETTINGS = Object.keys(SETTINGS) as SettingName[];

/** The text of a setting in its field; empty for the default. */
export function settingText(project: Readonly<Record<SettingName, unknown>>, name: SettingName): string {
  return showKind(SETTINGS[name].kind, project[name], "UTC");
}
