import type { Shown } from "../../errors.ts";
import type { Entered } from "../../../forms/intake/sent.ts";
import type { FilledIn } from "./form.ts";
import { problemOf } from "./problem.ts";

/** Values of a refused submission for the page that shows them again, with their errors. */
export function refusalOf(shown: Shown, { fields, files }: Entered): FilledIn {
  const values = Object.entries(fields()).map(([name, value]): [string, string[]] => [
    name,
    [value].flat().map((each) => (typeof each === "string" ? each : JSON.stringify(each))),
  ]);
  return {
    status: shown.status,
    problem: problemOf(shown),
    values: new Map(values),
    errors: shown.errors ?? [],
    files: files.map(({ field, error }) => ({ field, problem: error && fileProblemOf(error, shown) })),
  };
}

function fileProblemOf({ reason }: { reason: string | null }, { status }: Shown) {
  return problemOf({ status, reason });
}
