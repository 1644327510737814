import { WITH_JAVASCRIPT } from "../support/pages/dashboard-browser.ts";
import { startFlagServer } from "../support/flag-server.ts";
import { flagFlow } from "./flags.ts";

flagFlow(await startFlagServer(), WITH_JAVASCRIPT);
