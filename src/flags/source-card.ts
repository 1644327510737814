import { AppError } from "../base/errors.ts";
import { MAX_TEMPLATE } from "../delivery/limits.ts";
import type { FormPlace } from "../access/place.ts";
import type { Card, NewOf, RecordOf } from "../base/kinds/kinds.ts";

const TEXT = { is: "text", most: 200 } as const;

/** The form that fills a segment, by its slug, as `project:slug` or by its key, and how it does. */
export const SOURCE = {
  form: {
    kind: TEXT,
    required: true,
    option: ["from-form <form>", "take the members from submissions to this form, by a field of it"],
    label: "Form",
    hint: "Who is named in its submissions belongs to the segment.",
  },
  field: {
    kind: TEXT,
    required: true,
    option: ["field <name>", "field of the form that names a member, such as email"],
    label: "Field",
    hint: "The field of a submission with the value, such as email",
    suggested: "email",
  },
  attribute: {
    kind: TEXT,
    option: [
      "attribute <name>",
      "attribute of the context to compare with the field (default: the name of the field)",
    ],
    label: "Attribute",
    hint: "What is compared with it; empty for the name of the field",
  },
  approve: {
    kind: { is: "switch" },
    default: false,
    option: ["approve <on|off>", "whether a value counts only after it is approved"],
    label: "Each value counts once it is approved",
  },
  welcome: {
    kind: { is: "area", most: MAX_TEMPLATE },
    isSource: true,
    option: [
      "welcome <text>",
      "mail on approval, @FILE or -; its first line is # Subject, and {{name}} a field",
    ],
    label: "Mail on approval",
    hint: "The first line is # Subject, and {{name}} a field; empty for none",
  },
} as const satisfies Card;

/** A form that fills a segment, by its slugs, with its welcome if it has one. */
export type SegmentSource = NamedSource & { project: string };

export type NamedSource = Omit<RecordOf<typeof SOURCE>, "welcome"> & { welcome?: string | undefined };

/** A source as callers give it. */
export type GivenSource = NewOf<typeof SOURCE>;

/** The source that callers give, with the form that it names. Throws `invalid` for a welcome without approval. */
export function sourceFrom(given: GivenSource, { project, slug }: FormPlace): SegmentSource {
  const { field, attribute = field, approve = false, welcome = null } = given;
  if (welcome !== null && !approve)
    throw new AppError("invalid", "welcome: a mail on approval goes with approve", {
      hint: "let each value be approved, or have no welcome",
    });
  return { project, form: slug, field, attribute, approve, ...(welcome !== null && { welcome }) };
}

/** The scope that it takes to fill a segment by a form: as a reply, a welcome is mail in the name of the form. */
export function scopeOfSource({ welcome }: Pick<GivenSource, "welcome">): "forms:read" | "forms:write" {
  return welcome == null ? "forms:read" : "forms:write";
}

/** Throws `invalid` for a welcome without a subject or a text. */
export async function checkSource({ welcome }: Pick<NamedSource, "welcome">): Promise<void> {
  if (welcome === undefined) return;
  const { checkWelcome } = await import("../delivery/opt-in/welcome.ts");
  checkWelcome(welcome);
}

/** The source of a segment, in words. */
export function sourceInWords({ form, field, attribute, approve, welcome }: NamedSource): string {
  const by = attribute === field ? "" : `, by ${attribute}`;
  return `those in the field ${field} of form ${form}${by}${approve ? ", once approved" : ""}${welcome === undefined ? "" : " and welcomed by mail"}`;
}
