import type { Job } from "../../base/jobs.ts";
import type { LearningApp } from "./learning.ts";

/** The name of the job. */
export const LEARNING_JOB = "learning";

/** The job that reads submissions that people marked, for the filters to learn from. The first of them loads how. */
export function learningJob(app: LearningApp): Job {
  return {
    name: LEARNING_JOB,
    every: 2000,
    runsOnWake: true,
    async run() {
      if ((await app.store.learning.unread(1)).length === 0) return;
      const { learnMarked } = await import("./learning.ts");
      await learnMarked(app);
    },
  };
}
