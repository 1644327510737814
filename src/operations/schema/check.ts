import * as z from "zod/mini";
import { AppError, fieldFault } from "../../base/errors.ts";
import { MAX_JSON_LEVELS, findInexactInTurns, inexactMessage, isDeeper } from "../../base/json.ts";
import { REPEATED, findRepeatInTurns } from "../../base/json/json-members.ts";
import { parseInTurns } from "../../base/json/json-turns.ts";
import { utf8Text } from "../../base/bytes.ts";
import { wordsFor } from "../../base/shapes/validation-words.ts";
import { pathOf } from "../../documents/document.ts";
import type { Operation } from "../operation.ts";
import { ShapeError, parseShape } from "./shape.ts";

z.config({ localeError: wordsFor });

type BodyRules = Pick<Operation, "whole" | "rounded">;

/** The JSON body of a call. Throws `invalid` with the first fault and its path. */
export async function checkBody(
  schema: z.ZodMiniType,
  json: Uint8Array,
  { whole, rounded = false }: BodyRules,
): Promise<unknown> {
  if (isDeeper(json, MAX_JSON_LEVELS))
    throw new AppError("invalid", `the body has more than ${MAX_JSON_LEVELS} levels`);
  const text = utf8Text(json, "the body");
  const body = await parsedInTurns(text);
  const inexact = rounded ? undefined : await findInexactInTurns(text);
  if (inexact)
    throw new AppError("invalid", `${placeOf(inexact.steps, whole)}: ${inexactMessage(inexact.source)}`, {
      hint: "write it as a text, in quotes",
    });
  const repeated = await findRepeatInTurns(text, body);
  if (repeated)
    throw new AppError("invalid", `${placeOf(repeated, whole)}: ${REPEATED}`, { hint: "keep one of them" });
  const checked = await parseShape(schema, body).catch((error: unknown) => {
    if (error instanceof ShapeError) throw refusal(error.issues, whole);
    throw error;
  });
  // Also as an escape.
  const lost = /__proto__|\\u/.test(text) ? lostName(body, checked) : undefined;
  if (lost) throw new AppError("invalid", `${placeOf(lost, whole)} is not a name that can be used`);
  return checked;
}

/** The place of a `__proto__` that the library leaves out of what it has checked, without a fault. */
function lostName(sent: unknown, kept: unknown): string[] | undefined {
  if (typeof sent !== "object" || typeof kept !== "object" || sent === null || kept === null)
    return undefined;
  for (const [name, value] of Object.entries(sent)) {
    if (!Object.hasOwn(kept, name)) {
      if (name === "__proto__") return [name];
      continue;
    }
    const lost = lostName(value, (kept as Record<string, unknown>)[name]);
    if (lost) return [name, ...lost];
  }
  return undefined;
}

/** The query of a call. A parameter that is given several times is a list. Throws `invalid` with the first fault. */
export function checkQuery(schema: z.ZodMiniType, query: unknown): unknown {
  const result = z.safeParse(schema, query);
  if (result.success) return result.data;
  throw refusal(result.error.issues);
}

/** Throws `invalid` for what is not JSON. */
async function parsedInTurns(text: string): Promise<unknown> {
  try {
    return await parseInTurns(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new AppError("invalid", "the body is not valid JSON", { cause });
  }
}

const MAX_FAULTS = 100;
/** A fault may list every name that is not known. */
const MAX_MESSAGE = 2000;

/**
 * The error `invalid` with the first fault as its message, and every fault at its path. Paths inside the member `whole` start
 * there.
 */
function refusal(issues: readonly z.core.$ZodIssue[], whole?: string): AppError {
  const faults = issues.slice(0, MAX_FAULTS).map((issue) => faultOf(issue, whole));
  const { field, message } = faults[0] ?? { field: "", message: "the request is not valid" };
  const text = field === "" || message.startsWith(field) ? message : `${field}: ${message}`;
  return new AppError("invalid", text, { errors: faults });
}

function faultOf(issue: z.core.$ZodIssue, whole?: string) {
  const field = placeOf(issue.path.map(String), whole);
  // The faults in a key of a record.
  const inner = "issues" in issue ? issue.issues[0] : undefined;
  const message = inner?.message ?? issue.message;
  const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return fieldFault(field, shown);
}

function placeOf(steps: string[], whole?: string): string {
  return steps[0] === whole ? pathOf(...steps.slice(1)) : steps.join(".");
}
