import { join } from "node:path";
import { bundleBrowserCode } from "../src/http/dashboard/bundle.ts";
import { KEPT_SCRIPTS, scriptName } from "../src/http/flags/kept-scripts.ts";

/**
 * Keeps the script of pages as it is now, so that later releases answer its pinned address with the same bytes:
 * `bun scripts/keep-script.ts`. A test asks for it when the script has changed.
 */
const text = bundleBrowserCode("flags/script/visit.ts");
const file = join(KEPT_SCRIPTS, `${scriptName(text)}.txt`);
await Bun.write(file, text);
console.log(file);
