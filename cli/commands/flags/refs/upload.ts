import type { CodeReference, Uploaded } from "../../../../src/flags/code/code-reference.ts";
import { CODE_LIMITS } from "../../../../src/flags/limits.ts";
import type { Reference } from "../../../../src/flags/code/refs.ts";
import { codeReferences as operations } from "../../../../src/operations/code-references.ts";
import type { Client } from "../../../session/client.ts";
import { usage } from "../../../session/usage.ts";
import { urlValue } from "../../../session/values.ts";
import type { Taken } from "../../../session/verb.ts";
import { readWorkTree } from "./git.ts";

/** Source of an upload; `prefix` is the path of the scanned folder in the repository. */
export type Source = {
  branch: string;
  projectName: string;
  commit: string | null;
  repositoryUrl: string | null;
  prefix: string;
};

export const UPLOAD_OPTIONS: readonly Taken[] = [
  ["--upload", "store the references in the project, replacing earlier ones for the branch and the name"],
  ["--branch <branch>", "with --upload: the branch (default: the one checked out)"],
  ["--commit <id>", "with --upload: the commit (default: the one checked out)"],
  ["--name <name>", "with --upload: a name for this code, such as the name of the repository"],
  ["--repository-url <url>", "with --upload: the web address of the repository (default: git's origin)"],
];

export type UploadOptions = {
  upload?: true;
  branch?: string;
  commit?: string;
  name?: string;
  repositoryUrl?: string;
};

/** Reads the source of an upload; null without `--upload`. Throws `invalid` if a value is missing. */
export async function readSource(dir: string, options: UploadOptions): Promise<Source | null> {
  const { upload, branch, commit, name, repositoryUrl } = options;
  if (upload === undefined) {
    if (branch ?? commit ?? name ?? repositoryUrl)
      throw usage("--branch, --commit, --name and --repository-url are for an upload", "add --upload");
    return null;
  }
  if (name === undefined)
    throw usage("the name of the code is missing", "give it with --name, such as the name of the repository");
  const tree = await readWorkTree(dir);
  const known = branch ?? tree.branch;
  if (known === null)
    throw usage(
      "the branch is missing, and git has none checked out here",
      'give it with --branch, in a pipeline from its variable: --branch "$GITHUB_REF_NAME"',
    );
  return {
    branch: known,
    projectName: name,
    commit: commit ?? tree.commit,
    repositoryUrl: repositoryUrl === undefined ? tree.repositoryUrl : urlValue(repositoryUrl),
    prefix: tree.prefix,
  };
}

/** Collects references with their lines. */
export type Collector = {
  /** Adds those of one file; `text` has one character a byte. */
  add: (file: string, text: string, references: Reference[]) => void;
  references: () => Record<string, CodeReference[]>;
};

export function createCollector(prefix: string): Collector {
  const bySlug = new Map<string, CodeReference[]>();
  return {
    add(file, text, references) {
      if (references.length === 0) return;
      const [filePath, lines] = [`${prefix}${file}`, text.split("\n")];
      for (const { slug, line: lineNumber } of references) {
        const known = bySlug.get(slug) ?? [];
        bySlug.set(slug, known);
        const last = known.at(-1);
        if (last?.filePath === filePath && last.lineNumber === lineNumber) continue;
        known.push({ filePath, lineNumber, lineContent: contentOf(lines[lineNumber - 1] ?? "") });
      }
    },
    references: () => Object.fromEntries(bySlug),
  };
}

const content = new Uint8Array(CODE_LIMITS.lineContent);

/** A line without its indentation, cut to what an upload takes. */
function contentOf(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString().trim();
  return text.slice(0, new TextEncoder().encodeInto(text, content).read);
}

/** Sends references. Throws what the server does. */
export function sendReferences(
  client: Client,
  project: string,
  { prefix: _prefix, ...source }: Source,
  { references }: Collector,
): Promise<Uploaded> {
  const body = { ...source, references: references() };
  return client.call(operations.upload, { names: { project }, body });
}
