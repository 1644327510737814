/** Lazy imports of this folder. In the executable a dependency of all fails without the polyfill. */
const polyfilled = () => import("reflect-metadata");

export async function loadAcme() {
  await polyfilled();
  return import("./acme.ts");
}

export async function loadRenewalInfo() {
  await polyfilled();
  return import("./renewal-info.ts");
}

export async function loadSelfSigned() {
  await polyfilled();
  return import("./self-signed.ts");
}
