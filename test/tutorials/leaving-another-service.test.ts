import { expect, test } from "bun:test";
import { deskBesideServer } from "../support/tutorials/home.ts";
import { isInNetwork, readPage } from "../support/tutorials/network.ts";
import { stepsOf } from "../support/tutorials/page.ts";
import { typePage } from "../support/tutorials/typist.ts";

const TITLE = "Leaving another service";

if (isInNetwork(import.meta.path, TITLE, {})) {
  test(TITLE, async () => {
    const steps = stepsOf(readPage("tutorials/leaving-another-service.md"));
    expect(await typePage(steps, await deskBesideServer(steps, "move"))).toEqual([]);
  });
}
