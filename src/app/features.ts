// Builds the features: hands each what it needs, and nothing else. Guards and endpoints come out.

import { applicantEndpoints } from "../features/access-requests/applicant-endpoints.ts";
import { reviewEndpoints } from "../features/access-requests/review-endpoints.ts";
import { allowlistEndpoints } from "../features/api-clients/allowlist-endpoints.ts";
import {
	apiClientSchema,
	apiClientWithSecretSchema,
	toWireApiClient,
	toWireWithSecret,
} from "../features/api-clients/api-client-wire.ts";
import { issueApiKey, issueSecret } from "../features/api-clients/client-secrets.ts";
import { apiClientsEndpoints } from "../features/api-clients/endpoints.ts";
import { rotationEndpoints } from "../features/api-clients/rotation-endpoints.ts";
import { secretsEndpoints } from "../features/api-clients/secret-endpoints.ts";
import { applicationsEndpoints } from "../features/applications/endpoints.ts";
import { grantsEndpoints } from "../features/applications/grant-endpoints.ts";
import { rolesEndpoints } from "../features/applications/role-endpoints.ts";
import { auditEndpoints } from "../features/audit/endpoints.ts";
import { createAuthKeys } from "../features/auth/auth-keys.ts";
import { bearerGuard } from "../features/auth/bearer-guard.ts";
import { createCompleteSignIn } from "../features/auth/complete-sign-in.ts";
import { PasswordAttempts } from "../features/auth/password-attempts.ts";
import { registrationEndpoints } from "../features/auth/registration-endpoints.ts";
import { sessionEndpoints } from "../features/auth/session-endpoints.ts";
import { createSignInWire } from "../features/auth/sign-in-wire.ts";
import { accessEndpoints } from "../features/authorization/endpoints.ts";
import { authzenEndpoints } from "../features/external/authzen-endpoints.ts";
import { createClientMemory } from "../features/external/client-memory.ts";
import { externalEndpoints } from "../features/external/endpoints.ts";
import { explainEndpoints } from "../features/external/explain-endpoints.ts";
import type { UseRecorder } from "../features/external/model.ts";
import { signedGuard } from "../features/external/signed-guard.ts";
import { groupsEndpoints } from "../features/groups/endpoints.ts";
import { healthEndpoints } from "../features/health/endpoints.ts";
import { mfaEndpoints } from "../features/mfa/answer-endpoints.ts";
import { confirmOwner, type OwnerContext } from "../features/mfa/confirm-owner.ts";
import { factorsEndpoints } from "../features/mfa/factor-endpoints.ts";
import { passkeyEndpoints } from "../features/mfa/passkey-endpoints.ts";
import { recoveryEndpoints } from "../features/recovery/endpoints.ts";
import { tenantsEndpoints } from "../features/tenants/endpoints.ts";
import { visitorGuard } from "../features/tenants/visitor-guard.ts";
import { createCallbackNames } from "../features/third-party/callback-name.ts";
import { thirdPartyEndpoints } from "../features/third-party/endpoints.ts";
import { identityProvidersEndpoints } from "../features/third-party/provider-endpoints.ts";
import { thirdPartySignInEndpoints } from "../features/third-party/sign-in-endpoints.ts";
import { emailEndpoints } from "../features/users/email-endpoints.ts";
import { usersEndpoints } from "../features/users/endpoints.ts";
import { meEndpoints } from "../features/users/me-endpoints.ts";
import { readOnlyGuard } from "../features/users/read-only-guard.ts";
import { toWireUser, userSchema } from "../features/users/user-wire.ts";
import { webhookDeliveriesEndpoints } from "../features/webhooks/delivery-endpoints.ts";
import { webhooksEndpoints } from "../features/webhooks/endpoints.ts";
import type { Route } from "../http/guard.ts";
import { createAddressRule } from "../kernel/address-rule.ts";
import type { Platform } from "./platform.ts";

export type Guards = ReturnType<typeof createGuards>;
export type Endpoints = ReturnType<typeof createEndpoints>;

export function createGuards(platform: Platform, uses: UseRecorder) {
	const { db, clock } = platform;
	const memory = openedSecrets(platform);
	const signed = { db, clock, memory, uses };
	return {
		visitor: visitorGuard(platform.db),
		signedIn: bearerGuard(platform),
		admin: bearerGuard(platform, ["admin"]),
		platformAdmin: bearerGuard(platform, ["platform_admin"]),
		adminOrAuditor: bearerGuard(platform, ["admin", "auditor"]),
		reviewer: bearerGuard(platform, ["reviewer", "admin"]),
		nobody: readOnlyGuard,
		reviewReader: bearerGuard(platform, ["reviewer", "admin", "auditor"]),
		client: signedGuard(signed),
		usersRead: signedGuard(signed, "users:read"),
		accessCheck: signedGuard(signed, "access:check"),
		thirdPartyRead: signedGuard(signed, "third-party:read"),
	};
}

export function createEndpoints(platform: Platform) {
	const attempts = new PasswordAttempts(platform);
	const keys = createAuthKeys(platform.derivation);
	const { config } = platform;
	const mailLimit = {
		clock: platform.clock,
		mailsPerHour: config.rateLimitPerMinute === 0 ? 0 : config.mailsPerHour,
	};
	const userWire = { schema: userSchema, toWire: toWireUser };
	const signInWire = createSignInWire(userWire);
	const complete = createCompleteSignIn({ ...platform, keys });
	const callbackNameOf = createCallbackNames(platform.db);
	const { publicUrl, passkeys: party } = platform.config;
	const factors = { ...platform, attempts, publicUrl, party };
	const accessRequests = {
		...platform,
		...mailLimit,
		publicUrl: platform.config.publicUrl,
		issueApiKey,
		issueSecret: (clientId: string) => issueSecret(platform.secretBox, clientId),
		clientWire: { schema: apiClientWithSecretSchema, toWire: toWireWithSecret },
	};
	return {
		access: accessEndpoints(platform),
		accessRequests: { ...applicantEndpoints(accessRequests), ...reviewEndpoints(accessRequests) },
		audit: auditEndpoints(platform),
		allowlists: allowlistEndpoints(platform),
		apiClients: apiClientsEndpoints(platform),
		applications: applicationsEndpoints(platform),
		authzen: authzenEndpoints({ ...platform, publicUrl: platform.config.publicUrl }),
		explanation: (routes: () => readonly Route[]) =>
			explainEndpoints({ ...platform, memory: openedSecrets(platform) }, routes),
		external: externalEndpoints({
			...platform,
			clientWire: { schema: apiClientSchema, toWire: toWireApiClient },
		}),
		grants: grantsEndpoints(platform),
		groups: groupsEndpoints(platform),
		recovery: recoveryEndpoints({ ...platform, ...mailLimit, keys, publicUrl: config.publicUrl }),
		roles: rolesEndpoints(platform),
		rotation: rotationEndpoints(platform),
		secrets: secretsEndpoints(platform),
		registration: registrationEndpoints({ ...platform, ...mailLimit, keys, userWire }),
		sessions: sessionEndpoints({ ...platform, keys, attempts, complete, signInWire }),
		health: healthEndpoints(platform),
		me: meEndpoints({ ...platform, attempts }),
		myEmail: emailEndpoints({ ...platform, ...mailLimit, attempts, keys, publicUrl: config.publicUrl }),
		mfa: mfaEndpoints({ ...factors, complete, signInWire }),
		factors: factorsEndpoints(factors),
		passkeys: passkeyEndpoints({ ...factors, complete, signInWire }),
		tenants: tenantsEndpoints(platform),
		thirdParty: thirdPartyEndpoints(platform),
		users: usersEndpoints({ ...platform, keys }),
		thirdPartySignIn: thirdPartySignInEndpoints({
			...platform,
			publicUrl: platform.config.publicUrl,
			callbackNameOf,
			gateway: platform.providers,
			complete,
			signInWire: signInWire.signIn,
			confirmOwner: (passwordPlain: string | undefined, context: OwnerContext) =>
				confirmOwner(factors, passwordPlain, context, { refusedAs: "third_party_account.link_failed" }),
		}),
		identityProviders: identityProvidersEndpoints({
			...platform,
			publicUrl: platform.config.publicUrl,
			callbackNameOf,
			isAllowedAddress: createAddressRule(platform.config.providerAllowedNetworks),
		}),
		webhooks: webhooksEndpoints({
			...platform,
			isAllowedAddress: createAddressRule(platform.config.webhookAllowedNetworks),
		}),
		webhookDeliveries: webhookDeliveriesEndpoints(platform),
	};
}

function openedSecrets({ secretBox }: Platform) {
	return createClientMemory((sealed, context) => secretBox.open(sealed, context));
}
