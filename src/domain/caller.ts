// The caller of a use case: the tenant it acts in, its identity, and the origin of its request.

import { type Actor, type Origin, SYSTEM_ORIGIN } from "../kernel/origin.ts";
import type { SystemRole } from "./system-role.ts";

/** Created once per request by the guard that admitted it. */
export interface Caller {
	readonly tenantId: string;
	/** The user who acts; null for visitors, API clients, admin keys, and the service itself. */
	readonly userId: string | null;
	/** As audit events name it. */
	readonly actor: Actor;
	/**
	 * The name of the actor at the time of the request, such as a username or a client's name; `""` if `actor` needs no
	 * name or none was read.
	 */
	readonly actorName: string;
	/** The person whose support session it is: audit events name both. */
	readonly onBehalfOf?: Actor;
	readonly origin: Origin;
}

/**
 * A caller with system roles: a person who is signed in (`SignedIn`), an admin key (`KeyCaller`), or the `Operator`.
 */
export interface Administrator extends Caller {
	readonly roles: readonly SystemRole[];
	readonly isKey: boolean;
}

/**
 * The operator of the machine, who acts through the command line: an administrator and platform administrator in person,
 * without an account.
 */
export interface Operator extends Administrator {
	readonly userId: null;
	readonly isKey: false;
}

/** The caller for actions of the service itself, such as those of a job. */
export function systemCaller(tenantId: string, origin = SYSTEM_ORIGIN): Caller {
	return { tenantId, userId: null, actor: "system", actorName: "", origin };
}

/** A caller who is not signed in. */
export function anonymousCaller(tenantId: string, origin: Origin): Caller {
	return { tenantId, userId: null, actor: "anonymous", actorName: "", origin };
}

/** A user who acts without an access token: at sign-in, or with a mailed link or code. */
export function userCaller(
	{ id, tenantId, username }: { readonly id: string; readonly tenantId: string; readonly username: string },
	origin: Origin,
): Caller {
	return { tenantId, userId: id, actor: `user:${id}`, actorName: username, origin };
}
