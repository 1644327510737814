/** Most bytes of a message to the server. */
export const MAX_MESSAGE = 1024 * 1024;

/** Most bytes of a resource: it cannot be cut. */
export const MAX_RESOURCE = 1024 * 1024;
