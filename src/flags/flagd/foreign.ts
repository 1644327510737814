const FOREIGN = /^(?:matches|in_cidr|before|after)$/;

/** The operators in a rule, as JSON, that flagd does not have. */
export function foreignOperators(rule: string): Set<string> {
  const names = new Set<string>();
  // Most rules have none of these names, and a text may hold one too.
  if (/"(?:matches|in_cidr|before|after)":/.test(rule))
    JSON.parse(rule, (name) => void (FOREIGN.test(name) && names.add(name)));
  return names;
}
