import { expect, test } from "bun:test";
import { deskBesideServer } from "../support/tutorials/home.ts";
import { isInNetwork, readPage } from "../support/tutorials/network.ts";
import { stepsOf } from "../support/tutorials/page.ts";
import { typePage } from "../support/tutorials/typist.ts";

const TITLE = "Flags from a pipeline";

if (isInNetwork(import.meta.path, TITLE, {})) {
  test(TITLE, async () => {
    const steps = stepsOf(readPage("tutorials/flags-from-a-pipeline.md"));
    const desk = await deskBesideServer(steps, "shop");
    expect(await typePage(steps, { ...desk, fails: ["formflag diff"] })).toEqual([]);
    // What is typed for the pipeline is what the pipeline runs.
    const [workflow, typed] = ["flags.yml", "FORMFLAG_TOKEN="].map(
      (part) => steps.find((step) => ("name" in step ? step.name === part : step.text.includes(part)))!.text,
    );
    expect(typed).toContain(/- run: (.*)/.exec(workflow!)![1]);
  });
}
