import type { Command } from "commander";
import { usage } from "../../session/usage.ts";
import { serveOptions } from "../options.ts";

/** Options that a server which follows another one has no use for. */
const REFUSED: ReadonlySet<string> = new Set([
  "--domain",
  "--forms-listen",
  "--flags-listen",
  "--admin-listen",
  "--dashboard-url",
  "--feedback-rate",
  "--threads",
  "--mcp",
  "--mcp-registration",
  "--audit-days",
  "--audit-file",
]);
const REFUSED_GROUPS: ReadonlySet<string | undefined> = new Set([
  "Dashboard and sign-in:",
  "Mail and targets:",
  "Backups:",
]);

/** Throws `invalid` for an option on the command line that makes no sense for a server that follows another one. */
export function refuseOfSource(command: Command): void {
  const sourceOf = (name: string) => command.getOptionValueSourceWithGlobals(name);
  const isGiven = (name: string) => sourceOf(name) === "cli";
  if (sourceOf("database") === "env")
    throw usage(
      "FORMFLAG_DATABASE_URL does not go with --follow",
      "a server that follows another one has no database: unset the variable, or leave --follow out",
    );
  const place = ["database", "blobs"].find(isGiven);
  const option = serveOptions().find(
    (each) =>
      (REFUSED.has(each.long ?? "") || REFUSED_GROUPS.has(each.helpGroupHeading)) &&
      isGiven(each.attributeName()),
  );
  const name = place === undefined ? option?.long : `--${place}`;
  if (name === "--domain")
    throw usage(
      "--domain does not go with --follow",
      "give a certificate with --tls-cert and --tls-key, or put a proxy in front",
    );
  if (name !== undefined)
    throw usage(
      `${name} does not go with --follow`,
      "a server that follows another one has only flags, in one thread: leave the option out, or give it to the source",
    );
}
