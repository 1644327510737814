import { type Command, Option } from "commander";
import { usage } from "../../session/usage.ts";

/** The server that this one follows; `insecure` sends it the token over plain HTTP. */
export type FollowSettings = {
  url: string;
  tokenFile: string | null;
  caFile: string | null;
  insecure: boolean;
};

export function relayOptions(): Option[] {
  return [
    new Option(
      "--follow <url>",
      "serve only the flags of this server, which --token-file may read, also while it is away: formflag docs relay",
    ).env("FORMFLAG_FOLLOW"),
  ];
}

/** Throws `invalid`. */
export function readFollow(options: Record<string, unknown>): FollowSettings | null {
  const given = options as Partial<Record<"follow" | "tokenFile" | "caFile", string>> & {
    insecure?: boolean;
  };
  const { follow, tokenFile = null, caFile = null, insecure = false } = given;
  if (follow === undefined) return null;
  if (!/^https?:\/\/[^/]/.test(follow) || !URL.canParse(follow))
    throw usage(`--follow ${follow} is not a web address`, "it looks like https://flags.example.com");
  return { url: follow.replace(/\/+$/, ""), tokenFile, caFile, insecure };
}

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
]);
const REFUSED_GROUPS: ReadonlySet<string | undefined> = new Set([
  "Dashboard and sign-in:",
  "Mail and targets:",
  "Backups:",
]);

/** Throws `invalid` for an option on the command line that makes no sense for a server that follows another one. */
export function refuseOfSource(command: Command, options: readonly Option[]): void {
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(name) === "cli";
  if (command.getOptionValueSourceWithGlobals("database") === "env")
    throw usage(
      "FORMFLAG_DATABASE_URL does not go with --follow",
      "a server that follows another one has no database: unset the variable, or leave --follow out",
    );
  const place = ["database", "blobs"].find(isGiven);
  const option = options.find(
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
