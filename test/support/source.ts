import { join, relative } from "node:path";
import { API, type Project } from "typescript/unstable/async";
import type { Node, SourceFile } from "typescript/unstable/ast";

const ROOT = join(import.meta.dir, "../..");

/** The source of this project as the compiler of TypeScript sees it. */
export type Source = {
  project: Project;
  /** The files below a folder by their paths from the root. */
  files: (folder: RegExp) => Promise<Map<string, SourceFile>>;
  close: () => Promise<void>;
};

/** Takes some seconds. */
export async function openSource(): Promise<Source> {
  const api = new API({ cwd: ROOT });
  const config = join(ROOT, "tsconfig.json");
  const snapshot = await api.updateSnapshot({ openProjects: [config] });
  const project = snapshot.getProject(config)!;
  return {
    project,
    async files(folder) {
      const paths = (await project.program.getSourceFileNames()).map((name) => relative(ROOT, name));
      const wanted = paths.filter((path) => folder.test(path));
      const read = async (path: string) =>
        [path, (await project.program.getSourceFile(join(ROOT, path)))!] as const;
      return new Map(await Promise.all(wanted.map(read)));
    },
    close: () => api.close(),
  };
}

/** The text of a node, without the space before it. */
export function textOf(node: Node, file: SourceFile): string {
  return file.text.slice(node.pos, node.end).trim();
}

/** The line that a node ends on. */
export function lineOf(node: Node, file: SourceFile): number {
  return file.text.slice(0, node.end).split("\n").length;
}
