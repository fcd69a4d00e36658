// The form of the tables of calls.

import type { Stores } from "../../src/domain/stores.ts";

/** The arguments of each call; a method with several paths is called once per path. Wrong arguments fail at run time. */
export type Calls = {
	readonly [S in keyof Stores]: { readonly [M in keyof Stores[S]]: readonly (readonly unknown[])[] };
};
