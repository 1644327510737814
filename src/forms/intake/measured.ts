/** A visitor to count: an exposure to a variant by its number, or with null only conversions, by the bits of their metrics. */
export type Measured = {
  measurement: number;
  /** 64 bits as hex. */
  visitor: string;
  variant: number | null;
  metrics: number;
};

/** A visitor of an environment, by the pseudonym of a `targetingKey`. */
export type Visitor = { environmentKey: string; pseudonym: string };

/** Port for counting what visitors do. Forms do not know who counts. */
export type MeasuringPort = {
  /** The conversions of a visitor who sends a form, to store with the submission; at once if they are in memory. */
  conversions(formKey: string, visitor: Visitor): readonly Measured[] | Promise<readonly Measured[]>;
  /** Takes the visitor with a `targetingKey` out of every count that has visitors. */
  forget(targetingKey: string): Promise<void>;
};
