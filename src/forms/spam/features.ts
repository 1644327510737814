import { addressSpellings } from "../../base/address-spelling.ts";
import { LEARNING } from "../limits.ts";
import { foldText, isJoinedInWord } from "../words.ts";

/**
 * The features of a submission for a filter that learns: words and pairs of adjacent words, parts of addresses, hosts of links,
 * scripts, and the shape of its fields. Returns the hashes of the first `LEARNING.features` of them, each once and none 0,
 * in time linear in the first `LEARNING.characters` of its texts; the rest is not read. `data` is the submission without its
 * control fields, as parsed JSON. Hashes with two salts have nothing in common.
 */
export function featuresOf(data: object, salt: string): Int32Array {
  return read(data, salt, null);
}

/** The texts of some features of a submission, in the order of their hashes. */
export function featureTexts(data: object, salt: string, hashes: readonly number[]): string[] {
  const texts = new Map(hashes.map((hash) => [hash, ""]));
  read(data, salt, texts);
  return [...texts.values()];
}

type Reading = {
  count: number;
  seed: number;
  /** Characters that are still read. */
  left: number;
  /** By their hashes, features whose texts are wanted; null for none, as texts take most of the time. */
  texts: Map<number, string> | null;
};

/** Places for the hashes of one submission, a power of two: those have fewer than half of them. */
const PLACES = 2048;

/**
 * Memory for the submission that is read, which this thread uses again: to allocate it takes longer than to read most texts. Each place
 * has a hash and behind it the number of the reading that it is taken in.
 */
const memory = {
  hashes: new Int32Array(LEARNING.features),
  places: new Int32Array(2 * PLACES),
  reading: 0,
  /** The text that is read, and a 0 behind it. */
  units: new Uint16Array(LEARNING.characters + 1),
};
const bytesOfUnits = Buffer.from(memory.units.buffer);

function read(data: object, salt: string, texts: Map<number, string> | null): Int32Array {
  memory.reading = (memory.reading + 1) | 0;
  const seed = mixed(hashOf(FNV_BASIS, salt));
  const reading: Reading = { count: 0, seed, left: LEARNING.characters, texts };
  readField(reading, "", data);
  return memory.hashes.slice(0, reading.count);
}

function readField(reading: Reading, name: string, value: unknown): void {
  if (reading.left <= 0 || value === null || value === "") return;
  if (typeof value === "object") {
    const isList = Array.isArray(value);
    for (const key in value) readField(reading, isList ? name : key, (value as Record<string, unknown>)[key]);
    return;
  }
  const text = (typeof value === "string" ? value : JSON.stringify(value)).slice(0, reading.left);
  reading.left -= text.length;
  if (text.length <= MAX_ADDRESS && readAddress(reading, text)) return;
  const label = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
  readShape(reading, label, text);
  readText(reading, label, readLinks(reading, text));
}

/** Characters of the name of a field, and of a text that may be an address. */
const [MAX_NAME, MAX_ADDRESS] = [40, 320];

/** Adds the parts of a text that is one mail address; false for another text. */
function readAddress(reading: Reading, text: string): boolean {
  const [address] = addressSpellings(text);
  if (address === undefined) return false;
  const at = address.lastIndexOf("@");
  add(reading, "from:", address.slice(0, at).replaceAll(/\d+/g, "0"), "@");
  readHost(reading, "from:", address.slice(at + 1));
  return true;
}

/** Adds a host and the domains that it is part of, of at most four labels: `a.shop.example`, `shop.example`, `example`. */
function readHost(reading: Reading, prefix: string, host: string): void {
  let from = 0;
  for (let labels = host.split(".").length; labels > 0; labels -= 1) {
    if (labels <= 4) add(reading, prefix, host.slice(from));
    from = host.indexOf(".", from) + 1;
  }
}

const LINK = /\b(?:https?:\/\/|www\.)(?:[^\s/@]{1,100}@)?([^\s/:?#"'<>()[\],;@]{1,253})/gi;

/** Adds the hosts of the links of a text, and returns it without these. */
function readLinks(reading: Reading, text: string): string {
  if (!text.includes("www.") && !(text.includes("/") && text.includes("://"))) return text;
  let count = 0;
  const rest = text.replaceAll(LINK, (_, host: string) => {
    count += 1;
    readHost(reading, "link:", host.toLowerCase());
    return " ";
  });
  if (count > 0) add(reading, `links:${magnitude(count)}`);
  return rest;
}

/** Adds what a field looks like, whatever it says. */
function readShape(reading: Reading, name: string, text: string): void {
  add(reading, "length:", name, `:${magnitude(text.length)}`);
  // Single characters are found in a third of the time.
  const hasSlash = text.includes("/");
  if (hasSlash && (text.includes("</") || text.includes("/>"))) add(reading, "markup:html");
  if (hasSlash && text.includes("[/")) add(reading, "markup:bbcode");
  if (text.includes("!") && (text.endsWith("!") || text.includes("!!"))) add(reading, "exclamation:", name);
}

/** Adds the words of a text, its scripts, and whether most of it is in capitals. */
function readText(reading: Reading, name: string, text: string): void {
  const isAscii = Buffer.byteLength(text) === text.length;
  // One pass: most of the time goes by here.
  const counted = isAscii ? readWords(reading, text) : countLetters(text);
  if (!isAscii) readWords(reading, withKinds(foldText(text).slice(0, LEARNING.characters)));
  const scripts = isAscii ? Math.min(counted.letters, 1) * LATIN : counted.scripts;
  for (let index = 0; scripts >> index > 0; index += 1)
    if (((scripts >> index) & 1) === 1) add(reading, "script:", SCRIPTS[index]);
  if (counted.letters >= 10 && counted.capitals * 2 > counted.letters) add(reading, "capitals:", name);
}

type Letters = { letters: number; capitals: number; scripts: number };

function countLetters(text: string): Letters {
  withKinds(text);
  let letters = 0;
  let capitals = 0;
  let scripts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = KINDS[text.charCodeAt(at)]!;
    if ((kind & LETTER) === 0) continue;
    letters += 1;
    if ((kind & CAPITAL) !== 0) capitals += 1;
    scripts |= 1 << (kind >> SCRIPT_SHIFT);
  }
  return { letters, capitals, scripts };
}

const SCRIPTS = "other Latin Cyrillic Greek Arabic Hebrew Han Hiragana Katakana Hangul Thai Devanagari".split(
  " ",
);

/** Of all but the first, which other characters are in. */
const SCRIPT_PATTERNS = SCRIPTS.slice(1).map((name) => new RegExp(`\\p{Script=${name}}`, "u"));

/** Latin among the scripts, as a set of bits. */
const LATIN = 1 << SCRIPTS.indexOf("Latin");

/** The bits of a kind, above the unit that words are hashed as. */
const [LETTER, CAPITAL, WORD, QUOTE] = [1 << 17, 1 << 18, 1 << 19, 1 << 20];
const [UNIT, KNOWN, LETTER_SHIFT, CAPITAL_SHIFT, SCRIPT_SHIFT] = [0xffff, 1 << 16, 17, 18, 21];

/** The kinds of UTF-16 units: the one that it is hashed as, above it flags, and above these the index of its script. Filled as they occur. */
const KINDS = new Int32Array(0x10000);

/** Fills in the kinds of a text, and returns it. A loop over words that might call this takes twice as long. */
function withKinds(text: string): string {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (KINDS[code] === 0) KINDS[code] = kindOf(String.fromCharCode(code), code);
  }
  return text;
}

function kindOf(character: string, code: number): number {
  const script = SCRIPT_PATTERNS.findIndex((pattern) => pattern.test(character)) + 1;
  const isInWord = isJoinedInWord(code) || SIGNS_IN_WORDS.includes(character);
  // All digits are alike, and letters regardless of case.
  const unit = /\p{N}/u.test(character) ? 0x30 : character.toLowerCase().charCodeAt(0);
  return (
    unit |
    KNOWN |
    (/\p{L}/u.test(character) ? LETTER : 0) |
    (/\p{Lu}/u.test(character) ? CAPITAL : 0) |
    (isInWord ? WORD : 0) |
    (QUOTES.includes(character) ? QUOTE : 0) |
    (script << SCRIPT_SHIFT)
  );
}

/** Signs that are part of words, and those of them that are not at the ends of a word. */
const [SIGNS_IN_WORDS, QUOTES] = ["'-$%£€", "'-"];

// Kinds of ASCII, which most texts are in.
withKinds(String.fromCharCode(...Array(0x80).keys()));

/** The power of two that a count has reached. */
function magnitude(count: number): number {
  return 32 - Math.clz32(count);
}

/** Characters of a word. Longer ones count by their length. */
const MAX_WORD = 40;

/**
 * Adds the words of a text that is in ASCII or folded, and the pairs of them; of scripts without spaces, the pairs of characters. Counts
 * the letters that it reads.
 */
function readWords(reading: Reading, text: string): Letters {
  const { seed } = reading;
  const { units } = memory;
  // Units of a typed array are read in a third of the time of those of a string.
  bytesOfUnits.write(text, "utf16le");
  units[text.length] = 0;
  let before = "";
  let hashBefore = 0;
  let letters = 0;
  let capitals = 0;
  for (let at = 0; at < text.length && reading.count < LEARNING.features;) {
    const code = units[at]!;
    let kind = KINDS[code]!;
    if ((kind & WORD) === 0) {
      // A pair of characters is about a word.
      if (code > LAST_SPACED && units[at + 1]! > LAST_SPACED) add(reading, text.slice(at, at + 2));
      if (code === PERIOD) hashBefore = 0;
      at += 1;
      continue;
    }
    while ((kind & QUOTE) !== 0) kind = KINDS[units[++at]!]!;
    const start = at;
    let end = at;
    let hash = seed;
    let hashToEnd = seed;
    for (; (kind & WORD) !== 0; kind = KINDS[units[++at]!]!) {
      letters += (kind >> LETTER_SHIFT) & 1;
      capitals += (kind >> CAPITAL_SHIFT) & 1;
      hash = Math.imul(hash ^ (kind & UNIT), FNV_PRIME);
      if ((kind & QUOTE) !== 0) continue;
      hashToEnd = hash;
      end = at + 1;
    }
    if (start === end) continue;
    hash = end - start > MAX_WORD ? mixed(hashOf(seed, `long:${magnitude(end - start)}`)) : mixed(hashToEnd);
    const word = reading.texts === null ? "" : text.slice(start, end).toLowerCase();
    addHash(reading, hash, word);
    if (hashBefore !== 0) {
      const pair = reading.texts === null ? "" : `${before} ${word}`;
      addHash(reading, mixed(Math.imul(hashBefore, FNV_PRIME) ^ hash), pair);
    }
    before = word;
    hashBefore = hash;
  }
  return { letters, capitals, scripts: 0 };
}

const [PERIOD, LAST_SPACED] = [0x2e, 0x0dff];

/** Adds a feature by the parts of its text, which are put together only where it is wanted. */
function add(reading: Reading, text: string, more = "", end = ""): void {
  const hash = mixed(hashOf(hashOf(hashOf(reading.seed, text), more), end));
  addHash(reading, hash, reading.texts === null ? "" : text + more + end);
}

function addHash(reading: Reading, hash: number, text: string): void {
  const { hashes, places } = memory;
  if (reading.count === LEARNING.features) return;
  const last = places.length - 1;
  let place = (hash << 1) & last;
  for (; places[place + 1] === memory.reading; place = (place + 2) & last) if (places[place] === hash) return;
  places[place] = hash;
  places[place + 1] = memory.reading;
  hashes[reading.count++] = hash;
  if (reading.texts?.has(hash)) reading.texts.set(hash, text);
}

const [FNV_BASIS, FNV_PRIME] = [0x811c9dc5, 0x01000193];

/** The hash FNV-1a over the UTF-16 units of a text (Fowler, Noll, Vo; RFC 9923); it continues `before`, the hash of a text before it. */
function hashOf(before: number, text: string): number {
  let hash = before;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

/** Spreads the bits of a hash, as the end of MurmurHash3 does; never 0. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (half ^ (half >>> 13)) | 0 || 1;
}
