import * as fc from "fast-check";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { createEnvironment } from "../../../src/flags/environments.ts";
import { deleteEnvironment, setEnvironment } from "../../../src/projects/environments.ts";
import { deleteProject } from "../../../src/forms/keeping/project-deletion.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { environmentIn, putFlag, valuesIn } from "./model.ts";
import type { Operation } from "./operation.ts";
import { environment, inPlace, project } from "./places.ts";

export const createProjectCalled = (slug: string): Operation => ({
  name: `create project ${slug}`,
  call: () => ({
    run: (app, by) => createProject(app, by, { slug, environments: ["develop", "live"] }),
    request: ["POST", "/projects", { slug, environments: ["develop", "live"] }],
    args: ["projects", "create", slug, "--environments", "develop,live"],
  }),
  expect(model) {
    if (model.projects.has(slug)) return "conflict";
    const environments = ["develop", "live"].map(
      (each) => [each, { locked: false, segments: new Map<string, string>() }] as const,
    );
    model.projects.set(slug, {
      environments: new Map(environments),
      flags: new Map(),
      history: [],
      scheduled: [],
    });
    return "ok";
  },
});

/** Projects, their environments, and tokens. */
export const projectOperations: fc.Arbitrary<Operation>[] = [
  project.map(createProjectCalled),
  fc.constant({
    name: "delete project blog",
    call: () => ({
      run: (app, by) => deleteProject(app, by, "blog"),
      request: ["DELETE", "/projects/blog"],
      args: ["projects", "delete", "blog"],
      confirmed: true,
    }),
    expect: (model) => (model.projects.delete("blog") ? "ok" : "not_found"),
  } satisfies Operation),
  fc.record({ project, environment, from: fc.constantFrom(undefined, "develop") }).map((at) => {
    const input = { slug: at.environment, ...(at.from && { from: at.from }) };
    return {
      name: `create environment ${JSON.stringify(at)}`,
      call: () => ({
        run: (app, by) => createEnvironment(app, by, at.project, input),
        request: ["POST", `/projects/${at.project}/environments`, input],
        args: [
          "environments",
          "create",
          at.environment,
          "-p",
          at.project,
          ...(at.from ? ["--from", at.from] : []),
        ],
      }),
      expect(model) {
        const found = model.projects.get(at.project);
        const source = at.from === undefined ? undefined : found?.environments.get(at.from);
        if (!found || (at.from !== undefined && !source)) return "not_found";
        if (found.environments.has(at.environment)) return "conflict";
        found.environments.set(at.environment, { locked: false, segments: new Map(source?.segments) });
        if (at.from !== undefined)
          for (const [slug, each] of found.flags)
            putFlag(model, found, at.environment, slug, {
              ...valuesIn(each, at.from),
              description: each.description,
            });
        return "ok";
      },
    };
  }),
  fc.record({ project }).map((at) => ({
    name: `delete environment extra of ${at.project}`,
    call: () => ({
      run: (app, by) => deleteEnvironment(app, by, at.project, "extra"),
      request: ["DELETE", `/projects/${at.project}/environments/extra`],
      args: ["environments", "delete", "extra", "-p", at.project],
      confirmed: true,
    }),
    expect(model) {
      const found = environmentIn(model, at.project, "extra");
      if (!found) return "not_found";
      found.project.environments.delete("extra");
      for (const each of found.project.flags.values()) each.values.delete("extra");
      found.project.scheduled = found.project.scheduled.filter((each) => each.environment !== "extra");
      return "ok";
    },
  })),
  fc.record({ project, environment, locked: fc.boolean() }).map((at) => ({
    name: `${at.locked ? "lock" : "unlock"} ${at.project}/${at.environment}`,
    call: () => ({
      run: (app, by) => setEnvironment(app, by, at.project, at.environment, { locked: at.locked }),
      request: ["PATCH", inPlace(at), { locked: at.locked }],
      args: ["environments", at.locked ? "lock" : "unlock", at.environment, "-p", at.project],
    }),
    expect(model) {
      const found = environmentIn(model, at.project, at.environment);
      if (!found) return "not_found";
      found.place.locked = at.locked;
      return "ok";
    },
  })),
  fc.constantFrom("laptop", "pipeline").map((name) => ({
    name: `create token ${name}`,
    call: () => ({
      run: (app, by) => createToken(app, by, { name, scopes: ["read"] }),
      request: ["POST", "/tokens", { name, scopes: ["read"] }],
      args: ["tokens", "create", name, "--scope", "read"],
    }),
    expect(model) {
      if (model.tokens.has(name)) return "conflict";
      model.tokens.add(name);
      return "ok";
    },
  })),
  fc.constantFrom("laptop", "pipeline").map((name) => ({
    name: `revoke token ${name}`,
    call: () => ({
      run: (app, by) => revokeToken(app, by, name),
      request: ["DELETE", `/tokens/${name}`],
      args: ["tokens", "revoke", name],
      confirmed: true,
    }),
    expect: (model) => (model.tokens.delete(name) ? "ok" : "not_found"),
  })),
];
