import { AppError } from "../../base/errors.ts";
import { quoted } from "./fields.ts";
import { MAX_FILE_TYPE } from "../limits.ts";

/** Bytes at the beginning of a file that {@link checkFileType} needs; all of a shorter file. */
export const FILE_HEAD_BYTES = 4100;

const EXTENSION = /^(?:\.[a-z0-9_+-]{1,20}){1,2}$/;
/** A media type, or all of one top-level type that IANA registered for files. */
const MEDIA_TYPE =
  /^(?:application|audio|font|image|message|model|text|video)\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,99})$/;

/** Whether a text can be an allowed file type: an extension such as `.pdf`, or `image/*`, or a media type; in lower case. */
export function isTypePattern(text: string): boolean {
  return text.length <= MAX_FILE_TYPE && (EXTENSION.test(text) || MEDIA_TYPE.test(text));
}

/**
 * Checks a file by the extension of its name and its first {@link FILE_HEAD_BYTES}. Throws `unsupported` with the name
 * of the file if its extension is missing or not allowed, or its bytes belong to another type that is not allowed either.
 */
export async function checkFileType(
  fileName: string,
  head: Uint8Array,
  allowed: readonly string[],
): Promise<void> {
  checkExtension(fileName, allowed);
  const extension = extensionOf(fileName)!;
  // Loaded on demand, since its tables take longer than the rest of a small server's start.
  const { extensionsOf, isPlausible } = await import("./file-formats.ts");
  if (isPlausible(head, extension, typeOf(extension))) return;
  // Phones and websites call pictures of any format .jpg.
  const isReal = (real: string) => allowed.some((pattern) => isAllowed(`a.${real}`, real, pattern));
  if (extensionsOf(head).some(isReal)) return;
  if (head.length === 0) throw notAccepted(fileName, "file-content", "it is empty");
  throw notAccepted(
    fileName,
    "file-content",
    `its content is not that of a .${extension} file`,
    "its content does not match its extension",
  );
}

/**
 * Checks only the extension of a file's name, so that a file can be refused before its bytes arrive. A media type
 * stands for the extensions that the runtime's table lists for it. Throws `unsupported`.
 */
export function checkExtension(fileName: string, allowed: readonly string[]): void {
  const extension = extensionOf(fileName);
  if (extension !== null && allowed.some((pattern) => isAllowed(fileName, extension, pattern))) return;
  const some = allowed.slice(0, 10).join(", ");
  const types = allowed.length > 10 ? `${some} and ${allowed.length - 10} more types` : some;
  const why = extension === null ? "it has no extension, and this form takes" : "this form takes";
  throw notAccepted(fileName, "file-type", `${why} ${types}`);
}

function notAccepted(
  fileName: string,
  reason: "file-type" | "file-content",
  why: string,
  plainly = why,
): AppError {
  return new AppError("unsupported", `the file ${quoted(fileName)} is not accepted: ${why}`, {
    reason,
    plain: `a file is not accepted: ${plainly}`,
  });
}

/** The extension in lower case without its dot; null without one, or with nothing before it. */
function extensionOf(fileName: string): string | null {
  return /[^/\\]\.([a-z0-9_+-]{1,20})$/i.exec(fileName)?.[1]!.toLowerCase() ?? null;
}

function isAllowed(fileName: string, extension: string, pattern: string): boolean {
  if (pattern.startsWith(".")) return fileName.toLowerCase().endsWith(pattern);
  const type = typeOf(extension);
  if (pattern.endsWith("/*")) return type.startsWith(pattern.slice(0, -1));
  return plainType(type) === plainType(pattern);
}

/** Types of extensions that the runtime does not know, or knows as something rare. */
const TYPES: Record<string, string> = {
  hif: "image/heif",
  jfif: "image/jpeg",
  pjp: "image/jpeg",
  pjpeg: "image/jpeg",
  jxl: "image/jxl",
  jsonl: "application/jsonl",
  m2ts: "video/mp2t",
  m4b: "audio/mp4",
  mp4a: "audio/mp4",
  rs: "text/x-rust",
  tgz: "application/gzip",
  py: "text/x-python",
  // TypeScript, or video of a camera.
  ts: "application/octet-stream",
  mts: "application/octet-stream",
};

/** The media type of an extension, without parameters. */
function typeOf(extension: string): string {
  if (Object.hasOwn(TYPES, extension)) return TYPES[extension]!;
  return Bun.file(`file.${extension}`).type.split(";")[0]!;
}

/** Other names of types that the runtime's table has, after {@link plainType} has dropped `x-`. */
const ALIASES: Record<string, string> = {
  "image/jpg": "image/jpeg",
  "image/ms-bmp": "image/bmp",
  "image/vnd.microsoft.icon": "image/icon",
  "audio/mp3": "audio/mpeg",
  "audio/m4a": "audio/mp4",
  "audio/wave": "audio/wav",
  "video/avi": "video/msvideo",
  "application/rtf": "text/rtf",
  "application/csv": "text/csv",
  "application/yaml": "text/yaml",
  "application/javascript": "text/javascript",
  "text/xml": "application/xml",
  "application/vnd.rar": "application/rar-compressed",
  "application/zip-compressed": "application/zip",
};

/** One name for a type that has several, such as `audio/x-wav`. */
function plainType(type: string): string {
  const plain = type.replace("/x-", "/");
  return Object.hasOwn(ALIASES, plain) ? ALIASES[plain]! : plain;
}
