import { testKills } from "./torture.ts";

testKills(1);
