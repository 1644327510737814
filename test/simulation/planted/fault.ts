/** A small change to a copy of the product, and the test that has to find it. */
export type PlantedFault = {
  name: string;
  file: string;
  from: string;
  to: string;
  test: "program" | "world" | "statements" | "histories" | "kills";
};
