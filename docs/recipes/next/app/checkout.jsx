"use client";

import { useFlag } from "@openfeature/react-sdk";

export function Checkout() {
  const { value: isOn } = useFlag("new-checkout", false);
  const { value: payload } = useFlag("new-checkout.payload", { color: "grey" });
  return <p>{isOn ? `the new checkout, in ${payload.color}` : "the old checkout"}</p>;
}
