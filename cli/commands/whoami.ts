import { me } from "../../src/operations/access/me.ts";
import { details } from "../output/text.ts";
import { lone } from "../session/verb.ts";

export const addWhoamiCommand = lone({
  options: ["field"],
  help: "\nExamples:\n  formflag whoami\n  formflag whoami --server https://flags.example.com\n",
  parse: () => {},
  run: async ({ client, config, print }) => {
    const self = await client.call(me.get, {});
    const { name, type, role, scopes, projects, expiresAt } = self;
    const places = (projects ?? []).map(({ slug, role: inProject, environments }): [string, string] => [
      `in ${slug}`,
      [inProject ?? scopes?.join(", "), environments && `(${environments.join(", ")})`]
        .filter(Boolean)
        .join(" "),
    ]);
    const text = details([
      ["name", name],
      ["type", type],
      ["role", role],
      ["scopes", scopes?.join(", ")],
      ["projects", projects === null ? "all" : null],
      ...places,
      ["expires", expiresAt],
      ["server", config.server],
    ]);
    await print(self, text);
  },
});
