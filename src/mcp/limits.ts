/** Bytes of a message to the MCP server. Beyond: 413. */
export const MAX_MESSAGE = 1024 * 1024;

/** Bytes of an MCP resource. Beyond: an error. It cannot be cut. */
export const MAX_RESOURCE = 1024 * 1024;
