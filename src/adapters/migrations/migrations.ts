// The migrations in order, numbered from 1.

import { initial } from "./0001-initial.ts";

export interface Migration {
	readonly name: string;
	/** Portable SQL, which `Engine.migrationText` translates. */
	readonly sql: string;
}

/** Change the initial schema until the first release. From then on append only: a released migration never changes. */
export const MIGRATIONS: Migration[] = [{ name: "initial-schema", sql: initial }];
