import { systemCode } from "../src/base/errors.ts";
import { readFileSync } from "node:fs";
import { utf8Text } from "../src/base/bytes.ts";
import { shorten } from "./output/text.ts";

/**
 * Throws `invalid` for an argument of this process that is not UTF-8, which the runtime gives with U+FFFD for what it
 * cannot read. Only Linux shows the bytes of a command line: elsewhere, and without /proc, nothing is refused.
 */
export function requireUtf8(args: readonly string[]): void {
  const words = commandLine().slice(0, -1).slice(-args.length);
  for (const [index, word] of words.entries()) {
    const before = args[index - 1] ?? "";
    const place = before.startsWith("-") ? ` after ${before}` : "";
    utf8Text(Buffer.from(word, "latin1"), `the argument "${shorten(args[index]!, 60)}"${place}`);
  }
}

/** The words of the command line with a character for each byte, of which the last one is empty. */
function commandLine(): string[] {
  if (process.platform !== "linux") return [];
  try {
    return readFileSync("/proc/self/cmdline", "latin1").split("\0");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
