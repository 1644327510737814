/** The schema of a form with a field of each kind, which snippets are made from. */
export const FORM_SCHEMA = {
  required: ["name", "size", "consent", "motto"],
  properties: {
    name: { title: "Your <name>", minLength: 12, maxLength: 14 },
    email: { format: "email" },
    size: { enum: [1, 2] },
    topics: { type: "array", items: { enum: ["it's", "b"] } },
    age: { type: "integer", minimum: 18, description: "In years" },
    "first date": { format: "date" },
    motto: { pattern: "^[A-Z]{3}$", examples: ["ABC"] },
    about: { maxLength: 500 },
    edition: { const: 2027 },
    consent: { const: true },
  },
};
