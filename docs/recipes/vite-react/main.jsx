import { createRoot } from "react-dom/client";
import { OpenFeature, OpenFeatureProvider, useFlag } from "@openfeature/react-sdk";
import { FormflagWebProvider } from "@formflag/openfeature/web";

const { VITE_FLAGS_URL: url, VITE_FLAGS_KEY: token } = import.meta.env;
const context = { targetingKey: "user-42", email: "ann@example.com" };
await OpenFeature.setProviderAndWait(new FormflagWebProvider({ url, token }), context);

function Checkout() {
  const { value: isOn } = useFlag("new-checkout", false);
  const { value: payload } = useFlag("new-checkout.payload", { color: "grey" });
  return <p>{isOn ? `the new checkout, in ${payload.color}` : "the old checkout"}</p>;
}

createRoot(document.getElementById("root")).render(
  <OpenFeatureProvider>
    <Checkout />
  </OpenFeatureProvider>,
);
