// The caller of a command: the operating-system user who runs it, as the audit trail names the actor.

import { userInfo } from "node:os";
import type { Caller, Operator } from "../domain/caller.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { systemCode } from "../kernel/start-error.ts";

const NAME_MAX = 100;

/** The actor is `cli:<operating-system user>`; after `sudo`, the user that the command runs as. */
export function cliCaller(tenantId: string): Caller {
	return { tenantId, userId: null, actor: `cli:${osUser()}`, actorName: "", origin: SYSTEM_ORIGIN };
}

/** `cliCaller` with the rights of the first admin: the operator can change the data of the installation anyway. */
export function operatorCaller(tenantId: string): Operator {
	return { ...cliCaller(tenantId), userId: null, roles: ["admin", "platform_admin"], isKey: false };
}

/** The name from the operating system, never from an environment variable; `uid-<number>` without one. */
export function osUser(read: () => { readonly username: string } = userInfo): string {
	try {
		// Names of a directory service may contain any character.
		return read()
			.username.replaceAll(/[\p{C}:]/gu, "_")
			.slice(0, NAME_MAX);
	} catch (error) {
		// A container may run with a uid that its password file does not list.
		if (systemCode(error) !== "ERR_SYSTEM_ERROR") throw error;
		return `uid-${process.getuid?.() ?? "unknown"}`;
	}
}
