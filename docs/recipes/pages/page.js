import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { FormflagWebProvider } from "@formflag/openfeature/web";

const provider = new FormflagWebProvider({ url: "http://127.0.0.1:8787", token: "YOUR_BROWSER_KEY" });
OpenFeature.setProvider(provider, { targetingKey: "user-42", email: "ann@example.com" });

const client = OpenFeature.getClient();
const show = () => {
  const isOn = client.getBooleanValue("new-checkout", false);
  const { color } = client.getObjectValue("new-checkout.payload", { color: "grey" });
  document.getElementById("checkout").textContent = isOn
    ? `the new checkout, in ${color}`
    : "the old checkout";
};
show();
OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, show);
