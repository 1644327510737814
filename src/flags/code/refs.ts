import { PAYLOAD_SUFFIX } from "../limits.ts";

/** The name of a flag in a text, with the number of its line. */
export type Reference = { slug: string; line: number };

/** How often a flag is referred to, and the first places. */
type Referred = { slug: string; references: number; places: { file: string; line: number }[] };

/** Most places listed for a flag. */
const MAX_PLACES = 100;

/** A flag's name in quotes: the first argument of each call or, in Go, the second. */
const NAME = "\\\\?[\"'`]([A-Za-z0-9][A-Za-z0-9._-]{0,149})\\\\?[\"'`]";
/** Text allowed between the name of a function and its first argument: types, and the argument's name. */
const OPEN = String.raw`(?:<[^<>()]{0,100}>)?\(\s{0,200}(?:\w{1,40}\s?[:=]\s?)?`;
/** The calls by which OpenFeature's SDKs evaluate a flag; the group of each is the flag. */
const CALLS = [
  String.raw`\b(?:[gG]et|[fF]etch)_?(?:[bB]ool(?:ean)?|[sS]tring|[nN]umber|[iI]nt(?:eger)?|[lL]ong|[fF]loat|[dD]ouble|[oO]bject|[sS]truct)_?(?:[vV]alue|[dD]etails|Flag)(?:_?[dD]etails)?(?:_?[aA]sync)?${OPEN}${NAME}`,
  String.raw`\buse(?:Suspense|Boolean|String|Number|Object)?Flag(?:Value|Details)?${OPEN}${NAME}`,
  String.raw`\bflagKey=\{?${NAME}`,
  String.raw`\.(?:Boolean|String|Float|Int|Object)(?:Value(?:Details)?)?\(\s{0,200}[\w.]{1,80}(?:\(\))?,\s{0,200}${NAME}\s{0,200},`,
  String.raw`/(?:api/v1|ofrep/v1/evaluate)/flags/([A-Za-z0-9][A-Za-z0-9._-]{0,149})`,
].map((source) => new RegExp(source, "g"));

const URL_PATHS = ["/api/v1/flags/", "/ofrep/v1/evaluate/flags/"];

/**
 * Returns a function that finds references in a text: to the given flags anywhere, and to other names in calls of
 * OpenFeature's SDKs, in paths of the two services, and by `patterns`, whose first group is the flag. A flag matches as
 * a whole word. A flag that may be an ordinary word (see `isDistinct`) matches only in quotes or in a path.
 */
export function createReferenceFinder(
  flags: readonly string[],
  patterns: RegExp[] = [],
): (text: string) => Reference[] {
  const names = new Map(
    flags.flatMap((flag) => [
      [flag, flag],
      [`${flag}${PAYLOAD_SUFFIX}`, flag],
    ]),
  );
  // Indexed by first character and length, which rules out most words without a lookup.
  const shapes = new Uint8Array(SHAPES);
  for (const name of names.keys()) shapes[shapeOf(name.charCodeAt(0), name.length)] = 1;

  return (text) => {
    const references = new Map<number, string>();
    eachWord(text, (start, end) => {
      if (end - start > MAX_WORD || shapes[shapeOf(text.charCodeAt(start), end - start)] === 0) return;
      const word = text.slice(start, end);
      const flag = names.get(word);
      if (flag !== undefined && (isDistinct(word) || isMarked(text, start, end))) references.set(start, flag);
    });
    for (const pattern of [...CALLS, ...patterns]) {
      for (const match of text.matchAll(pattern)) {
        const name = match[1]?.replace(TAIL, "");
        if (name) references.set(match.index + match[0].lastIndexOf(name), names.get(name) ?? name);
      }
    }
    return withLines(
      text,
      [...references].toSorted(([a], [b]) => a - b),
    );
  };
}

const MAX_WORD = 160;
const SHAPES = 256 * 256;
/** Punctuation that belongs to the sentence or path around a name. */
const TAIL = /[._-]+$/;

function shapeOf(first: number, length: number): number {
  return first * 256 + length;
}

/** Calls back for each run of the characters that slugs are made of, from its first letter or digit to its last. */
function eachWord(text: string, use: (start: number, end: number) => void): void {
  let start = -1;
  let end = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at < text.length ? (KINDS[text.charCodeAt(at)] ?? OTHER) : OTHER;
    if (kind === INSIDE) {
      if (start < 0) start = at;
      end = at + 1;
    } else if (kind === OTHER && start >= 0) {
      use(start, end);
      start = -1;
    }
  }
}

const [OTHER, JOINT, INSIDE] = [0, 1, 2];
const KINDS = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return INSIDE;
  return /[._-]/.test(character) ? JOINT : OTHER;
});

/** Whether a name is unlikely to be an ordinary word: eight characters or more, in parts that are joined. */
function isDistinct(word: string): boolean {
  return word.length >= 8 && /[._-]/.test(word);
}

function isMarked(text: string, start: number, end: number): boolean {
  const quote = text[start - 1];
  if (quote === '"' || quote === "'" || quote === "`")
    return text[text[end] === "\\" ? end + 1 : end] === quote;
  return URL_PATHS.some((path) => text.startsWith(path, start - path.length));
}

function withLines(text: string, references: [at: number, slug: string][]): Reference[] {
  let line = 1;
  let lineStart = 0;
  return references.map(([at, slug]) => {
    for (
      let next = text.indexOf("\n", lineStart);
      next !== -1 && next < at;
      next = text.indexOf("\n", lineStart)
    ) {
      line += 1;
      lineStart = next + 1;
    }
    return { slug, line };
  });
}

/** The references in many files. */
export type ReferenceReport = {
  /** Every flag by slug, including those without a reference. */
  flags: Referred[];
  /** Names that are referred to and are not flags, by slug. */
  unknown: Referred[];
};

export function createReferenceReport(flags: readonly string[]): {
  add: (file: string, references: Reference[]) => void;
  report: () => ReferenceReport;
} {
  const empty = (slug: string): Referred => ({ slug, references: 0, places: [] });
  const known = new Map(flags.map((slug) => [slug, empty(slug)]));
  const unknown = new Map<string, Referred>();
  return {
    add(file, references) {
      for (const { slug, line } of references) {
        const referred = known.get(slug) ?? unknown.get(slug) ?? empty(slug);
        referred.references += 1;
        if (referred.places.length < MAX_PLACES) referred.places.push({ file, line });
        if (!known.has(slug)) unknown.set(slug, referred);
      }
    },
    report: () => ({ flags: bySlug(known), unknown: bySlug(unknown) }),
  };
}

function bySlug(referred: Map<string, Referred>): Referred[] {
  return [...referred.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
}
