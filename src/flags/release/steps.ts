/** The readers of a release, their share in percent, and the shares before the last step. */
type Stepped = { who: string; share: number; steps: readonly number[] };

/** The fault of the steps of a release, and the index of the wrong one; undefined if all are well. */
export function findStepsFault(release: Stepped): { message: string; at: number } | undefined {
  const { steps } = release;
  const odd = steps.findIndex((each) => !(each > 0 && each <= 100));
  if (odd >= 0) return { message: "a step is a share above 0 up to 100 %", at: odd };
  const to = stepsOf(release);
  const at = to.findIndex((each, index) => index > 0 && each <= to[index - 1]!);
  if (at < 0) return undefined;
  const [before, step] = [to[at - 1]!, to[at]!];
  return { message: `the steps rise: ${step} % does not follow ${before} %`, at: steps.lastIndexOf(step) };
}

/** All steps of a release, of which the last is the share that was chosen. */
export function stepsOf({ who, share, steps }: Stepped): number[] {
  const last = who === "share" ? share : 100;
  return [...steps.filter((each) => each < last), last];
}
