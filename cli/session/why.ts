import { Option } from "commander";
import { readWhy } from "../../src/access/why.ts";

export function whyOption(): Option {
  return new Option("--why <text>", "why, for the history");
}

/** The reason of `--why`; undefined without. Throws `invalid`. */
export function whyOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : readWhy(text);
}
