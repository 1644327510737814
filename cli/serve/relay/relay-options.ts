import { Option } from "commander";

/** The server that this one follows; `insecure` sends it the token over plain HTTP. */
export type FollowSettings = {
  url: string;
  tokenFile: string | undefined;
  caFile: string | undefined;
  insecure: boolean | undefined;
};

export function followOption(): Option {
  return new Option(
    "--follow <url>",
    "serve only the flags of this server, which --token-file may read, also while it is away: formflag docs relay",
  ).env("FORMFLAG_FOLLOW");
}

/** The settings as given: the address is checked where the token is read. */
export function readFollow({ follow, ...given }: Record<string, unknown>): FollowSettings | null {
  const { tokenFile, caFile, insecure } = given as Omit<FollowSettings, "url">;
  return follow === undefined
    ? null
    : { url: (follow as string).replace(/\/+$/, ""), tokenFile, caFile, insecure };
}
