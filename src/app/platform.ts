// Builds the platform of the features from the configuration and the open installation.

import { createDoctorProcess } from "../adapters/processes/doctor-process.ts";
import { checkIntegrity, createIntegrityWatch } from "../adapters/sqlite/sqlite-integrity.ts";
import type { Config } from "../config/config.ts";
import { createAccessTokens, type KeySource } from "../crypto/access-token.ts";
import { createApiTokenReader, createSupportTokens } from "../crypto/api-token.ts";
import { createCodeBox } from "../crypto/code-box.ts";
import { createGateStatements } from "../crypto/gate-statement.ts";
import { type BrandTexts, UNSET_BRAND } from "../domain/brand.ts";
import { GateSample } from "../domain/gate-sample.ts";
import type { HealthCheck } from "../domain/health-check.ts";
import type { InstallationCheck } from "../domain/installation-check.ts";
import type { ActorRecorder } from "../domain/oauth-actor.ts";
import type { ProviderGateway } from "../domain/provider-gateway.ts";
import { ACCESS_TOKEN_SECONDS } from "../domain/session.ts";
import type { Db } from "../domain/stores.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import { createAuthKeys } from "../features/identity/auth/auth-keys.ts";
import { PasswordAttempts } from "../features/identity/auth/password-attempts.ts";
import { createOpenIdRules } from "../features/identity/oauth/openid-rules.ts";
import { findBrowserSession } from "../features/identity/steps/find-presented-session.ts";
import type { Platform } from "../features/platform.ts";
import { createAddressRule } from "../kernel/address-rule.ts";
import { type Clock, MINUTE_MS } from "../kernel/clock.ts";
import type { Cidr } from "../kernel/ip.ts";
import { createIdTokenKeys, type IdTokenKeyRing } from "./id-token-keys.ts";
import { databaseFile } from "./installation-place.ts";
import { createOpenId } from "./openid.ts";
import { openDerivation } from "./stored-keys.ts";
import { VERSION } from "./version.ts";

type PlatformParts = Pick<
	Platform,
	| "db"
	| "secretBox"
	| "passwords"
	| "clock"
	| "log"
	| "providers"
	| "programDocuments"
	| "readTxt"
	| "checks"
	| "isStopping"
	| "wakeMail"
	| "previewMail"
	| "isWebhookAddress"
	| "signIns"
	| "statistics"
	| "refusals"
> & {
	readonly signingKeys: KeySource;
	readonly idTokenKeyRing: IdTokenKeyRing;
	readonly actors: ActorRecorder;
};

export function installationBrand({ brand, mailFrom: { name, address } }: Config): BrandTexts {
	return { ...UNSET_BRAND, ...brand, senderName: name, senderAddress: address };
}

/** @throws StartError when the master key does not open the root of the derived keys. */
export async function createPlatform(config: Config, parts: PlatformParts): Promise<Platform> {
	const { db, secretBox, passwords, clock, log, signingKeys, idTokenKeyRing } = parts;
	const { publicUrl } = config;
	const derivation = await openDerivation({ db, secretBox, clock });
	const keys = createAuthKeys(derivation);
	const openIdRules = createOpenIdRules({ db, clock, wakeMail: parts.wakeMail });
	const readApiToken = createApiTokenReader(publicUrl, signingKeys, clock);
	const idTokenKeys = createIdTokenKeys({ db, clock, secretBox, ring: idTokenKeyRing });
	// Of the platform and of the OpenID provider.
	const common = {
		publicUrl,
		db,
		clock,
		log,
		secretBox,
		keys,
		idTokenKeys,
		readApiToken,
		signIns: parts.signIns,
		statistics: parts.statistics,
		refusals: parts.refusals,
	};
	return {
		...common,
		version: VERSION,
		brand: installationBrand(config),
		passwords,
		attempts: new PasswordAttempts({ db, passwords, clock }),
		accessTokens: createAccessTokens({
			issuer: publicUrl,
			keys: signingKeys,
			clock,
			ttlSeconds: ACCESS_TOKEN_SECONDS,
		}),
		party: config.passkeys,
		providers: parts.providers,
		programDocuments: parts.programDocuments,
		readTxt: parts.readTxt,
		openId: createOpenId({
			...common,
			signingKeys,
			rules: openIdRules,
			isCallable: parts.isWebhookAddress,
			actors: parts.actors,
		}),
		openIdRules,
		findBrowserSession: (refreshToken) => findBrowserSession({ db, clock, keys }, refreshToken),
		gateCodes: createCodeBox(derivation.deriveKey("gate-code")),
		issueSupportToken: createSupportTokens(publicUrl, signingKeys, clock),
		gateSample: config.gateSample === "on" ? new GateSample() : undefined,
		signGateStatement: createGateStatements(publicUrl, signingKeys, clock),
		hasMailServer: config.smtpUrl !== null,
		mailsPerHour: config.rateLimitPerMinute === 0 ? 0 : config.mailsPerHour,
		isProviderAddress: createAddressRule(config.providerAllowedNetworks),
		checks: [databaseCheck(db), ...parts.checks],
		wakeMail: parts.wakeMail,
		previewMail: parts.previewMail,
		isWebhookAddress: parts.isWebhookAddress,
		isStopping: parts.isStopping,
		inspect: createDoctorProcess(clock, integrityOf(config, clock)),
	};
}

/** PostgreSQL checks its files itself. */
function integrityOf(config: Config, clock: Clock): (() => InstallationCheck) | undefined {
	if (config.databaseUrl !== null) return undefined;
	const file = databaseFile(config);
	return createIntegrityWatch(() => checkIntegrity(file, clock), { file, clock, keptMs: MINUTE_MS });
}

/** Only reads: writes fail while the disk is full, and a health check must not add to them. */
function databaseCheck(db: Db<"tenants">): HealthCheck {
	return {
		name: "database",
		required: true,
		async check() {
			await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
		},
	};
}

/**
 * The identity providers, loaded on first use: importing their libraries takes 0.2 s. Connects only to public IP
 * addresses and to `allowedNetworks`.
 */
export function createProviders(allowedNetworks: readonly Cidr[]): ProviderGateway {
	let gateway: Promise<ProviderGateway> | undefined;
	const load = (): Promise<ProviderGateway> => {
		gateway ??= import("../adapters/providers/gateway.ts").then(({ createProviderGateway }) =>
			createProviderGateway({ isAllowed: createAddressRule(allowedNetworks) }),
		);
		return gateway;
	};
	return {
		checkIssuer: async (...args) => (await load()).checkIssuer(...args),
		checkKeys: async (...args) => (await load()).checkKeys(...args),
		authorizationUrl: async (...args) => (await load()).authorizationUrl(...args),
		fetchProfile: async (...args) => (await load()).fetchProfile(...args),
	};
}
