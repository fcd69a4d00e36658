// The migrations in order, numbered from 1.

import { initial } from "./0001-initial.ts";

export interface Migration {
	readonly name: string;
	/** Portable SQL, which `Engine.migrationText` translates. */
	readonly sql: string;
}

/**
 * The version before this one. Its nodes, and later ones, keep working while the newest migrations are applied; a test
 * compares it with the changelog.
 */
export const PREVIOUS_VERSION = "0.2.0";

/** Append only: a released migration never changes. */
export const MIGRATIONS: Migration[] = [{ name: "initial-schema", sql: initial }];
