// What the first start puts into an empty database: the tenant, the first admin, the signing key.

import type { Stores } from "../adapters/sql/stores.ts";
import type { Config } from "../config/config.ts";
import { generateSigningKey } from "../crypto/access-token.ts";
import { checkPasswordPolicy, normalizePassword, type PasswordHasher } from "../crypto/password.ts";
import { randomPassword } from "../crypto/random.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import { signingKeyContext } from "../features/auth/model.ts";
import { DEFAULT_TENANT_SLUG } from "../features/tenants/model.ts";
import type { Clock } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import { newId } from "../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Persistence } from "../kernel/transaction.ts";

export interface FirstStartDeps {
	readonly config: Config;
	readonly clock: Clock;
	readonly db: Persistence<Stores>;
	readonly secretBox: SecretBox;
	readonly passwords: PasswordHasher;
}

/** The first admin; `passwordPlain` only when it was made here and so has to be shown, once. */
export interface FirstAdmin {
	readonly username: string;
	readonly passwordPlain?: string;
}

/**
 * What can be known before anything is made. The password rules need no more than the configuration.
 *
 * @throws StartError when the configured first password is not acceptable.
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

function checkedPassword(
	passwords: PasswordHasher,
	passwordPlain: string,
	{ admin }: Config,
): Promise<string> {
	return passwords.check(passwordPlain, admin).catch((error: unknown) => {
		throw notAcceptable(error);
	});
}

/**
 * Fills an empty database in one transaction, so that a start that is cut short leaves it empty. Undefined when it
 * was filled before.
 *
 * @throws StartError when the configured first password is not acceptable.
 */
export async function prepareDatabase(deps: FirstStartDeps): Promise<FirstAdmin | undefined> {
	const { config, clock, db, secretBox, passwords } = deps;
	if ((await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG)) !== undefined) return undefined;
	const given = config.admin.passwordPlain;
	const passwordPlain = await checkedPassword(passwords, given ?? randomPassword(), config);
	const passwordHash = await passwords.hash(passwordPlain);
	const signingKey = await generateSigningKey();
	const now = clock();
	const tenantId = newId(now);
	const userId = newId(now);
	await db.transaction(async ({ tenants, users, signingKeys, audit }) => {
		await tenants.insert({
			id: tenantId,
			name: "Default",
			slug: DEFAULT_TENANT_SLUG,
			createdAtMs: now,
			updatedAtMs: now,
		});
		await users.insert({
			id: userId,
			tenantId,
			username: config.admin.username,
			email: config.admin.email.toLowerCase(),
			emailVerified: true,
			displayName: "",
			avatarUrl: "",
			status: "active",
			roles: ["admin", "platform_admin"],
			mfaEnabled: false,
			lastLoginAtMs: null,
			createdAtMs: now,
			updatedAtMs: now,
			passwordHash,
		});
		await signingKeys.insert({
			kid: signingKey.kid,
			publicJwk: signingKey.publicJwk,
			privateSealed: secretBox.seal(JSON.stringify(signingKey.privateJwk), signingKeyContext(signingKey.kid)),
			createdAtMs: now,
			signsFromMs: now,
			withdrawnAtMs: null,
		});
		await audit.append({
			tenantId,
			actor: "system",
			action: "service.first_started",
			target: `user:${userId}`,
			origin: SYSTEM_ORIGIN,
			details: { username: config.admin.username, roles: ["admin", "platform_admin"], status: "active" },
		});
	});
	return { username: config.admin.username, ...(given === undefined ? { passwordPlain } : {}) };
}
