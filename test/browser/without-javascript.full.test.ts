import { WITHOUT_JAVASCRIPT } from "../support/pages/dashboard-browser.ts";
import { startFlagServer } from "../support/flag-server.ts";
import { flagFlow } from "./flags.ts";
import { inboxFlow, openInboxServer } from "./inbox/inbox.ts";
import { releaseFlow } from "./releases.ts";
import { signInFlow } from "./sign-in.ts";

const flags = await startFlagServer();
signInFlow(WITHOUT_JAVASCRIPT);
inboxFlow(await openInboxServer(), WITHOUT_JAVASCRIPT);
flagFlow(flags, WITHOUT_JAVASCRIPT);
releaseFlow(flags, WITHOUT_JAVASCRIPT);
