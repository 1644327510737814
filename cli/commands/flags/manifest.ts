import { isObject } from "../../../src/base/json.ts";
import type { ManifestFlag } from "../../../src/flags/manifest/manifest.ts";
import { manifest as operations } from "../../../src/operations/manifest/manifest.ts";
import { EXIT, Failed } from "../../exit.ts";
import { saveTo } from "../../output/save.ts";
import { printable, shown } from "../../output/text.ts";
import { parseJson } from "../../session/json.ts";
import { readText } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { verb } from "../../session/verb.ts";

const SCHEMA =
  "https://raw.githubusercontent.com/open-feature/cli/refs/heads/main/schema/v0/flag-manifest.json";

export const addManifestCommand = verb("manifest", {
  description: "write the flags of a project as the manifest of the OpenFeature command line",
  options: [
    "project",
    ["-o, --output <file>", "write it there (default: standard output)"],
    ["--check <file>", "compare a manifest with the project; exit 9 if they differ"],
  ],
  help: `
openfeature generate turns the file into typed code. Flags are sorted by key, without archived ones. The default value
of a flag that is on or off is false; for a flag with variants it is the value of the default variant, if all
environments agree.

Examples:
  formflag flags manifest -p shop -o flags.json
  formflag flags manifest -p shop --check flags.json
`,
  parse: async (input) => {
    const { output, check } = input.options as { output?: string; check?: string };
    if (output !== undefined && check !== undefined) throw usage("-o and --check exclude each other");
    const project = await input.project();
    if (check === undefined) return { project, output: output ?? null, check: null };
    const document = documentIn(await readText(check, "--check"), check);
    const flags = isObject(document) ? document["flags"] : undefined;
    if (!isObject(flags))
      throw usage(`${check} is no manifest`, 'it looks like {"flags":{"key":{"flagType":"boolean",…}}}');
    return { project, output: null, check: { file: check, flags } };
  },
  run: async ({ client, io, config, print, note }, { project, output, check }) => {
    const { flags } = await client.call(operations.get, { names: { project } });
    const entries = new Map(flags.map((flag) => [flag.key, entryOf(flag)]));
    if (check !== null) {
      const differences = differencesOf(entries, check.flags);
      await print(
        { differences },
        differences.length === 0 ? "unchanged\n" : differences.map((each) => `${printable(each)}\n`).join(""),
      );
      if (differences.length > 0) throw new Failed(EXIT.difference);
      return;
    }
    const text = `${JSON.stringify({ $schema: SCHEMA, flags: Object.fromEntries(entries) }, null, 2)}\n`;
    if (output === null) return io.out(text);
    await saveTo(output, { body: new Blob([text]).stream() });
    if (!config.quiet) note(shown`wrote ${entries.size} flags to ${output}\n`);
  },
});

type Entry = { flagType: string; defaultValue: unknown; description: string };

function documentIn(text: string, file: string): unknown {
  try {
    return parseJson(text, file);
  } catch (error) {
    if (error instanceof SyntaxError) throw usage(`${file} is not valid JSON`);
    throw error;
  }
}

function entryOf({ type, defaultValue, description }: ManifestFlag): Entry {
  return { flagType: type, defaultValue, description };
}

/** A line for each flag that one of them lacks, and for each field that differs. */
function differencesOf(entries: ReadonlyMap<string, Entry>, checked: Record<string, unknown>): string[] {
  const keys = [...new Set([...entries.keys(), ...Object.keys(checked)])].toSorted();
  return keys.flatMap((key) => {
    const entry = entries.get(key);
    if (!entry) return [`${key}: the project has no such flag`];
    if (!Object.hasOwn(checked, key)) return [`${key}: the file lacks this flag`];
    const other = isObject(checked[key]) ? checked[key] : {};
    return (["flagType", "defaultValue", "description"] as const).flatMap((field) => {
      const there = field === "description" ? (other[field] ?? "") : other[field];
      if (Bun.deepEquals(entry[field], there)) return [];
      return [
        `${key}: ${field} is ${JSON.stringify(there) ?? "missing"} in the file, ${JSON.stringify(entry[field])} in the project`,
      ];
    });
  });
}
