// `@latchkey/client`: signed calls.

export { createClient, rotateSecret } from "./client.ts";
export { LatchkeyError } from "./error.ts";
export type * from "./operations.ts";
export type { SentInit, SignedFetch } from "./repeating-fetch.ts";
export { type Credentials, type SignOptions, sign } from "./sign.ts";
export { type SignedFetchOptions, signedFetch } from "./signed-fetch.ts";
