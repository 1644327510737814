/** The software bill of materials of a release, from package-lock.json. */

/** The part of package-lock.json in use: packages by the folder they are installed in. */
export type Lock = { packages: Record<string, Locked> };
type Locked = {
  version?: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  /** For a tool of development that a library could use too, as its optional peer, which is not in the executable. */
  devOptional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

type Manifest = { name: string; version: string; license: string; description: string };

/**
 * A CycloneDX 1.6 document: every package of production, the Bun that runs them, and within it the builds of Bun
 * (`runtimes`, by package name) that the executables were made from. The same input gives the same document. Throws if
 * the lock lacks a version, license or hash. (`npm sbom --omit dev` loses a package that a development tool uses too.)
 */
export function sbom(
  lock: Lock,
  { manifest, date, runtimes }: { manifest: Manifest; date: Date; runtimes: string[] },
) {
  const isUsed = ({ dev, devOptional }: Locked) => dev !== true && devOptional !== true;
  const used = Object.keys(lock.packages).filter((folder) => folder !== "" && isUsed(lock.packages[folder]!));
  const refOf = (folder: string) => purl(nameOf(folder), lock.packages[folder]!);
  const component = (folder: string, type: "library" | "platform") => {
    const { version, license, integrity } = lock.packages[folder] ?? {};
    if (!version || !license || !integrity?.startsWith("sha512-"))
      throw new Error(`package-lock.json lacks the version, license or sha512 of ${folder}`);
    return {
      type,
      "bom-ref": refOf(folder),
      name: nameOf(folder),
      version,
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }],
      // An identifier of the SPDX list, or several joined by OR and AND.
      licenses: license.includes(" ") ? [{ expression: license }] : [{ license: { id: license } }],
      purl: refOf(folder),
    };
  };
  const bun = "node_modules/bun";
  const self = `pkg:generic/${manifest.name}@${manifest.version}`;
  const dependsOn = (folder: string) => {
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[folder]!;
    const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).map(
      (name) => find(lock, folder, name),
    );
    return installed.filter((each) => each !== undefined && used.includes(each)).map((each) => refOf(each!));
  };
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: date.toISOString(),
      lifecycles: [{ phase: "build" }],
      component: {
        type: "application",
        "bom-ref": self,
        name: manifest.name,
        version: manifest.version,
        description: manifest.description,
        licenses: [{ license: { id: manifest.license } }],
        purl: self,
      },
    },
    components: [
      ...used.map((folder) => component(folder, "library")),
      {
        ...component(bun, "platform"),
        components: runtimes.map((name) => component(`node_modules/${name}`, "platform")),
      },
    ],
    dependencies: [
      { ref: self, dependsOn: [...dependsOn(""), refOf(bun)] },
      ...used.map((folder) => ({ ref: refOf(folder), dependsOn: dependsOn(folder) })),
    ],
  };
  return { ...document, serialNumber: `urn:uuid:${Bun.randomUUIDv5(JSON.stringify(document), "url")}` };
}

/** `node_modules/a/node_modules/@b/c` holds `@b/c`. */
function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** A package URL: https://github.com/package-url/purl-spec. */
function purl(name: string, { version }: Locked): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The folder whose package `name` means in `folder`, as Node resolves it; undefined if it is not installed. */
function find(lock: Lock, folder: string, name: string): string | undefined {
  const here = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
  if (lock.packages[here]) return here;
  return folder === ""
    ? undefined
    : find(lock, folder.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, ""), name);
}
