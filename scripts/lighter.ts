import type { BunPlugin } from "bun";

/**
 * Imports of dependencies that formflag does not need, by file: the original text and its replacement. `npm run bench
 * -- start` shows the difference.
 */
const LIGHTER: Record<string, [string, string][]> = {
  // Three modules of the runtime that take longer to load than commander itself: two for subcommands that are programs
  // of their own, which formflag does not have, and one for a function that the runtime also has as a built-in.
  "commander/lib/command.js": [
    ["import childProcess from 'node:child_process';", "const childProcess = undefined;"],
    ["import fs from 'node:fs';", "const fs = undefined;"],
    [
      "import { stripVTControlCharacters } from 'node:util';",
      "const { stripANSI: stripVTControlCharacters } = Bun;",
    ],
    // Checks for two options or commands of one name, which the tests run: each compares with all before it, so often
    // that the runtime compiles them, for 5 MB of memory.
    [
      `const matchingOption =
      (option.short && this._findOption(option.short)) ||
      (option.long && this._findOption(option.long));`,
      "const matchingOption = undefined;",
    ],
    [
      `const alreadyUsed = knownBy(command).find((name) =>
      this._findCommand(name),
    );`,
      "const alreadyUsed = undefined;",
    ],
    // Work for each option, done so often that the runtime compiles it, which takes a command longer than the work.
    [
      "return this.options.find((option) => option.is(arg));",
      "for (const option of this.options) if (option.short === arg || option.long === arg) return option;",
    ],
    // Only an option that implies the value of another needs this, which no option of formflag does.
    [
      "const dualHelper = new DualOptions(this.options);",
      `if (this.options.every((option) => option.implied === undefined)) return;
    const dualHelper = new DualOptions(this.options);`,
    ],
  ],
  // Computed up to four times for each option, as often as makes the runtime compile it twice.
  "commander/lib/option.js": [
    [
      `if (this.negate) {
      return camelcase(this.name().replace(/^no-/, ''));
    }
    return camelcase(this.name());`,
      `this._attributeName ??= camelcase(this.negate ? this.name().replace(/^no-/, '') : this.name());
    return this._attributeName;`,
    ],
    // An expression of Unicode, which takes a tenth of a millisecond to compile.
    [
      String.raw`/\p{ID_Continue}\.\.\.[>\]]$/u.test(flags)`,
      String.raw`flags.includes("...") && /\p{ID_Continue}\.\.\.[>\]]$/u.test(flags)`,
    ],
  ],
  "commander/lib/help.js": [
    [
      "import { stripVTControlCharacters } from 'node:util';",
      "const { stripANSI: stripVTControlCharacters } = Bun;",
    ],
  ],
  // Kinds of attestation that name certificates, with the libraries that follow those: passkeys are taken without
  // (`src/access/factors/webauthn.ts`). They would be half a megabyte.
  "@simplewebauthn/server/esm/index.js": [["export * from './services/metadataService.js';", ""]],
  "@simplewebauthn/server/esm/helpers/index.js": [
    ["export * from './getCertificateInfo.js';", ""],
    ["export * from './isCertRevoked.js';", ""],
    ["export * from './validateCertificatePath.js';", ""],
    ["export * from '../metadata/verifyMDSBlob.js';", ""],
  ],
  "@simplewebauthn/server/esm/helpers/verifySignature.js": [
    ["import { convertX509PublicKeyToCOSE } from './convertX509PublicKeyToCOSE.js';", ""],
  ],
  "@simplewebauthn/server/esm/registration/verifyRegistrationResponse.js": [
    ["import { verifyAttestationFIDOU2F } from './verifications/verifyAttestationFIDOU2F.js';", ""],
    [
      "import { verifyAttestationAndroidSafetyNet } from './verifications/verifyAttestationAndroidSafetyNet.js';",
      "",
    ],
    ["import { verifyAttestationTPM } from './verifications/tpm/verifyAttestationTPM.js';", ""],
    ["import { verifyAttestationAndroidKey } from './verifications/verifyAttestationAndroidKey.js';", ""],
    ["import { verifyAttestationApple } from './verifications/verifyAttestationApple.js';", ""],
  ],
  "@simplewebauthn/server/esm/registration/verifications/verifyAttestationPacked.js": [
    ["import { validateCertificatePath } from '../../helpers/validateCertificatePath.js';", ""],
    ["import { getCertificateInfo } from '../../helpers/getCertificateInfo.js';", ""],
    ["import { validateExtFIDOGenCEAAGUID } from '../../helpers/validateExtFIDOGenCEAAGUID.js';", ""],
    ["import { MetadataService } from '../../services/metadataService.js';", ""],
    ["import { verifyAttestationWithMetadata } from '../../metadata/verifyAttestationWithMetadata.js';", ""],
  ],
  // Metrics of Node, and ways of passing metrics on, where a registry alone is used.
  "prom-client/index.js": [
    ["exports.Pushgateway = require('./lib/pushgateway');", ""],
    ["exports.collectDefaultMetrics = require('./lib/defaultMetrics');", ""],
    ["exports.AggregatorRegistry = require('./lib/cluster');", ""],
  ],
  // A validator of what a client answers to questions, which formflag asks none of: it would be half a megabyte.
  "@modelcontextprotocol/server/dist/shimsNode.mjs": [
    [
      'import { n as AjvJsonSchemaValidator } from "./ajvProvider-DyjnscPj.mjs";',
      "class AjvJsonSchemaValidator {}",
    ],
  ],
};

/** The files that the replacements were made in. */
const lightened = new Set<string>();

/** Makes the replacements. */
export const lighter: BunPlugin = {
  name: "lighter",
  setup(build) {
    for (const [file, replacements] of Object.entries(LIGHTER)) {
      const filter = new RegExp(`node_modules/${file.replaceAll(".", "\\.")}$`);
      build.onLoad({ filter }, async ({ path }) => {
        let contents = await Bun.file(path).text();
        for (const [from, to] of replacements) {
          // The dependency has changed: check whether the replacement is still needed.
          if (!contents.includes(from)) throw new Error(`${path} no longer contains ${from}`);
          contents = contents.replace(from, to);
        }
        lightened.add(file);
        return { contents, loader: "js" };
      });
    }
  },
};

/** Throws if a file with replacements was not part of any build. */
export function checkReplacements(): void {
  const stale = Object.keys(LIGHTER).filter((file) => !lightened.has(file));
  if (stale.length > 0) throw new Error(`nothing imports ${stale.join(", ")} any more`);
}
