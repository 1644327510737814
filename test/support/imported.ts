import { type Compiled, compileRules } from "../../src/flags/flagd/compiled.ts";
import { type Context, subjectOf } from "../../src/flags/flagd/evaluate.ts";
import { planImport } from "../../src/flags/flagd/import.ts";
import { convert, type ForeignFormat } from "../../src/flags/importers/importers.ts";
import { type Choice, WrongFile } from "../../src/flags/importers/choice.ts";
import { createPrerequisites } from "../../src/flags/requires/prerequisites.ts";
import { requirementsOf, requirementTerms } from "../../src/flags/requires/requirement.ts";
import { flagRecord } from "./records/records.ts";

/** What flags of another service are for readers once they are imported; `needs` lists what a flag needs, as it is typed. */
export async function imported(format: ForeignFormat, file: unknown, choice: Partial<Choice> = {}) {
  const converted = await convert(format, file, { from: undefined, into: "production", ...choice });
  const { plan } = await planImport(converted.document, new Map());
  const records = plan.flags.map(({ slug, ...values }) => flagRecord(slug, values));
  const bySlug = new Map(records.map((record) => [record.slug, record]));
  const segments = plan.segments.map((each) => ({ ...each, createdAt: 0, updatedAt: 0, revision: 1 }));
  const compiled = compileRules<Compiled>(records, segments, undefined);
  const { evaluates } = createPrerequisites(records, (slug) => compiled.get(slug)?.decide);
  /** Returns the value of a flag for a context; undefined for none, which is the default of a reader. */
  const read = (flag: string, context: Context = {}): unknown => {
    const record = bySlug.get(flag);
    if (!record) throw new Error(`there is no flag ${flag}`);
    const evaluation = evaluates(record)(subjectOf(context), Date.now());
    if ("errorCode" in evaluation) throw new Error(evaluation.errorDetails);
    return evaluation.value;
  };
  const needs = (flag: string) => requirementTerms(requirementsOf(bySlug.get(flag)!.requires));
  return { ...converted, read, needs };
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
