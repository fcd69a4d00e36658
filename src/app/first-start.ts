// What the first start writes to an empty database: the tenant, the first admin, the signing key.

import type { Config } from "../config/config.ts";
import { checkPasswordPolicy, normalizePassword } from "../crypto/password.ts";
import { randomPassword } from "../crypto/random.ts";
import { userTarget } from "../domain/audit.ts";
import { systemCaller } from "../domain/caller.ts";
import { newUser } from "../domain/new-user.ts";
import type { SystemRole } from "../domain/system-role.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import type { Needs } from "../features/platform.ts";
import { AppError } from "../kernel/error.ts";
import { newId } from "../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { StartError } from "../kernel/start-error.ts";
import { createSigningKey } from "./stored-keys.ts";

type Needed = Needs<"tenants" | "users" | "signingKeys" | "audit", "clock" | "secretBox" | "passwords">;

/** `passwordPlain` is set only when it was generated here: show it once. */
export interface FirstAdmin {
	readonly username: string;
	readonly passwordPlain?: string;
}

/**
 * Checks the configured first password against the password policy. Changes nothing.
 *
 * @throws StartError when the policy refuses it.
 */
export function checkFirstAdmin({ admin }: Config): void {
	if (admin.passwordPlain === undefined) return;
	try {
		checkPasswordPolicy(normalizePassword(admin.passwordPlain), admin);
	} catch (error) {
		throw notAcceptable(error);
	}
}

function notAcceptable(error: unknown): unknown {
	if (!(error instanceof AppError)) return error;
	return new StartError(`LATCHKEY_ADMIN_PASSWORD is not acceptable: ${error.message}`, { cause: error });
}

/**
 * Fills an empty database in one transaction, so that an interrupted start leaves it empty. Returns undefined when it
 * is filled already.
 *
 * @throws StartError when the password policy refuses the configured first password.
 */
export async function prepareDatabase(
	config: Config,
	{ db, clock, secretBox, passwords }: Needed,
): Promise<FirstAdmin | undefined> {
	if ((await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG)) !== undefined) return undefined;
	const { username, email, passwordPlain: configured } = config.admin;
	const passwordPlain = await passwords.check(configured ?? randomPassword(), config.admin).catch((error) => {
		throw notAcceptable(error);
	});
	const passwordHash = await passwords.hash(passwordPlain, SYSTEM_ORIGIN.ip);
	const now = clock();
	const tenantId = newId(now);
	const signingKey = await createSigningKey(secretBox, now, now);
	const roles: SystemRole[] = ["admin", "platform_admin"];
	const admin = newUser({ tenantId, username, email: email.toLowerCase(), emailVerified: true, roles }, now);
	await db.transaction(async ({ tenants, users, signingKeys, audit }) => {
		await tenants.insert({
			id: tenantId,
			name: "Default",
			slug: DEFAULT_TENANT_SLUG,
			createdAtMs: now,
			updatedAtMs: now,
		});
		await users.insert({ ...admin, passwordHash });
		await signingKeys.insert(signingKey);
		await audit.append(systemCaller(tenantId), "service.first_started", userTarget(admin), {
			username,
			roles,
			status: admin.status,
		});
	});
	return { username, ...(configured === undefined ? { passwordPlain } : {}) };
}
