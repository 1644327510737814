import { WITH_JAVASCRIPT } from "../support/dashboard-browser.ts";
import { signInFlow } from "./sign-in.ts";

signInFlow(WITH_JAVASCRIPT);
