import { own } from "../../../src/base/shapes/own.ts";
import { type Command, Option } from "commander";
import { withoutAccents } from "../../../src/base/normalize.ts";
import { AppError } from "../../../src/base/errors.ts";

type FieldOption = Option & { field?: string };

/** An option that carries the name of its field in the admin API. */
export function optionFor(field: string, flags: string, help: string): FieldOption {
  return Object.assign(new Option(flags, help), { field });
}

/** Fields of the admin API that options have another name for. */
const FIELDS: Record<string, string> = {
  expiresAt: "--expires",
};

/** The hint for an argument that is not a name; null for any other error. */
function nameHint(command: Command, message: string): string | null {
  const [given = ""] = command.args;
  if (!/(^|: )an? \w+ is named by 1 to /.test(message) || given === "" || /^[\w.-]+$/.test(given))
    return null;
  const [, before, value] = /^([\w.-]+)=(.+)$/.exec(given) ?? [];
  if (before !== undefined)
    return command.parent?.name() === "flags"
      ? `write ${before} --on, or ${before} --payload '${value}'`
      : `settings are options: ${before} --name '${value}'`;
  if (given.includes("@")) return `it is a name, not an address: ${given.split("@")[0]}`;
  const slug = withoutAccents(given.slice(0, 300))
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]+/g, "-")
    .slice(0, 150)
    .replaceAll(/^[^a-z\d]+|[^a-z\d]+$/g, "");
  const hasName = command.options.some(({ long }) => long === "--name");
  return slug === "" ? null : `write ${slug}${hasName ? ` --name '${given}'` : ""}`;
}

/** Rewrites an error that names a field of the admin API to name the option of the command that set the field. */
export function inTermsOf(command: Command, error: unknown): unknown {
  if (!(error instanceof AppError) || !["invalid", "too_large"].includes(error.code)) return error;
  const named = error.hint === null ? nameHint(command, error.message) : null;
  if (named !== null) {
    const hinted = new AppError(error.code, error.message, { hint: named, cause: error });
    return inTermsOf(command, hinted);
  }
  const [, field, colon = "", text] = /^([a-z]+[A-Za-z]*)(?:\.[\w.]+)?(:?) (.*)$/s.exec(error.message) ?? [];
  if (field === undefined) return error;
  const option = command.options.find((option: FieldOption) => option.field === field);
  const long =
    option?.long ??
    own(FIELDS, field) ??
    `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const isOption = command.options.some((option) => option.long === long);
  if (!isOption && !(colon && ["slug", "name"].includes(field))) return error;
  const message = isOption ? `${long}${colon} ${text!.replace(/, or null$/, ", or none")}` : text!;
  const { code, reason, hint } = error;
  return new AppError(code, message, { reason: reason ?? undefined, hint: hint ?? undefined, cause: error });
}
