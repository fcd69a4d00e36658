// Builds the guards and the endpoints of all features from the platform.

import type { KeyUseRecorder } from "../domain/admin-key.ts";
import type { Administrator, Operator } from "../domain/caller.ts";
import type { UseRecorder } from "../domain/signing-client.ts";
import type { Db } from "../domain/stores.ts";
import { applicationsEndpoints } from "../features/access/applications/endpoints.ts";
import { grantsEndpoints } from "../features/access/applications/grant-endpoints.ts";
import { rolesEndpoints } from "../features/access/applications/role-endpoints.ts";
import { accessEndpoints } from "../features/access/authorization/endpoints.ts";
import { configurationEndpoints } from "../features/access/configuration/endpoints.ts";
import type { RowsOver } from "../features/access/configuration/rows-wire.ts";
import { groupsEndpoints } from "../features/access/groups/endpoints.ts";
import { managersEndpoints } from "../features/access/managers/endpoints.ts";
import { oauthClientsEndpoints } from "../features/access/oauth-clients/endpoints.ts";
import { reviewEndpoints } from "../features/access/reviews/endpoints.ts";
import { userAccessEndpoints } from "../features/access/users/user-access-endpoints.ts";
import { adminKeysEndpoints } from "../features/identity/admin-keys/endpoints.ts";
import {
	bearerGuard,
	type Members,
	managerGuard,
	readGuard,
	reviewGuard,
	roleGuard,
	supporterGuard,
} from "../features/identity/auth/bearer-guard.ts";
import { mailedCodeEndpoints } from "../features/identity/auth/mailed-code-endpoints.ts";
import { methodEndpoints } from "../features/identity/auth/method-endpoints.ts";
import { registrationEndpoints } from "../features/identity/auth/registration-endpoints.ts";
import { sessionEndpoints } from "../features/identity/auth/session-endpoints.ts";
import { signOutGuard } from "../features/identity/auth/sign-out-guard.ts";
import { directoryEndpoints } from "../features/identity/directories/directory-endpoints.ts";
import type { DirectoryEventRecorder } from "../features/identity/directories/record-events.ts";
import { domainsEndpoints } from "../features/identity/domains/endpoints.ts";
import { invitationsEndpoints } from "../features/identity/invitations/endpoints.ts";
import { factorsEndpoints } from "../features/identity/mfa/factor-endpoints.ts";
import { mfaEndpoints } from "../features/identity/mfa/mfa-endpoints.ts";
import { passkeyEndpoints } from "../features/identity/mfa/passkey-endpoints.ts";
import { actorEndpoints, consentEndpoints } from "../features/identity/oauth/consent-endpoints.ts";
import { deviceEndpoints } from "../features/identity/oauth/device-endpoints.ts";
import { interactionEndpoints } from "../features/identity/oauth/interaction-endpoints.ts";
import { signOutEndpoints } from "../features/identity/oauth/sign-out-endpoints.ts";
import { recoveryEndpoints } from "../features/identity/recovery/endpoints.ts";
import { setUpEndpoints } from "../features/identity/set-up/endpoints.ts";
import { setUpGuard } from "../features/identity/set-up/set-up-guard.ts";
import { supportSessionEndpoints } from "../features/identity/support/endpoints.ts";
import { brandEndpoints } from "../features/identity/tenants/brand-endpoints.ts";
import { tenantsEndpoints } from "../features/identity/tenants/endpoints.ts";
import { imageEndpoints } from "../features/identity/tenants/image-endpoints.ts";
import { visitorGuard } from "../features/identity/tenants/visitor-guard.ts";
import { thirdPartyBrowserEndpoints } from "../features/identity/third-party/browser-endpoints.ts";
import { thirdPartyEndpoints } from "../features/identity/third-party/endpoints.ts";
import { identityProvidersEndpoints } from "../features/identity/third-party/provider-endpoints.ts";
import { thirdPartySignInEndpoints } from "../features/identity/third-party/sign-in-endpoints.ts";
import { emailEndpoints } from "../features/identity/users/email-endpoints.ts";
import { usersEndpoints } from "../features/identity/users/endpoints.ts";
import { exportEndpoints } from "../features/identity/users/export-endpoints.ts";
import { meEndpoints } from "../features/identity/users/me-endpoints.ts";
import { readOnlyGuard } from "../features/identity/users/read-only-guard.ts";
import { userDetailsEndpoints } from "../features/identity/users/user-details-endpoints.ts";
import { userSignInEndpoints } from "../features/identity/users/user-sign-in-endpoints.ts";
import { applicantEndpoints } from "../features/partners/access-requests/applicant-endpoints.ts";
import { allowlistEndpoints } from "../features/partners/api-clients/allowlist-endpoints.ts";
import { apiClientsEndpoints } from "../features/partners/api-clients/endpoints.ts";
import { keysEndpoints } from "../features/partners/api-clients/key-endpoints.ts";
import { secretsEndpoints } from "../features/partners/api-clients/secret-endpoints.ts";
import { authzenEndpoints } from "../features/partners/external/authzen-endpoints.ts";
import { createClientCache } from "../features/partners/external/credentials.ts";
import { decisionGuard } from "../features/partners/external/decision-guard.ts";
import { externalEndpoints } from "../features/partners/external/endpoints.ts";
import { explainEndpoints } from "../features/partners/external/explain-endpoints.ts";
import { signedGuard } from "../features/partners/external/signed-guard.ts";
import type { TestCallRecorder } from "../features/partners/external/test-calls.ts";
import { gatesEndpoints } from "../features/partners/gate/endpoints.ts";
import { gateMetadataEndpoints } from "../features/partners/gate/metadata-endpoints.ts";
import { personRequestEndpoints } from "../features/partners/person-requests/endpoints.ts";
import { programAskerEndpoints } from "../features/partners/programs/asker-endpoints.ts";
import { programsEndpoints } from "../features/partners/programs/endpoints.ts";
import { requestEndpoints } from "../features/partners/requests/endpoints.ts";
import { requestMailEndpoints } from "../features/partners/requests/request-mail-endpoints.ts";
import type { Platform } from "../features/platform.ts";
import { auditEndpoints } from "../features/record/audit/endpoints.ts";
import { restoreEndpoints } from "../features/record/audit/restore-endpoints.ts";
import { healthEndpoints } from "../features/record/health/endpoints.ts";
import { installationEndpoints } from "../features/record/health/installation-endpoints.ts";
import { mailEndpoints } from "../features/record/mail/mail-endpoints.ts";
import { overviewEndpoints } from "../features/record/overview/endpoints.ts";
import { refusalEndpoints } from "../features/record/refusals/endpoints.ts";
import { statisticsEndpoints } from "../features/record/statistics/endpoints.ts";
import { subjectStatisticsEndpoints } from "../features/record/statistics/subject-endpoints.ts";
import { webhookDeliveriesEndpoints } from "../features/record/webhooks/delivery-endpoints.ts";
import { webhooksEndpoints } from "../features/record/webhooks/endpoints.ts";
import type { Route } from "../http/describe/guard.ts";
import type { RecordExport } from "../http/run/export-list.ts";

export type Guards = ReturnType<typeof createGuards>;
export type Endpoints = ReturnType<typeof createEndpoints>;

/** Record the requests that guards admit. */
export interface Recorders {
	readonly uses: UseRecorder;
	readonly keyUses: KeyUseRecorder;
	readonly testCalls: TestCallRecorder;
	readonly directoryEvents: DirectoryEventRecorder;
}

/** @param operator the caller of every request; undefined in a service. */
export function createGuards(platform: Platform, recorders: Recorders, operator?: Operator) {
	const { db, clock, statistics, refusals } = platform;
	const cache = createClientCache(platform.secretBox);
	const bearer = { ...platform, keyUses: recorders.keyUses, operator };
	const signed = { db, clock, statistics, refusals, cache, ...recorders };
	const signedIn = bearerGuard(bearer);
	const admin = roleGuard(bearer, ["admin"]);
	const accessCheck = signedGuard(signed, "access:check");
	const { requests, reviews } = db.stores;
	const requestMembers: Members = {
		allows: "members of the reviewers of an application or a review; managers",
		isReviewer: async (tenantId, userId) =>
			(await requests.isReviewer(tenantId, userId)) || (await reviews.isReviewer(tenantId, userId)),
	};
	const reviewMembers: Members = {
		allows: "members of the reviewers of a review",
		isReviewer: reviews.isReviewer,
	};
	return {
		visitor: visitorGuard(platform.db),
		signedIn,
		reader: readGuard(bearer),
		supporter: supporterGuard(bearer),
		signOut: signOutGuard(platform, signedIn),
		admin,
		platformAdmin: roleGuard(bearer, ["platform_admin"]),
		adminOrAuditor: roleGuard(bearer, ["admin", "auditor"]),
		reviewer: reviewGuard(bearer, ["reviewer", "admin"], requestMembers).orKey,
		adminOrReviewer: roleGuard(bearer, ["admin", "reviewer"]),
		applicationReader: managerGuard(bearer, ["admin", "auditor"], "application"),
		applicationManager: managerGuard(bearer, ["admin"], "application"),
		groupReader: managerGuard(bearer, ["admin", "auditor"], "group"),
		groupManager: managerGuard(bearer, ["admin"], "group"),
		setUp: setUpGuard(platform),
		nobody: readOnlyGuard,
		reviewReader: reviewGuard(bearer, ["reviewer", "admin", "auditor"], requestMembers).orKey,
		reviewMember: reviewGuard(bearer, ["admin"], reviewMembers),
		reviewMemberReader: reviewGuard(bearer, ["admin", "auditor"], reviewMembers),
		client: signedGuard(signed),
		usersRead: signedGuard(signed, "users:read"),
		accessCheck,
		decisions: decisionGuard({ ...platform, signed: accessCheck.orTest }, admin.orKey),
		thirdPartyRead: signedGuard(signed, "third-party:read"),
	};
}

export function createEndpoints(platform: Platform) {
	return {
		access: accessEndpoints(platform),
		adminKeys: adminKeysEndpoints(platform),
		accessRequests: applicantEndpoints(platform),
		audit: auditEndpoints(platform),
		allowlists: allowlistEndpoints(platform),
		apiClients: apiClientsEndpoints(platform),
		applications: applicationsEndpoints(platform),
		authzen: authzenEndpoints(platform),
		explanation: (routes: () => readonly Route[]) => explainEndpoints(platform, routes),
		external: externalEndpoints(platform),
		gates: gatesEndpoints(platform),
		gateMetadata: gateMetadataEndpoints(platform),
		grants: grantsEndpoints(platform),
		groups: groupsEndpoints(platform),
		managers: managersEndpoints(platform),
		actors: actorEndpoints(platform),
		restoration: (rowsOver: RowsOver) => restoreEndpoints(platform, rowsOver),
		configuration: (rowsOver: RowsOver) => configurationEndpoints(platform, rowsOver),
		consents: consentEndpoints(platform),
		directories: directoryEndpoints(platform),
		devices: deviceEndpoints(platform),
		domains: domainsEndpoints(platform),
		interactions: interactionEndpoints(platform),
		invitations: invitationsEndpoints(platform),
		oauthClients: oauthClientsEndpoints(platform),
		requests: requestEndpoints(platform),
		reviews: reviewEndpoints(platform),
		recovery: recoveryEndpoints(platform),
		roles: rolesEndpoints(platform),
		refusals: refusalEndpoints(platform),
		partnerKeys: keysEndpoints(platform),
		secrets: secretsEndpoints(platform),
		mailedCode: mailedCodeEndpoints(platform),
		registration: registrationEndpoints(platform),
		sessions: sessionEndpoints(platform),
		setUp: setUpEndpoints(platform),
		signInMethods: methodEndpoints(platform),
		signOuts: signOutEndpoints(platform),
		supportSessions: supportSessionEndpoints(platform),
		health: healthEndpoints(platform),
		installation: installationEndpoints(platform),
		mails: mailEndpoints(platform),
		me: meEndpoints(platform),
		myEmail: emailEndpoints(platform),
		mfa: mfaEndpoints(platform),
		factors: factorsEndpoints(platform),
		passkeys: passkeyEndpoints(platform),
		personRequests: personRequestEndpoints(platform),
		requestMails: requestMailEndpoints(platform),
		programAskers: programAskerEndpoints(platform),
		programs: programsEndpoints(platform),
		overview: overviewEndpoints(platform),
		statistics: statisticsEndpoints(platform),
		subjectStatistics: subjectStatisticsEndpoints(platform),
		branding: brandEndpoints(platform),
		images: imageEndpoints(platform),
		tenants: tenantsEndpoints(platform),
		thirdParty: thirdPartyEndpoints(platform),
		users: {
			...usersEndpoints(platform),
			...exportEndpoints(platform),
			...userDetailsEndpoints(platform),
			...userSignInEndpoints(platform),
			...userAccessEndpoints(platform),
		},
		thirdPartySignIn: {
			...thirdPartySignInEndpoints(platform),
			...thirdPartyBrowserEndpoints(platform),
		},
		identityProviders: identityProvidersEndpoints(platform),
		webhooks: webhooksEndpoints(platform),
		webhookDeliveries: webhookDeliveriesEndpoints(platform),
	};
}

/** Appends exports of lists to the audit trail. Only administrators may export. */
export function createExportRecord(db: Db<"audit">): RecordExport {
	return (caller, details) =>
		db.transaction(({ audit }) => audit.append(caller as Administrator, "list.exported", "", details));
}
