import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, test } from "bun:test";
import { readCommands } from "../scripts/commands.ts";
import { generatedPages } from "../scripts/docs.ts";
import { AUDITED } from "../src/access/audit/entry.ts";
import { webhookJsonSchema } from "../src/forms/webhook-schema.ts";

const ROOT = join(import.meta.dir, "..");
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ...markdownIn("docs")];

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => join(folder, name));
}

/** Words of texts about `formflag docs` itself, behind it. */
const VERBS = new Set(["lists", "shows", "holds", "or"]);

function read(page: string): Promise<string> {
  return Bun.file(join(ROOT, page)).text();
}

test("the page about the audit log names every action as it is written, and no other", async () => {
  const rows = (await read("docs/guides/audit.md")).match(/^\| `.*$/gm)!.join("\n");
  const named = [...rows.matchAll(/`([a-z-]+\.[a-z]+)`/g)].map(([, action]) => action!);
  const actions = Object.entries(AUDITED).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}.${verb}`));
  expect([...new Set(named)].toSorted()).toEqual(actions.toSorted());
});

describe("the generated page", () => {
  test.each([
    "reference/cli.md",
    "reference/settings.md",
    "reference/limits.md",
    "reference/api.md",
    "llms.txt",
  ])("%s is as npm run docs writes it", async (name) => {
    expect(await read(`docs/${name}`)).toBe((await generatedPages())[name]!);
  });
});

test.each(PAGES.filter((page) => page !== "README.md"))(
  "%s says in its first line who it is for",
  async (page) => {
    const first = /^# .+\n\n(.+)$/m.exec(await read(page))?.[1];
    expect(first).toMatch(/^For [a-z]/);
  },
);

/** Pages that scripts write: `npm run docs`, `bench` and `conformance`. */
const GENERATED = /^docs\/reference\/(?:cli|settings|limits|api|figures|conformance)\.md$/;

/** What a person who reads everything can finish: the words, with a letter or a digit, of all pages that are written by hand. */
const MOST_WORDS = 55_000;

test(`pages by hand have at most ${MOST_WORDS} words`, async () => {
  const texts = await Promise.all(PAGES.filter((page) => !GENERATED.test(page)).map(read));
  const words = texts.reduce(
    (sum, text) => sum + text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    0,
  );
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
});

test("the schema of webhooks is as npm run schema writes it", async () => {
  expect(JSON.parse(await read("docs/reference/webhook.schema.json"))).toEqual(webhookJsonSchema());
});

test("the conformance of providers was tried with their present versions", async () => {
  const { devDependencies } = (await Bun.file(join(ROOT, "package.json")).json()) as {
    devDependencies: Record<string, string>;
  };
  const page = await read("docs/reference/conformance.md");
  const tried = [...page.matchAll(/^\| `(@[^`]+)` *\| ([\d.]+) *\|$/gm)];
  expect(tried).toHaveLength(5);
  for (const [, name, version] of tried) expect([name, devDependencies[name!]]).toEqual([name, version]);
  expect(page).not.toContain("**failed");
  const { sdk, results } = JSON.parse(await read("docs/reference/conformance.json")) as {
    sdk: { name: string; version: string };
    results: { location: string; digest: string };
  };
  expect(sdk.version).toBe(devDependencies[sdk.name]!);
  const report = await read(`docs/reference/${results.location}`);
  expect(results.digest).toBe(`sha256:${new Bun.CryptoHasher("sha256").update(report).digest("hex")}`);
  expect(report).not.toContain("<failure");
});

/** Without code, in which brackets and signs have another meaning. */
function prose(markdown: string): string {
  return markdown.replaceAll(/^( *)```.*\n[^]*?^\1```$/gm, "");
}

function linksIn(markdown: string): string[] {
  const text = prose(markdown).replaceAll(/`[^`\n]*`/g, "");
  const inline = [...text.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map((match) => match[1]!);
  const tags = [...text.matchAll(/<(?:a|img|source)\b[^>]*\b(?:href|src|srcset)="([^"]+)"/g)];
  return [...inline, ...tags.map((match) => match[1]!)].filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors that GitHub gives to headings. */
function anchorsIn(markdown: string): Set<string> {
  const counts = new Map<string, number>();
  const headings = [...prose(markdown).matchAll(/^#{1,6} +(.+)$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) => {
      const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
      const anchor = text.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

/** The calls of the executable in blocks of commands, without what is quoted in them. */
function callsIn(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^( *)```sh\n([^]*?)^\1```$/gm)].map((match) => match[2]!);
  const lines = blocks
    .join("\n")
    .replaceAll("\\\n", " ")
    .replaceAll(/'[^']*'/g, "QUOTED");
  return [...lines.matchAll(/(?:^ *|[|(] *|-u formflag |exec formflag \/)formflag +([^|()\n]+)/gm)].map(
    (match) => match[1]!,
  );
}

describe("commands in blocks of code", () => {
  test.each(PAGES)("of %s exist, with their options", async (page) => {
    const [program, ...commands] = await readCommands();
    const unknown: string[] = [];
    for (const call of callsIn(await read(page))) {
      const named = commands.findLast(({ name }) => `${call} `.startsWith(`${name} `));
      const byDefault = /\[(\w+)\]/.exec(named?.hasSubcommands ? named.usage : "")?.[1];
      const command = commands.find(({ name }) => name === `${named?.name} ${byDefault}`) ?? named;
      const options = [...(command?.options ?? []), ...program.options];
      const flags = new Set(options.flatMap((option) => option.flags.split(/[ ,]+/)));
      const given = call.match(/(?<= )--?[a-z][\w-]*/g) ?? [];
      if (!command || command.hasSubcommands || given.some((flag) => !flags.has(flag))) unknown.push(call);
    }
    expect(unknown).toEqual([]);
  });
});

/** Paths of this repository between backticks; of "`test/binary/slow.test.ts`, `tls.test.ts`" the first. */
function pathsIn(markdown: string): string[] {
  const quoted = prose(markdown).matchAll(/`((?:src|cli|test|scripts|docs)\/[\w./-]*)`/g);
  return [...quoted].map((match) => match[1]!);
}

describe("files of the repository that are named", () => {
  test.each(PAGES)("in %s exist", async (page) => {
    const paths = pathsIn(await read(page));
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test("settings in the compose file exist", async () => {
  const settings = await read("docs/reference/settings.md");
  const names = (await read("docs/compose/scale-out.yaml")).match(/\b(?:FORMFLAG|AWS)_\w+/g) ?? [];
  expect(names).toContain("FORMFLAG_DATABASE_URL");
  expect(names.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
});

describe("links", () => {
  test("anchors are those of GitHub", () => {
    const markdown = "# One `two`: three's\n## A/B_c\n## A/B_c\n```\n# none\n```\n### [x](y.md) (z)\n";
    expect([...anchorsIn(markdown)]).toEqual(["one-two-threes", "ab_c", "ab_c-1", "x-z"]);
  });

  test.each(PAGES)("of %s lead to files and headings that exist", async (page) => {
    const broken: string[] = [];
    for (const link of linksIn(await read(page))) {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? page : relative(ROOT, join(ROOT, dirname(page), file));
      const exists = existsSync(join(ROOT, target));
      if (!exists || (anchor !== undefined && !anchorsIn(await read(target)).has(anchor))) broken.push(link);
    }
    expect(broken).toEqual([]);
  });

  test("every page is in the index, which is short, and the README leads to it", async () => {
    const index = await read("docs/README.md");
    expect(index.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
    const linked = linksIn(index).map((link) => join("docs", link.split("#")[0]!));
    for (const page of PAGES.filter((page) => page !== "docs/README.md")) expect(linked).toContain(page);
    expect(linksIn(await read("README.md"))).toContain("docs/README.md");
  });

  test("pages that texts of the program name exist", async () => {
    const pages = new Set(PAGES.map((page) => basename(page, ".md").toLowerCase()));
    const unknown: string[] = [];
    for (const file of new Bun.Glob("{src,cli}/**/*.{ts,tsx}").scanSync(ROOT))
      for (const [, named = ""] of (await read(file)).matchAll(
        /formflag docs ([a-z][a-z-]+(?:, [a-z-]+)*(?: and [a-z-]+)?)/g,
      ))
        if (named.split(/, | and /).some((name) => !pages.has(name) && !VERBS.has(name)))
          unknown.push(`${file}: ${named}`);
    expect(unknown).toEqual([]);
  });
});
