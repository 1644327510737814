import { Option } from "commander";
import { pinnedTag } from "../../../src/http/flags/page-script.ts";
import { env } from "../../session/env.ts";
import type { Self } from "../../../src/access/me.ts";
import type { Client } from "../../session/client.ts";
import { servedAt } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { verb } from "../../session/verb.ts";

/** Default address of a server. */
const LOCAL = "http://127.0.0.1:8787";

export const addSnippetCommand = verb("snippet", {
  description: "print the tag of flags.js for pages, pinned to the script of this release",
  options: ["project", "environment", new Option("--key <key>", "a browser key of the environment")],
  help: `
A browser key is a token with the scope flags:browser. The address in the tag begins with FORMFLAG_PUBLIC_URL, if it is
set. Otherwise it is that of --server, or of the server that is running on the data directory. Later releases serve the
same bytes at the address in the tag.

Examples:
  formflag flags snippet -p shop -e production --key "$(cat site.key)"
`,
  parse: async (input) => {
    const place = await input.place();
    const { key } = input.options as { key?: string };
    const create = `formflag tokens create site --scope flags:browser -p ${place.project} -e ${place.environment}`;
    if (key === undefined) throw usage("flags snippet needs --key", `${create} makes one`);
    if (!/^ff_[\w-]{43}$/.test(key)) throw usage("--key is not a token of formflag", `${create} makes one`);
    return { ...place, key };
  },
  run: async ({ client, config, io, note, print }, values) => {
    const { key, ...names } = values;
    const { environments } = await import("../../../src/operations/environments.ts");
    await client.call(environments.get, { names });
    await requireBrowserKey(client, values);
    const known = config.server ?? env["FORMFLAG_PUBLIC_URL"] ?? (await servedAt(config));
    const address = known ?? LOCAL;
    if (!URL.canParse(address))
      throw usage("FORMFLAG_PUBLIC_URL is not a web address", "it looks like https://forms.example.com");
    const snippet = await pinnedTag(address.replace(/\/+$/, ""), key);
    if (config.json) await print({ snippet }, "");
    else await io.out(`${snippet}\n`);
    if (known === null)
      note("the address is that of a server on this machine: set FORMFLAG_PUBLIC_URL, or use --server\n");
  },
});

type Values = { project: string; environment: string; key: string };

/** Throws `invalid` for a token that is no browser key of the environment: any reader of the page could use it. */
async function requireBrowserKey(client: Client, { project, environment, key }: Values): Promise<void> {
  const { me } = await import("../../../src/operations/access/me.ts");
  const { value } = await client.send(me.get, { as: key });
  const { scopes = [], projects } = value as Self;
  const create = `formflag tokens create site --scope flags:browser -p ${project} -e ${environment}`;
  if (!scopes.includes("flags:browser"))
    throw usage("--key is a secret token, which no page may show", `${create} makes a key for pages`);
  const [place] = projects ?? [];
  if (place?.slug !== project || !place.environments?.includes(environment))
    throw usage(
      `--key is of ${place?.slug}/${place?.environments?.join()}, not of ${project}/${environment}`,
      `${create} makes one`,
    );
}
