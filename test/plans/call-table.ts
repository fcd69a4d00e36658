// The form of the tables of calls.

import type { Stores } from "../../src/domain/stores.ts";

/** Arguments of each call; a method with several ways through it is called once for each. Wrong arguments fail when they run. */
export type Calls = {
	readonly [S in keyof Stores]: { readonly [M in keyof Stores[S]]: readonly (readonly unknown[])[] };
};
