import { snapshot } from "@formflag/openfeature/ssr";
import { loadFlags } from "../flags.js";
import { Checkout } from "./checkout.jsx";
import { Flags } from "./flags.jsx";

export const dynamic = "force-dynamic";

export default async function Page() {
  const context = { targetingKey: "user-42", email: "ann@example.com" };
  const flags = await loadFlags();
  const isOn = flags.evaluate("new-checkout", context).value ?? false;
  return (
    <Flags bootstrap={snapshot(flags, context)} context={context}>
      <h1>{isOn ? "The new shop" : "The shop"}</h1>
      <Checkout />
    </Flags>
  );
}
