// Reports the error with which the service would refuse to start as a failed check.

import { check, type ErrorCheckCode, type InstallationCheck } from "../../domain/installation-check.ts";
import { StartError } from "../../kernel/start-error.ts";

/** The result of `examine`, or the failed check `code` with the message of its `StartError`. */
export async function failing(
	code: ErrorCheckCode,
	examine: () => InstallationCheck | InstallationCheck[] | Promise<InstallationCheck[]>,
): Promise<InstallationCheck[]> {
	try {
		return [await examine()].flat();
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		return [check(code, { reason: error.message })];
	}
}
