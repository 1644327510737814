import { Option } from "commander";

/** The format of `flags import` and `flags export`. */
export function flagdOption(): Option {
  return new Option("--format <format>", "flagd: https://flagd.dev/schema/v0/flags.json")
    .choices(["flagd"])
    .default("flagd");
}
