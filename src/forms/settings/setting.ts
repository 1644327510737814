/** Seconds. */
export const DAY = 86_400;

/** Type of a setting's value, which determines its checks, input and display. */
export type Kind =
  | { is: "name" | "switch" | "time" | "rate" | "json" | "origins" | "senders" | "field" | "flag" | "zone" }
  /** An address of the web; `what` is its name in errors. */
  | { is: "url"; what: string }
  /** At most so many characters; an area has several lines. */
  | { is: "text" | "area"; most: number }
  /** A whole number within limits, with errors of its own for one below and one above them. */
  | { is: "count" | "bytes" | "seconds"; least: number; most: number; errors?: [few: string, many: string] }
  /** One of several values, with labels for people. Commands leave the check of an open one to the server. */
  | { is: "choice"; among: readonly string[]; error: string; labels: Record<string, string>; isOpen?: true }
  /** A list of texts; `of` is their name in errors, `item` names the check of each. */
  | { is: "list"; of: string; most: number; item: Item };

export type Item = "fileType" | "honeypot" | "spamWord" | "spamEmail" | "mailAddress";

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

/** The groups of the page of settings. */
export type Group = "after" | "senders" | "files" | "spam" | "mail" | "kept" | "schema";

export const setting = <T>(row: Setting<T>): Setting<T> => row;
