/** What selects an environment, as readers send it. */
export type EnvironmentKeys = { projectKey: string; environmentKey: string };

/** A project, or one environment of it. */
export type TokenPlace = { project: string; environment?: string | undefined };

/** Where an operation acts: without a project on everything. */
export type Reach = { project?: string | undefined; environment?: string | undefined };
