// The caller of a request to a directory.

import type { Caller } from "../../../domain/caller.ts";
import type { PresentedDirectory } from "../../../domain/directory.ts";

/** The issuer, as `directory:<id>`: acts in its own directory only. */
export interface DirectoryCaller extends Caller {
	readonly userId: null;
	readonly directory: PresentedDirectory;
}
