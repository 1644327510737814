import { UNVERIFIED } from "../../data/backups.ts";
import { formatNamed } from "../../output/save.ts";
import { usage } from "../../session/usage.ts";
import type { Open } from "./archive.ts";

/** The place of an archive that is made. */
export type Target = {
  /** The path to write to, or - for standard output. */
  file: string;
  /** The place as the user knows it. */
  shown: string;
  recipients: string[];
  /** Whether the archive is read before it gets its name. */
  isVerified: boolean;
  /** Takes the whole file to where it belongs. */
  publish: () => Promise<void>;
};

/** The ends of names of files that are compressed by other programs. */
const COMPRESSORS = { zst: "zstd", xz: "xz", bz2: "bzip2", zip: "zip" } as const;
const COMPRESSED = Object.keys(COMPRESSORS) as (keyof typeof COMPRESSORS)[];

/** The end of the name of an archive. */
export function endOf(recipients: string[]): string {
  return recipients.length > 0 ? ".tar.age" : ".tar";
}

/** Throws `invalid` for the name of an encrypted archive that is not to be encrypted, and the reverse. */
export function refuseName(output: string, recipients: string[]): void {
  const compressed = formatNamed(output, COMPRESSED);
  if (compressed !== undefined) {
    const plain = output.replace(/(\.tar)?\.\w+$/, ".tar");
    throw usage(
      `the archive is a tar file, plain or in gzip, which ${output} would not look like`,
      `name it ${plain} or ${plain}.gz, or compress it on the way: formflag backup create -o - | ${COMPRESSORS[compressed]} > ${output}`,
    );
  }
  const isEncrypted = formatNamed(output.replace(UNVERIFIED, ""), ["age"]) !== undefined;
  if (output === "-" || isEncrypted === recipients.length > 0) return;
  throw isEncrypted
    ? usage(`${output} is a name for an encrypted archive`, "add --backup-recipient with a public key")
    : usage(`the archive is encrypted, and ${output} does not look like it`, `name it ${output}.age`);
}

/** An archive as it is written, and what decrypts it again in this process; null for one in the clear. */
export async function encryptedFor(
  recipients: string[],
  plain: ReadableStream<Uint8Array>,
): Promise<{ bytes: ReadableStream<Uint8Array>; open: Open | null }> {
  if (recipients.length === 0) return { bytes: plain, open: null };
  const { decrypt, encrypt } = await import("../../../src/maintenance/encryption/age.ts");
  const { encrypted, opener } = await encrypt(recipients, plain);
  return { bytes: encrypted, open: (bytes) => decrypt([opener], "this process", bytes) };
}
