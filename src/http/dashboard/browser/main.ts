import { listenToChanges } from "./changes.ts";
import { sendForms } from "./forms.ts";
import { addHelpers, keepTimes, obeyKeys, showCurrent } from "./helpers.ts";

/** What pages gain where JavaScript runs; all of them work without it. */
document.documentElement.classList.add("scripted");
for (const start of [sendForms, listenToChanges, obeyKeys, keepTimes, addHelpers, showCurrent]) start();
