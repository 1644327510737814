import { type Choice, WrongFile } from "./choice.ts";
import { type Converted, type Draft, Unsupported } from "./draft.ts";

type Importer = (file: unknown, choice: Choice) => Draft;

/** Services whose files become flags, each loaded for its first file. */
const IMPORTERS = {
  flagsmith: async () => (await import("./flagsmith.ts")).fromFlagsmith,
  flipt: async () => (await import("./flipt.ts")).fromFlipt,
  goff: async () => (await import("./goff.ts")).fromGoff,
  growthbook: async () => (await import("./growthbook.ts")).fromGrowthBook,
  launchdarkly: async () => (await import("./launchdarkly.ts")).fromLaunchDarkly,
  unleash: async () => (await import("./unleash.ts")).fromUnleash,
} satisfies Record<string, () => Promise<Importer>>;

export type ForeignFormat = keyof typeof IMPORTERS;

/**
 * Converts flags and segments of another service to a flagd file. Readers get the same values as there, or the flag is
 * in the notes or among the skipped flags. Throws `WrongFile` for a file of another format.
 */
export async function convert(format: ForeignFormat, file: unknown, choice: Choice): Promise<Converted> {
  const importer = await IMPORTERS[format]();
  try {
    return importer(file, choice).finish();
  } catch (error) {
    if (error instanceof Unsupported) throw new WrongFile(error.message);
    if (error instanceof RangeError) throw new WrongFile("its segments are too large");
    throw error;
  }
}
