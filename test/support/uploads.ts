import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { StagedFile } from "../../src/forms/intake/sent.ts";
import { stageText } from "../contracts/blobs.ts";
import type { ClockedApp } from "./app.ts";

/** What stands in the upload directory of an app. */
export function uploadsOf(app: ClockedApp) {
  const uploads = join(app.directory, "uploads");
  const files = () =>
    readdirSync(uploads, { recursive: true, withFileTypes: true }).filter(
      (entry) => !entry.parentPath.endsWith("staging") && entry.isFile(),
    );
  return {
    /** Staged files and notes. */
    staged: () => readdirSync(join(uploads, "staging")),
    /** The keys of kept files. */
    kept: () =>
      files()
        .map(({ name }) => name)
        .toSorted(),
    /** Where a kept file stands. */
    pathOf: (key: string) => {
      const { parentPath, name } = files().find((entry) => entry.name === key)!;
      return join(parentPath, name);
    },
    /** Files of these names, staged; each holds its own name. */
    draftFiles: (...names: string[]): Promise<StagedFile[]> =>
      Promise.all(
        names.map(async (name) => ({
          field: "file",
          name,
          type: "text/plain",
          blob: await stageText(app.blobs, name),
        })),
      ),
  };
}
