import { filetypename } from "magic-bytes.js";

/** Known properties of files with certain extensions. */
type Format = {
  extensions: string;
  /** The signatures that such a file begins with, by their names in magic-bytes.js. */
  signatures: string;
  /** Whether every such file has one of the signatures. */
  always?: boolean;
  /** Whether such a file may be a text. */
  isText?: boolean;
  /** A signature that magic-bytes.js does not know. */
  hasSignature?: (head: Uint8Array) => boolean;
};

const FORMATS: Format[] = [
  { extensions: "png apng", signatures: "png", always: true },
  { extensions: "jpg jpeg jpe jfif pjpeg pjp", signatures: "jpg", always: true },
  { extensions: "gif", signatures: "gif", always: true },
  { extensions: "webp", signatures: "webp", always: true },
  // magic-bytes.js calls a brand that it does not know mp4.
  {
    extensions: "heic heif heics heifs hif avif avifs",
    signatures: "heif avif mp4",
    always: true,
    hasSignature: (head) =>
      /^ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1|avi[fs])/.test(latin1(head.subarray(4), 8)),
  },
  { extensions: "psd psb", signatures: "psd", always: true },
  { extensions: "tif tiff", signatures: "tif tiff" },
  { extensions: "bmp dib", signatures: "bmp" },
  { extensions: "ico", signatures: "ico", always: true },
  { extensions: "pdf", signatures: "pdf", always: true, hasSignature: hasPdfHeader },
  { extensions: "ps eps ai", signatures: "ps pdf", isText: true },
  {
    extensions: "rtf",
    signatures: "rtf",
    always: true,
    hasSignature: (head) => latin1(head, 5) === "{\\rtf",
  },
  {
    extensions:
      "zip jar war ear apk aab aar xpi ipa whl nupkg vsix epub kmz cbz 3mf usdz mxl odt ods odp odg odf odb odc ott ots otp otg vsdx xps oxps",
    signatures: "zip",
    always: true,
  },
  // With a password, Office puts the file in an OLE container.
  {
    extensions: "docx docm dotx dotm xlsx xlsm xlsb xltx xltm xlam pptx pptm potx potm ppsx ppsm",
    signatures: "zip doc",
    always: true,
  },
  // Office opens, and other programs write, newer formats under the old extensions.
  { extensions: "doc dot xls xlt xla ppt pps pot", signatures: "doc zip rtf xml" },
  { extensions: "msg msi vsd pub mpp", signatures: "doc" },
  { extensions: "rar", signatures: "rar", always: true },
  { extensions: "7z", signatures: "7z", always: true },
  { extensions: "gz tgz svgz", signatures: "gz", always: true },
  { extensions: "bz2 tbz2", signatures: "bz2", always: true },
  { extensions: "xz txz", signatures: "xz", always: true },
  { extensions: "tar", signatures: "tar" },
  // An ID3 tag, which magic-bytes.js calls mp3, may be in front of other audio formats.
  { extensions: "mp3 mp2 mpga", signatures: "mp3 wav" },
  { extensions: "aac", signatures: "aac mp3 mp4" },
  { extensions: "flac", signatures: "flac mp3", always: true },
  { extensions: "wav wave", signatures: "wav mp3" },
  { extensions: "aif aiff aifc", signatures: "aiff mp3" },
  { extensions: "mid midi kar", signatures: "mid" },
  { extensions: "ogg oga ogv ogm ogx spx opus", signatures: "ogx ogg oga ogv ogm spx", always: true },
  { extensions: "webm weba mkv mka mks mk3d", signatures: "mkv", always: true },
  { extensions: "mp4 m4v m4a m4b m4p m4r mov qt 3gp 3gpp 3g2 f4v", signatures: "mp4 mov" },
  { extensions: "avi", signatures: "avi" },
  { extensions: "wma wmv asf", signatures: "asf", always: true },
  { extensions: "mpg mpeg mpe vob m2ts", signatures: "mpg mpeg" },
  { extensions: "swf", signatures: "swf" },
  { extensions: "woff", signatures: "woff", always: true },
  { extensions: "woff2", signatures: "woff2", always: true },
  { extensions: "ttf otf ttc", signatures: "ttf otf" },
  { extensions: "sqlite sqlite3", signatures: "sqlite", always: true },
  { extensions: "wasm", signatures: "wasm", always: true },
  {
    extensions: "exe dll com scr sys ocx cpl efi class run",
    signatures: "exe ELF Mach-O class dex",
    isText: true,
  },
];

type Known = Format & { names: string[] };

const BY_EXTENSION = new Map<string, Known>(
  FORMATS.flatMap((format) => {
    const known = { ...format, names: format.signatures.split(" ") };
    return format.extensions.split(" ").map((extension): [string, Known] => [extension, known]);
  }),
);

/** Signatures too short to tell that a file has another format than its extension says. */
const WEAK = new Set(["bmp", "mpg", "mpeg", "xml", "ttf"]);
const STRONG = new Set(
  [...BY_EXTENSION.values()].flatMap(({ names }) => names).filter((name) => !WEAK.has(name)),
);
/** Signatures that are those of one format before others. */
const OWN = new Set(FORMATS.map(({ signatures }) => signatures.split(" ")[0]!));
const PROGRAMS = ["exe", "ELF", "Mach-O", "class", "dex"];
/** Formats that are texts by their bytes, and are no plain text. */
const DOCUMENTS = ["pdf", "rtf"];

/**
 * Whether the first bytes of a file can belong to a file with this extension and media type. True for extensions
 * without a known format.
 */
export function isPlausible(head: Uint8Array, extension: string, type: string): boolean {
  const names = signaturesOf(head);
  const known = BY_EXTENSION.get(extension);
  if (known?.names.some((name) => names.has(name)) || known?.hasSignature?.(head)) return true;
  if (!known && type === "application/octet-stream") return true;
  if (isProgram(names, head)) return false;
  if (known) {
    const isOther = [...names].some((name) => STRONG.has(name));
    return !known.always && !isOther && (known.isText === true || !isText(head));
  }
  if (isTextType(type)) return isTextFile(head, names, type);
  return !(/^(?:image|audio|video|font)\//.test(type) && isHtml(head));
}

/**
 * The extensions of the formats that a file has by its first bytes; empty if they belong to none for certain. A signature
 * that is another format's own, as an ID3 tag is of mp3, is none.
 */
export function extensionsOf(head: Uint8Array): string[] {
  const names = signaturesOf(head);
  const isOwn = (name: string, format: Known) => format.names[0] === name || !OWN.has(name);
  const found = new Set(
    [...BY_EXTENSION.values()].filter(
      (format) =>
        format.hasSignature?.(head) === true ||
        format.names.some((name) => names.has(name) && STRONG.has(name) && isOwn(name, format)),
    ),
  );
  return [...found].flatMap(({ extensions }) => extensions.split(" "));
}

/** A byte order mark is also called `class`, although the files of Java begin in another way. */
function signaturesOf(head: Uint8Array): ReadonlySet<string> {
  const names = new Set(filetypename(head));
  if (names.has("txt")) names.delete("class");
  return names;
}

function isTextFile(head: Uint8Array, names: ReadonlySet<string>, type: string): boolean {
  if (DOCUMENTS.some((name) => names.has(name))) return false;
  if (head.includes(0) && !hasWideMark(head)) return false;
  return !(type === "image/svg+xml" && isHtml(head));
}

function isTextType(type: string): boolean {
  return (
    type.startsWith("text/") ||
    /\+(?:xml|json)$/.test(type) ||
    /^application\/(?:xml|json|jsonl|yaml|toml|javascript|x-sh|x-sql|x-tex|x-subrip|x-httpd-php)$/.test(type)
  );
}

/** The signature of an exe is two letters, with which a text may begin. */
function isProgram(names: ReadonlySet<string>, head: Uint8Array): boolean {
  return PROGRAMS.some((name) => names.has(name)) && !isText(head);
}

/** Whether bytes are a text in ASCII or an extension of it, such as UTF-8: without control characters. True for none. */
function isText(head: Uint8Array): boolean {
  return head.every((byte) => byte >= 0x20 || (byte >= 0x08 && byte <= 0x0d) || byte === 0x1b);
}

/** Whether a text has the byte order mark of UTF-16 or UTF-32, in which letters hold NUL bytes. */
function hasWideMark(head: Uint8Array): boolean {
  const [a, b, c, d] = head;
  return (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (!a && !b && c === 0xfe && d === 0xff);
}

function isHtml(head: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|script)\b/i.test(latin1(head, 1024));
}

/** Readers of PDF accept other bytes before the header (PDF 1.7, implementation note 13). */
function hasPdfHeader(head: Uint8Array): boolean {
  return latin1(head, 1024).includes("%PDF-");
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array, most: number): string {
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, most)).toString("latin1");
}
