import { NOW } from "../../../support/records/records.ts";
import { HASH } from "../shop.ts";
import type { Call } from "./call.ts";
import { until } from "./submissions.ts";

export const FLAGS = {
  "mark flags read": ({ flags }, { shop }) =>
    flags.markRead([{ environmentKey: shop.environments[0]!.key, slug: "sale", at: NOW }]),
  feedback: ({ feedback }, { shop }, { id }) => {
    const [environment] = shop.environments;
    const given = {
      id,
      projectKey: shop.key,
      environmentKey: environment!.key,
      flag: "sale",
      createdAt: NOW,
    };
    const said = { mood: "HAPPY" as const, rating: 4, description: null, metadata: null };
    return feedback.insert({ ...given, ...said }, until);
  },
  "delete one feedback": ({ feedback }, { feedbackId }) => feedback.delete("shop", feedbackId),
  "delete feedback": ({ feedback }) =>
    feedback.deleteSome({ project: "shop", environment: null, flag: "sale" }, 10),
  "replace code": ({ code }, _, { name }) =>
    code.replace(
      "shop",
      { branch: "main", projectName: "web", repositoryUrl: null, commit: null, uploadedAt: NOW },
      [{ slug: "sale", part: 0, places: JSON.stringify([[name, 1, "x"]]) }],
      2,
    ),
  "add code": ({ code }, _, { name }) =>
    code.replace(
      "shop",
      { branch: name, projectName: "web", repositoryUrl: null, commit: null, uploadedAt: NOW },
      [],
      1,
    ),
  "remove code": ({ code }) => code.remove("shop", { branch: "main", projectName: "web" }),
} satisfies Record<string, Call>;

export const SHARED = {
  count: ({ shared }) => shared!.count(HASH, NOW, 1000),
  "keep a text": ({ shared }, _, { name }) => shared!.keep(HASH, name, NOW + 1),
  "take a text": ({ shared }) => shared!.take(HASH, NOW),
  "claim notes": ({ notes }) => notes.claim(NOW, 10),
  "clear a note": ({ notes }, { noted }) => notes.clear([noted]),
  "forget files": ({ notes }) => notes.forget(["a.1", "b.1"]),
} satisfies Record<string, Call>;

export const READS = {
  "read the setup": ({ setup }) => setup.read(null, true),
} satisfies Record<string, Call>;
