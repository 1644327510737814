import { DETAIL_LIMITS, PREVIEW_LIMITS } from "./limits.ts";
import { type Requirement, requirementsOf, requirementsText } from "./requires/requirement.ts";

/**
 * How the value of a field is stored: `json` as JSON text, `time` in milliseconds, a `rule` as a member of the rules, `tags`
 * as a text with commas, `colours` and `requires` as JSON text, any other kind as it is shown.
 */
type Kind = "switch" | "text" | "markdown" | "tags" | "colours" | "requires" | "json" | "time" | "rule";

export type Field = {
  kind: Kind;
  /** Display name in differences and messages. */
  label: string;
  /** Display name in the form of a flag, if it is not the label. */
  ask?: string;
  /** Text below the field in the form of a flag. */
  hint?: string;
  /** The option of `flags set` behind its dashes, and its help, for a field without rules of its own there. */
  option?: readonly [flags: string, help: string];
};

/** A field that is shown only if it, or another of its section, is set. */
export type OptionalField = Field & {
  kind: keyof Stored;
  section: string;
  /** Where it is stored. */
  column: `${"flag_values" | "flag_previews" | "flags"}.${string}`;
  /** Characters of a text. */
  max?: number;
};

const OPTIONAL_FIELDS = {
  owner: {
    kind: "text",
    section: "Details",
    column: "flags.owner",
    max: DETAIL_LIMITS.owner,
    label: "Owner",
    hint: "The person or team to ask about it.",
    option: ["owner <name>", "the person or team to ask about it, in every environment"],
  },
  tags: {
    kind: "tags",
    section: "Details",
    column: "flags.tags",
    label: "Tags",
    hint: "Separated by commas.",
  },
  permanent: {
    kind: "switch",
    section: "Details",
    column: "flags.permanent",
    label: "Permanent",
    hint: "It is never listed as stale.",
    option: ["permanent <on|off>", "whether it is meant to stay; such a flag is never stale"],
  },
  archived: {
    kind: "switch",
    section: "Details",
    column: "flags.archived",
    label: "Archived",
  },
  colours: {
    kind: "colours",
    section: "Colours",
    column: "flags.colours",
    label: "Colours",
  },
  requires: {
    kind: "requires",
    section: "Needs",
    column: "flag_values.requires",
    label: "Needs",
    hint: "A flag for each line, such as new-cart, or new-cart=on,blue for its variants. Empty for none.",
  },
  browser: {
    kind: "switch",
    section: "Browser",
    column: "flag_values.browser",
    label: "Browser",
    ask: "Pages may read it with a browser key",
    hint: "Every visitor of such a page can read the flag, whatever its rule is.",
    option: ["browser <on|off>", "whether pages can read it with a browser key"],
  },
  isPreview: {
    kind: "switch",
    section: "Preview",
    column: "flag_previews.enabled",
    label: "Preview",
    ask: "People may try it and say what they think",
    option: ["preview <on|off>", "whether people can try it and give feedback"],
  },
  previewName: {
    kind: "text",
    section: "Preview",
    column: "flag_previews.name",
    max: PREVIEW_LIMITS.name,
    label: "Preview name",
    ask: "Name of the preview",
    option: ["preview-name <text>", "name of the preview"],
  },
  previewContent: {
    kind: "markdown",
    section: "Preview",
    column: "flag_previews.content",
    label: "Preview content",
    ask: "What it is about",
    hint: "Markdown.",
    option: [
      "preview-content <markdown>",
      "description of the preview: Markdown, @FILE, or - for standard input",
    ],
  },
} as const satisfies Record<string, OptionalField>;

/** The settable fields of a flag, by their names in the admin API, in the order of pages. */
export const FIELDS = {
  enabled: { kind: "switch", label: "State" },
  payload: {
    kind: "json",
    label: "Payload",
    hint: "JSON for readers, with variants for readers who get true. Empty for none.",
  },
  variants: { kind: "rule", label: "Variants" },
  defaultVariant: {
    kind: "rule",
    label: "Default variant",
    hint: "Served if no rule chooses one. Empty for none.",
  },
  targeting: {
    kind: "rule",
    label: "Rule",
    hint: "JSON in flagd's language, which yields the name of a variant. Empty for none.",
  },
  metadata: { kind: "rule", label: "Metadata" },
  expiredAt: { kind: "time", label: "Expires", hint: "Off from then on. Empty for never." },
  description: {
    kind: "text",
    label: "Description",
    hint: "The same in every environment.",
    option: ["description <text>", "what it is for, in every environment"],
  },
  ...OPTIONAL_FIELDS,
} as const satisfies Record<string, Field | OptionalField>;

/** Fields that all environments share. Each environment has the others for itself: a promotion copies these. */
export const SHARED = {
  description: true,
  owner: true,
  tags: true,
  permanent: true,
  archived: true,
  colours: true,
} as const;

export type FieldName = keyof typeof FIELDS;
export type SharedName = keyof typeof SHARED;
export type OptionalName = keyof typeof OPTIONAL_FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];
/** The fields that form the rules of a flag. */
export const RULE_NAMES = ["variants", "defaultVariant", "targeting", "metadata"] as const;
export const SHARED_NAMES = Object.keys(SHARED) as SharedName[];
export const OPTIONAL_NAMES = Object.keys(OPTIONAL_FIELDS) as OptionalName[];
/** The optional fields that all environments share. */
export const DETAIL_NAMES = OPTIONAL_NAMES.filter((name): name is Exclude<SharedName, "description"> =>
  Object.hasOwn(SHARED, name),
);
/** The sections of optional fields, in the order of pages. */
export const SECTIONS = [...Map.groupBy(OPTIONAL_NAMES, (name) => FIELDS[name].section as string)];

const NONE: Stored = { switch: false, text: "", markdown: "", tags: "", colours: "", requires: "" };

type Stored = {
  switch: boolean;
  text: string;
  markdown: string;
  tags: string;
  colours: string;
  requires: string;
};
type Values = Pick<Stored, "switch" | "text" | "markdown"> & {
  tags: string[];
  colours: Record<string, string>;
  requires: Requirement[];
};
type Kinds = typeof OPTIONAL_FIELDS;

/** The optional fields of a flag as they are stored. */
export type Optional = { [Name in OptionalName]: Stored[Kinds[Name]["kind"]] };

/** The optional fields of a flag as they are shown: tags are a list. */
export type ShownOptional = { [Name in OptionalName]: Values[Kinds[Name]["kind"]] };

/** The optional fields of a flag for which none was set. */
export const NO_OPTIONAL = Object.fromEntries(
  OPTIONAL_NAMES.map((name) => [name, NONE[FIELDS[name].kind]]),
) as Optional;

/** How a kind is shown that is not stored as it is shown: tags and requirements as a list, colours as an object. */
const CODECS: {
  [K in OptionalField["kind"]]?: { shown: (text: string) => unknown; stored: (value: never) => string };
} = {
  tags: { shown: tagsOf, stored: (tags: readonly string[]) => tagsOf(tags.join()).join() },
  colours: { shown: coloursOf, stored: coloursText },
  requires: { shown: requirementsOf, stored: requirementsText },
};

/** Stored fields as they are shown. */
export function shownOptional<Name extends OptionalName>(
  record: Pick<Optional, Name>,
  names: readonly Name[],
): Pick<ShownOptional, Name> {
  const members = names.map((name) => {
    const codec = CODECS[FIELDS[name].kind];
    return [name, codec ? codec.shown(String(record[name])) : record[name]];
  });
  return Object.fromEntries(members) as Pick<ShownOptional, Name>;
}

/** The shown fields that are set as they are stored; null removes requirements. */
export function storedOptional(shown: {
  [Name in OptionalName]?: ShownOptional[Name] | (Name extends "requires" ? null : never) | undefined;
}): Partial<Optional> {
  const given = OPTIONAL_NAMES.filter((name) => shown[name] !== undefined);
  return Object.fromEntries(
    given.map((name) => {
      const codec = CODECS[FIELDS[name].kind];
      return [name, codec ? codec.stored(shown[name] as never) : shown[name]];
    }),
  );
}

/** The tags of a text with commas, each once. */
export function tagsOf(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags)].filter((tag) => tag !== "");
}

/** The colours of variants, such as `#2b8a3e`, by the names of the variants. */
export function coloursOf(text: string): Record<string, string> {
  return text === "" ? {} : (JSON.parse(text) as Record<string, string>);
}

/** Colours as they are stored. */
function coloursText(colours: Readonly<Record<string, string>>): string {
  const entries = Object.entries(colours).map(([variant, colour]) => [variant, colour.toLowerCase()]);
  return entries.length === 0 ? "" : JSON.stringify(Object.fromEntries(entries));
}

/** The optional fields as they are shown if none was set. */
export const NONE_SHOWN = shownOptional(NO_OPTIONAL, OPTIONAL_NAMES);

/** Optional fields as members of a larger object, a section as a whole; none if nothing was set. */
export function optionalMembers(
  record: Optional,
  names: readonly OptionalName[] = OPTIONAL_NAMES,
): Partial<ShownOptional> {
  if (!names.some((name) => record[name] !== NO_OPTIONAL[name])) return {};
  const set = names.filter((name) => record[name] !== NO_OPTIONAL[name]);
  const sections = new Set<string>(set.map((name) => FIELDS[name].section));
  return shownOptional(
    record,
    names.filter((name) => sections.has(FIELDS[name].section)),
  );
}

/** These members of an object, without undefined ones. */
export function pick<T, Name extends keyof T>(from: T, names: readonly Name[]): Defined<Pick<T, Name>> {
  const members = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]);
  return Object.fromEntries(members) as Defined<Pick<T, Name>>;
}

type Defined<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };
