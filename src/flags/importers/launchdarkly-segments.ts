import { isObject } from "../../base/json.ts";
import { type Draft, type Noting, segmentName, Unsupported } from "./draft.ts";
import { clausesRule, isKeyOneOf, type SegmentRules } from "./launchdarkly-clauses.ts";
import { and, attribute, isInShare, listOf, not, objectOf, or, type Rule, textsOf } from "./logic.ts";

/** Segments by their keys, added to the flags of a file; null for a file without any. */
export function segmentsOf(draft: Draft, segments: Record<string, unknown> | null): SegmentRules {
  if (segments === null) return null;
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [at, key] of Object.keys(segments).entries()) {
    const name = segmentName(key);
    const own = name === "" || taken.has(name) ? `segment-${at}` : name;
    taken.add(own);
    names.set(key, own);
  }
  const rules: NonNullable<SegmentRules> = new Map();
  // A segment may refer to those behind it.
  const notes = new Map([...names.keys()].map((key) => [key, [] as string[]]));
  for (const [key, name] of names)
    rules.set(key, { rule: { $ref: name }, notes: notes.get(key)!, uses: new Set() });
  for (const [key, segment] of Object.entries(segments)) {
    if (!isObject(segment) || segment["deleted"] === true) {
      rules.delete(key);
      continue;
    }
    try {
      const uses = usesOf(segment);
      const rule = segmentRule(key, segment, rules, (_, message) => void notes.get(key)!.push(message));
      rules.set(key, { rule: { $ref: names.get(key)! }, notes: notes.get(key)!, uses });
      draft.addSegment(names.get(key)!, rule);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      rules.set(key, new Unsupported(`the segment ${key}: ${error.message}`));
    }
  }
  return rules;
}

/** The keys of segments that a segment refers to. */
function usesOf({ rules }: Record<string, unknown>): Set<string> {
  const clauses = listOf(rules, "rules").flatMap((each) =>
    isObject(each) ? listOf(each["clauses"], "clauses") : [],
  );
  return new Set(
    clauses.flatMap((each) =>
      isObject(each) && each["op"] === "segmentMatch" ? listOf(each["values"], "values").map(String) : [],
    ),
  );
}

function segmentRule(key: string, segment: Record<string, unknown>, rules: SegmentRules, note: Noting): Rule {
  if (segment["unbounded"] === true) throw new Unsupported("its members are not in the file");
  const listed = (users: string, contexts: string) =>
    or(
      isKeyOneOf("user", textsOf(segment[users], users)),
      ...listOf(segment[contexts], contexts).map((each) => {
        const { contextKind, values } = objectOf(each, contexts);
        return isKeyOneOf(typeof contextKind === "string" ? contextKind : "user", textsOf(values, contexts));
      }),
    );
  const matches = listOf(segment["rules"], "rules").map((each): Rule => {
    const rule = objectOf(each, "a rule");
    const clauses = clausesRule(listOf(rule["clauses"], "clauses"), rules, note);
    const { weight, bucketBy, rolloutContextKind } = rule;
    if (typeof weight !== "number") return clauses;
    const kind = typeof rolloutContextKind === "string" ? rolloutContextKind : "user";
    const by = typeof bucketBy === "string" && bucketBy !== "" ? bucketBy : "key";
    const bucket = kind === "user" ? attribute(by === "key" ? "targetingKey" : by) : attribute(kind, by);
    note("", `the segment ${key} has a share by ${bucket.var}: it is kept, who is in it differs`);
    return and(clauses, isInShare({ by: bucket, salt: `segment ${key}`, flag: "" }, weight / 1000));
  });
  return or(
    listed("included", "includedContexts"),
    and(not(listed("excluded", "excludedContexts")), or(...matches)),
  );
}
