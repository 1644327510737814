import type { Kind as KindOf } from "../../base/kinds/kinds.ts";

/** Seconds. */
export const DAY = 86_400;

export type Item = "fileType" | "honeypot" | "spamWord" | "spamEmail" | "check" | "mailAddress";

export type Kind = Exclude<
  KindOf<Item>,
  { is: "expiry" | "names" | "named" | "phrases" | "lines" | "weights" | "shares" | "condition" | "context" }
>;

/** A setting of a form: whatever checks, stores, shows or documents settings reads this. */
export type Setting<T> = {
  default: T;
  kind: Kind;
  /** Null is a value, in place of which it would reset the setting to its default. */
  hasNull?: true;
  /** The option of `forms create` and `forms set` without its dashes, and its help. */
  option?: [flags: string, help: string];
  /** Words that the option takes besides those of its kind, or in their place. */
  words?: Record<string, T | null>;
  /** The option takes `@FILE` and `-` too. */
  isSource?: true;
  /** Group, label and hint of the field in the dashboard. */
  field?: [group: Group, label: string, hint?: string];
  /** The name of what `forms get` prints for a value that differs from the default, and the value in words. */
  line?: [name: string, text?: (value: NonNullable<T>) => string];
  /** The meaning of null or an empty list, in a word. Default: `none`. */
  empty?: string;
  /** The settings that option and field come after, if these are not the ones before in the table. */
  after?: { option?: string; field?: string };
};

/** The groups of settings on the page of a form, in the order in which things happen to a submission. */
export const GROUPS = ["accepts", "screens", "keeps", "shows", "answers", "tells"] as const;

export type Group = (typeof GROUPS)[number];

export const setting = <T>(row: Setting<T>): Setting<T> => row;
