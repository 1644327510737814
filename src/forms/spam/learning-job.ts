import type { Job } from "../../base/jobs.ts";
import type { LearningApp } from "./learning.ts";

/** The job that reads submissions that people marked, for the filters to learn from. The first of them loads how. */
export function learningJob(app: LearningApp): Job {
  return {
    name: "learning",
    every: 2000,
    async run() {
      if ((await app.store.learning.unread(1)).length === 0) return;
      const { learnMarked } = await import("./learning.ts");
      await learnMarked(app);
    },
  };
}
