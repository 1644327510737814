/** Loads the client of authorities. In the executable a dependency of it fails without the polyfill. */
export async function loadAcme() {
  await import("reflect-metadata");
  const [client, info] = await Promise.all([import("./acme.ts"), import("./renewal-info.ts")]);
  return { ...client, ...info };
}

/** Loads what makes a certificate without an authority. */
export async function loadSelfSigned() {
  await import("reflect-metadata");
  return import("./self-signed.ts");
}
