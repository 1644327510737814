import { snapshot } from "@formflag/openfeature/ssr";
import { loadFlags } from "$lib/flags.js";

export async function load() {
  const context = { targetingKey: "user-42", email: "ann@example.com" };
  return { context, bootstrap: snapshot(await loadFlags(), context) };
}
