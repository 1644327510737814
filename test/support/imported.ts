import { type Context, compileFlag, subjectOf } from "../../src/flags/flagd/evaluate.ts";
import type { Converted } from "../../src/flags/importers/draft.ts";
import { convert, type ForeignFormat } from "../../src/flags/importers/importers.ts";
import { type Choice, WrongFile } from "../../src/flags/importers/choice.ts";

/** What flags of another service are for readers once they are imported. */
export async function imported(format: ForeignFormat, file: unknown, choice: Partial<Choice> = {}) {
  const converted = await convert(format, file, { from: undefined, into: "production", ...choice });
  const compiled = new Map<string, Read>();
  const read = (flag: string, context: Context = {}) => {
    const own = compiled.get(flag) ?? readerOf(converted, flag);
    compiled.set(flag, own);
    return own(context);
  };
  return { ...converted, read };
}

/** Returns the value of a flag for a context; undefined for none, which is the default of a reader. */
type Read = (context: Context) => unknown;

function readerOf({ document }: Converted, name: string): Read {
  const flag = document.flags[name];
  if (!flag) throw new Error(`there is no flag ${name}`);
  const { state, ...rules } = flag;
  if (state === "DISABLED") return () => undefined;
  const evaluate = compileFlag(name, rules, new Map(Object.entries(document.$evaluators ?? {})));
  return (context) => {
    const evaluation = evaluate(subjectOf(context));
    if ("errorCode" in evaluation) throw new Error(evaluation.errorDetails);
    return evaluation.value;
  };
}

/** The words with which a file is refused. */
export async function refusalOf(...args: Parameters<typeof imported>): Promise<string> {
  try {
    await imported(...args);
  } catch (error) {
    if (error instanceof WrongFile) return error.message;
    throw error;
  }
  throw new Error("the file was not refused");
}
