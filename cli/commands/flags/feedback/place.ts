import { clock } from "../../../../src/base/clock.ts";
import { type Command, Option } from "commander";
import type { viewFeedback } from "../../../../src/flags/previews/feedback.ts";
import { environmentOption, projectOption } from "../../../session/config.ts";
import type { Input } from "../../../session/input.ts";
import { sinceValue } from "../../../session/values.ts";

/** A stored feedback as the admin API shows it. */
export type FeedbackDetail = ReturnType<typeof viewFeedback>;

/** A flag of a project, and which feedback about it: the parameters `environment` and `since` of a request. */
export type Selected = { project: string; flag: string; query: Record<string, string> };

/** Adds the options that select feedback. */
export function withSelection(command: Command): Command {
  return command
    .argument("[flag]", "slug of the flag")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(
      new Option(
        "--since <time>",
        "only feedback since this time: ISO 8601, or a time before now such as 7d",
      ),
    );
}

/** The feedback that was selected; without an environment, that of all. */
export async function readSelection(input: Input, given: string | undefined): Promise<Selected> {
  const flag = await input.need(given, "flag");
  const { environment, since } = input.options as { environment?: string; since?: string };
  const query: Record<string, string> = {
    ...(environment === undefined ? {} : { environment }),
    ...(since === undefined ? {} : { since: sinceValue(since, "--since", clock.now()) }),
  };
  return { project: await input.project(), flag, query };
}
