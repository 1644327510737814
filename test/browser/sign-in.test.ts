import { WITH_JAVASCRIPT } from "../support/pages/dashboard-browser.ts";
import { signInFlow } from "./sign-in.ts";

signInFlow(WITH_JAVASCRIPT);
