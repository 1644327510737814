const SCHEMA = {
  type: "object",
  required: ["name", "email", "message"],
  properties: {
    name: { type: "string", maxLength: 100 },
    email: { type: "string", format: "email" },
    message: { type: "string", maxLength: 5000 },
  },
};

const SPAM_CHECKS =
  "--spam-word casino viagra crypto* --spam-email *@spam.example --spam-links 3 --spam-disposable on";
/** The settings of a form that checks everything but duplicates. */
export const CHECKS = ["--schema", JSON.stringify(SCHEMA), ...SPAM_CHECKS.split(" ")];
