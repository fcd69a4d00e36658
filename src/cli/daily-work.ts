// Runs a command of daily work on the installation: `users`, `requests`, `clients`, `gates`, `programs`,
// `mail`, `stats`.

import { StartError } from "../kernel/start-error.ts";
import { type Operation, openOperation } from "../ops/manage/operation.ts";
import { withInstallation } from "./installation.ts";

export interface TenantOption {
	/** Slug. */
	readonly tenant: string;
}

export interface ListOptions extends TenantOption {
	readonly limit: string;
}

/** @throws StartError as `withInstallation`, and what `work` throws. */
export function operate(
	{ tenant }: TenantOption,
	work: (operation: Operation) => Promise<void>,
): Promise<void> {
	return withInstallation(async (installation) => work(await openOperation(installation, tenant)));
}

/** @throws StartError (`usage`). */
export function parseLimit({ limit }: ListOptions): number {
	if (/^[1-9]\d{0,5}$/.test(limit)) return Number(limit);
	throw new StartError("--limit must be 1 to 999999", { kind: "usage" });
}

/** @throws StartError (`usage`) for a value that is not in `allowed`. */
export function parseChoice<const T extends string>(
	option: string,
	value: string | undefined,
	allowed: readonly T[],
): T | undefined {
	if (value === undefined) return undefined;
	const known = allowed.find((each) => each === value);
	if (known !== undefined) return known;
	throw new StartError(`${option} ${value} must be one of ${allowed.join(", ")}`, { kind: "usage" });
}
