import type { Page } from "playwright-core";
import { createUsers, linkFor } from "./pages/dashboard-browser.ts";
import { onData } from "./commands.ts";
import { startServer } from "./executable.ts";

type Environment = { slug: string; key: string };
type Project = { slug: string; key: string; environments: Environment[] };
type Flag = { slug: string; enabled: boolean; payload: unknown; revision: number };

/** A server for tests of flags on pages: users called like their roles, and projects with a locked production. */
export async function startFlagServer() {
  const server = await startServer();
  const cli = onData(server.data);
  await linkFor(server);
  await createUsers(server, "editor", "releaser");
  let projects = 0;

  /** A new project with `develop`, and `production`, which is locked. */
  async function newProject() {
    const slug = `shop-${(projects += 1)}`;
    await cli.json("projects", "create", slug, "--environments", "develop,production");
    await cli.json("environments", "lock", "production", "-p", slug);
    const project = await cli.json<Project>("projects", "get", slug);
    const keyOf = (environment: string) =>
      project.environments.find((each) => each.slug === environment)!.key;
    const pathOf = (environment: string, flag = "checkout") =>
      `${server.url}/dashboard/projects/${slug}/environments/${environment}/flags/${flag}`;
    const set = (environment: string, ...options: string[]) =>
      cli.json(
        "flags",
        "set",
        "checkout",
        "-p",
        slug,
        "-e",
        environment,
        "--confirm",
        "production",
        ...options,
      );
    const get = (environment: string) =>
      cli.json<Flag>("flags", "get", "checkout", "-p", slug, "-e", environment);
    /** What an application reads over OFREP. */
    const evaluate = async (environment: string) => {
      const answer = await fetch(`${server.url}/ofrep/v1/evaluate/flags/checkout`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "x-project-key": project.key,
          "x-environment-key": keyOf(environment),
        },
        body: '{"context":{"targetingKey":"ann"}}',
      });
      return (await answer.json()) as { value: unknown };
    };
    return { slug, page: `${server.url}/dashboard/projects/${slug}`, pathOf, set, get, evaluate };
  }
  return { server, cli, newProject };
}

export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

export type FlagServer = Awaited<ReturnType<typeof startFlagServer>>;
