/** Lint rules of this project that no published plugin has: docs/architecture.md. */

/** The writes of the store's port: only operations of the product call them. */
const WRITES = {
  apply: ["store"],
  insert: ["submissions"],
  delete: ["submissions"],
  clearDeleted: ["submissions"],
  forgetLooseFiles: ["submissions"],
  markRead: ["flags"],
};

const noOptionText = {
  create: (context) => {
    const check = (node, text) => {
      if (/(^|[\s'"`(])--[a-z]{2,}/.test(text))
        context.report({
          node,
          message: "The product names no command-line option: give the error a reason.",
        });
    };
    return {
      Literal: (node) => typeof node.value === "string" && check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked ?? ""),
    };
  },
};

const noStoreWrite = {
  create: (context) => ({
    CallExpression({ callee }) {
      if (callee.type !== "MemberExpression" || callee.object.type !== "MemberExpression") return;
      const slices = WRITES[callee.property.name];
      if (!slices?.includes(callee.object.property.name)) return;
      context.report({ node: callee, message: "Only operations of the product write: call one of them." });
    },
  }),
};

// The linter loads a plugin by its default export.
// oxlint-disable-next-line import/no-default-export
export default {
  meta: { name: "house" },
  rules: { "no-option-text": noOptionText, "no-store-write": noStoreWrite },
};
