/** An error in a flag definition: its place, as a JSON pointer from the flag (RFC 6901), and a message. */
export type Fault = { path: string; message: string };
