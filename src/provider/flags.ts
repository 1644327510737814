import { conditionsBy } from "../evaluator/conditions.ts";
import { type Environment, compile } from "../evaluator/evaluator.ts";
import { patternOf } from "../evaluator/patterns.ts";

/** The values that rules read of whom flags are evaluated for. */
export type Context = { targetingKey?: string | undefined } & Record<string, unknown>;

export type Metadata = Record<string, string | number | boolean>;

/** The result for a flag. Without a value, the application uses its own default. */
export type Evaluation = {
  value?: unknown;
  variant?: string;
  reason: string;
  errorCode?: string;
  errorMessage?: string;
  metadata: Metadata;
};

/** A set of flags as a server sent it, ready for evaluation. */
export type Flags = {
  evaluate: (key: string, context: Context) => Evaluation;
  keys: readonly string[];
  document: FlagsDocument;
};

/** A flag of a file of formflag: flagd's definition, and what that has no words for. */
type Definition = Environment["flags"][string] & {
  formflag?: {
    payloadOf?: string;
    isOff?: boolean;
    /** The flags that it needs, each with the variants that fulfil that. */
    needs?: [flag: string, variants: string[]][];
    counts?: true | { rule: Record<string, unknown> };
  };
};

export type FlagsDocument = Environment & { flags: Record<string, Definition> };

/** The operations of rules that flagd does not have, with patterns as expressions of the engine. */
export const OPERATIONS = conditionsBy(patternOf);

type Evaluate = (context: Context) => Evaluation;

/** Throws for a text that is no set of flags. */
export function readFlags(text: string): Flags {
  const document = JSON.parse(text) as FlagsDocument | null;
  if (typeof document?.flags !== "object" || document.flags === null)
    throw new Error("it is no set of flags");
  const compiled = compile(document, OPERATIONS);
  const byKey = new Map(
    Object.entries(document.flags).map(([key, { formflag = {}, variants }]): [string, Evaluate] => {
      const { isOff, needs, payloadOf } = formflag;
      const plain: Evaluate = (context) => compiled.evaluate(key, context) as Evaluation;
      if (payloadOf !== undefined)
        return [key, (context) => payloadFor(of(payloadOf)(context), variants["payload"])];
      if (!isOff && !needs) return [key, plain];
      return [
        key,
        (context) => {
          const own = plain(context);
          // Of a flag with needs, the rule matches where all are as they have to be.
          if (own.reason !== (isOff ? "STATIC" : "DEFAULT")) return own;
          const lacks = needs?.find(
            ([flag, fulfilling]) => !fulfilling.includes(compiled.evaluate(flag, context).variant!),
          );
          if (!isOff && !lacks) return own;
          const metadata = lacks ? { ...own.metadata, prerequisite: lacks[0] } : own.metadata;
          return { ...own, reason: "DISABLED", metadata };
        },
      ];
    }),
  );
  const of = (key: string) => byKey.get(key) ?? missing(key);
  return {
    evaluate(key, context) {
      try {
        return of(key)(asJson(context));
      } catch (error) {
        const errorMessage = `the context cannot be read: ${(error as Error).message}`;
        return { reason: "ERROR", errorCode: "INVALID_CONTEXT", errorMessage, metadata: {} };
      }
    },
    keys: [...byKey.keys()],
    document,
  };
}

/** The result of a payload, which those get for whom its flag is true. */
function payloadFor(own: Evaluation, value: unknown): Evaluation {
  if (own.errorCode !== undefined) return own;
  const { reason, metadata } = own;
  if (own.value === true) return { value, variant: "payload", reason, metadata };
  return { reason: reason === "DISABLED" ? reason : "DEFAULT", metadata };
}

function missing(key: string): Evaluate {
  const errorMessage = `there is no flag ${key}`;
  return () => ({ reason: "ERROR", errorCode: "FLAG_NOT_FOUND", errorMessage, metadata: {} });
}

/** The context as a server would get it: times are texts. */
export function asJson(context: Context): Context {
  return hasTime(context) ? (JSON.parse(JSON.stringify(context)) as Context) : context;
}

function hasTime(value: object): boolean {
  // A list of values would be made for each evaluation.
  for (const name in value) {
    const each = (value as Record<string, unknown>)[name];
    if (typeof each === "object" && each !== null && (each instanceof Date || hasTime(each))) return true;
  }
  return false;
}

/** The flags that may evaluate to something else in another set. */
export function changesBetween(before: Flags | undefined, after: Flags): string[] {
  const [old, current] = [fingerprints(before?.document), fingerprints(after.document)];
  const keys = new Set([...old.keys(), ...current.keys()]);
  return [...keys].filter((key) => old.get(key) !== current.get(key));
}

/** All that decides about each flag, as a text. */
function fingerprints(document: FlagsDocument | undefined): Map<string, string> {
  const { flags = {}, $evaluators = {}, metadata } = document ?? {};
  const ofSet = JSON.stringify(metadata);
  const prints = new Map<string, string>();
  for (const [key, flag] of Object.entries(flags)) {
    // A flag, then the segments that it refers to, directly or through other segments.
    const texts = [JSON.stringify(flag)];
    const names = new Set<string>();
    for (const text of texts)
      for (const [, name] of text.matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g)) {
        const segment = JSON.parse(name!) as string;
        if (names.has(segment)) continue;
        names.add(segment);
        texts.push(JSON.stringify([segment, $evaluators[segment]]));
      }
    prints.set(key, `${texts.join("\n")}\n${ofSet}`);
  }
  for (const [key, { formflag }] of Object.entries(flags))
    if (formflag?.payloadOf !== undefined) prints.set(key, prints.get(key)! + prints.get(formflag.payloadOf));
  return prints;
}
