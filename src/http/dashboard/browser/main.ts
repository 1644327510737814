import { listenToChanges } from "./changes.ts";
import { sendForms } from "./forms.ts";
import { obeyKeys } from "./keys.ts";
import { keepTimes } from "./times.ts";
import { addHelpers } from "./helpers.ts";

/** What pages gain where JavaScript runs; all of them work without it. */
document.documentElement.classList.add("scripted");
sendForms();
listenToChanges();
obeyKeys();
keepTimes();
addHelpers();
