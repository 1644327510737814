import { Option } from "commander";
import { readWhy } from "../../src/access/why.ts";

export function whyOption(): Option {
  return new Option("--why <text>", "why, for the history");
}

/** The header for the reason of `--why`; none without. Throws `invalid`. */
export function whyHeader(text: string | undefined): Record<string, string> {
  const why = text === undefined ? undefined : readWhy(text);
  return why === undefined ? {} : { "X-Why": encodeURIComponent(why) };
}
