// What users of the package import. It loads no WebAssembly: the thread does.

export { parseBcryptHash } from "./bcrypt-hash.ts";
export { LANES } from "./lane-layout.ts";
export { LaneThread } from "./lane-thread.ts";
