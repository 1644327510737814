import { clock } from "../../base/clock.ts";

/** An archive in a bucket; `at` is when it was stored, in milliseconds since 1970. */
export type StoredArchive = { name: string; bytes: number; at: number };

/** The end of a temporary name, with a hash of the machine that it is of. */
export const TEMPORARY = /\.unverified-[0-9a-f]{8}$/;

/** Temporary names of other machines are left alone for so long, in milliseconds. */
const ABANDONED_MS = 86_400_000;

type Own = {
  /** Whether an archive of that name may be one of ours. */
  isOurs: (name: string) => boolean;
  /** The end of the temporary names of this machine. */
  suffix: string;
};

/** The names and the uploads that killed processes left of archives: of this machine, and of others if they are older than a day. */
export function leftoversOf<U extends { name: string; at: number }>(
  all: readonly StoredArchive[],
  uploads: readonly U[],
  { isOurs, suffix }: Own,
): { names: string[]; uploads: U[] } {
  const isAbandoned = (at: number) => clock.now() - at > ABANDONED_MS;
  const isLeft = ({ name, at }: { name: string; at: number }) =>
    TEMPORARY.test(name) && isOurs(name.replace(TEMPORARY, "")) && (name.endsWith(suffix) || isAbandoned(at));
  // The copy of a large archive has its name from the start: that of this machine is beside what it copies.
  const isCopy = ({ name, at }: U) =>
    isOurs(name) && (all.some((each) => each.name === name + suffix) || isAbandoned(at));
  const left = all.filter(isLeft);
  /** Copies that are less than what they were made from, and no older archives of that name. */
  const cut = left.flatMap((temporary) =>
    all.filter(
      ({ name, at, bytes }) =>
        name + suffix === temporary.name && at >= temporary.at && bytes !== temporary.bytes,
    ),
  );
  // Together, as without the temporary name nothing says what the copy is.
  return {
    names: [...cut, ...left].map(({ name }) => name),
    uploads: uploads.filter((each) => isLeft(each) || isCopy(each)),
  };
}
