import { notDeeper } from "../../base/json-schema.ts";
import { RULE_LIMITS } from "../limits.ts";

export const ruleDepth = notDeeper(RULE_LIMITS.depth, `a rule has at most ${RULE_LIMITS.depth} levels`);
