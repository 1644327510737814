/** What a rule may yield, with its place in it: the name of a variant, null for the default, undefined if unknown. */
export type Result = { path: string; variant: string | null | undefined };

/** Every result of a rule without references, as far as `if` and `fractional` show it. */
export function resultsOf(rule: unknown, path = ""): Result[] {
  if (rule === null || rule === undefined) return [{ path, variant: null }];
  // flagd uses the text of a number, true or false as the name of a variant.
  if (typeof rule === "string" || typeof rule === "number" || typeof rule === "boolean")
    return [{ path, variant: String(rule) }];
  const [[operation, args] = [], ...more] = Array.isArray(rule) ? [] : Object.entries(rule);
  if (more.length > 0 || !Array.isArray(args)) return [{ path, variant: undefined }];
  const within = (step: string, result: unknown) => resultsOf(result, `${path}/${operation}/${step}`);
  if (operation === "if") return branchesOf(args).flatMap(([index, branch]) => within(`${index}`, branch));
  if (operation === "fractional")
    return sharesOf(args).flatMap(([index, variant]) => within(`${index}/0`, variant));
  return [{ path, variant: undefined }];
}

type Argument = [index: number, argument: unknown];

/** The branches of an `if` that can be taken; its arguments are condition, value, condition, value, …, else. */
function branchesOf(args: unknown[]): Argument[] {
  const branches: Argument[] = [];
  for (let at = 0; ; at += 2) {
    const [condition, value] = [args[at], args[at + 1]];
    if (value === undefined) return [...branches, [at, condition ?? null]];
    if (condition !== false) branches.push([at + 1, value]);
    if (condition === true) return branches;
  }
}

/** The buckets `[variant, weight]` of a `fractional` with a weight other than 0; its first argument may be the bucketing value. */
function sharesOf(args: unknown[]): Argument[] {
  return args.flatMap((bucket, index): Argument[] =>
    Array.isArray(bucket) && bucket[1] !== 0 ? [[index, bucket[0] as unknown]] : [],
  );
}
