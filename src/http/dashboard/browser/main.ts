import { listenToChanges } from "./changes.ts";
import { sendForms } from "./forms.ts";
import { addHelpers } from "./helpers.ts";
import { obeyKeys } from "./keys.ts";
import { showCurrent } from "./lists.ts";
import { keepTimes } from "./times.ts";

/** What pages gain where JavaScript runs; all of them work without it. */
document.documentElement.classList.add("scripted");
for (const start of [sendForms, listenToChanges, obeyKeys, keepTimes, addHelpers, showCurrent]) start();
