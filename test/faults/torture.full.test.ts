import { testKills } from "./torture.ts";

/** `npm run torture` sets more. */
testKills(Number(process.env["FORMFLAG_TORTURE_ROUNDS"] || 4));
