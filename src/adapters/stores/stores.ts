// All stores over one connection, and how a use case receives them inside a transaction.

import type { FollowedServer } from "../../domain/database-server.ts";
import type { NonceStore } from "../../domain/nonce.ts";
import type { Db, Stores } from "../../domain/stores.ts";
import type { Engine, Queries } from "../sql/engine.ts";
import { foldCounts } from "../sql/row-counts.ts";
import { createAccessFactStore } from "./access-fact-store.ts";
import { createAccessHistoryStore } from "./access-history-store.ts";
import { createAccessRequestStore } from "./access-request-store.ts";
import { createAcmeCertificateStore } from "./acme-certificate-store.ts";
import { createAddressAllowanceStore } from "./address-allowance-store.ts";
import { createAdminKeyStore } from "./admin-key-store.ts";
import { createAllowlistMissStore } from "./allowlist-miss-store.ts";
import { createApiClientStore, createSigningClientStore } from "./api-client-store.ts";
import { AppendedEvents, type AppendOptions } from "./appended-events.ts";
import { createApplicationRoleStore, createApplicationStore } from "./application-store.ts";
import { createCheckpointStore } from "./audit-checkpoint-store.ts";
import { createAuditStore } from "./audit-store.ts";
import { createBackupStore } from "./backup-store.ts";
import { batchedNonces, type KeyedDigest } from "./batched-nonces.ts";
import { createClientNoticeStore } from "./client-notice-store.ts";
import { createDatabaseServerStore } from "./database-server-store.ts";
import { createDirectoryPeopleStore } from "./directory-people-store.ts";
import { createDirectoryStore } from "./directory-store.ts";
import { createDormancyStore } from "./dormancy-store.ts";
import { createEmailCodeStore } from "./email-code-store.ts";
import { createEmailDomainStore } from "./email-domain-store.ts";
import { createEndNoticeStore } from "./end-notice-store.ts";
import { createFirstStepStore } from "./first-step-store.ts";
import { createGateStore } from "./gate-store.ts";
import { createGrantStore } from "./grant-store.ts";
import { createGroupStore } from "./group-store.ts";
import { groupedNonces } from "./grouped-nonces.ts";
import { createIdentityProviderStore } from "./identity-provider-store.ts";
import { createImageStore } from "./image-store.ts";
import { createKnownDeviceStore } from "./known-device-store.ts";
import { createLoginFailureStore, createRefusalNoteStore } from "./login-failure-store.ts";
import { createLogoutNoticeStore } from "./logout-notice-store.ts";
import { createManagerStore } from "./manager-store.ts";
import { createOAuthActorStore } from "./oauth-actor-store.ts";
import { createOAuthClientStore } from "./oauth-client-store.ts";
import { createOAuthConsentStore } from "./oauth-consent-store.ts";
import { createOAuthGrantStore, createOAuthRecordStore } from "./oauth-record-store.ts";
import { createOutboxStore, type OutboxStoreOptions } from "./outbox-store.ts";
import { createPasskeyChallengeStore, createPasskeyStore } from "./passkey-store.ts";
import { createPendingSignInStore } from "./pending-sign-in-store.ts";
import { createPersonRequestStore } from "./person-request-store.ts";
import { createPersonalDataStore } from "./personal-data-store.ts";
import { createProgramRequestStore } from "./program-request-store.ts";
import { createProgramStore } from "./program-store.ts";
import type { Ending, RecentEndings } from "./recent-endings.ts";
import { createRecoveryLinkStore } from "./recovery-link-store.ts";
import { createRefusalStore } from "./refusal-store.ts";
import { createRequestMailStore } from "./request-mail-store.ts";
import { createRequestStore } from "./request-store.ts";
import { createReviewStore } from "./review-store.ts";
import { createSecondFactorStore } from "./second-factor-store.ts";
import { createSessionStore } from "./session-store.ts";
import { createSetUpLinkStore } from "./set-up-link-store.ts";
import {
	createDerivationRootStore,
	createIdTokenKeyStore,
	createSigningKeyStore,
} from "./signing-key-store.ts";
import { createStatisticsStore } from "./statistics-store.ts";
import { createSupportSessionStore } from "./support-session-store.ts";
import { createBrandStore, createTenantStore } from "./tenant-store.ts";
import { tenantTime } from "./tenant-time.ts";
import { createThirdPartyAttemptStore } from "./third-party-attempt-store.ts";
import { createThirdPartySignInStore } from "./third-party-sign-in-store.ts";
import { createThirdPartyAccountStore } from "./third-party-store.ts";
import { createRecoveryCodeStore, createTotpStore } from "./totp-store.ts";
import { createUserStore } from "./user-store.ts";
import { createWebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { createWebhookStore } from "./webhook-store.ts";

export type StoreOptions = AppendOptions &
	OutboxStoreOptions & {
		/** Only for the process that holds the data directory. Without it, an embedded database claims no nonces. */
		readonly keyedDigest?: KeyedDigest;
		/** SHA-256 in hex, of nonces on a database with several writers. */
		readonly digestOf: (text: string) => string;
		/** Set by the watch of the database server. */
		readonly followedServer?: FollowedServer;
		/** Observes the stores of transactions on a database that can fail over. */
		readonly endings?: RecentEndings | undefined;
	};

function createStores(
	queries: Queries,
	nonces: NonceStore,
	appended: AppendedEvents,
	serverIdentity: string | undefined,
	options: StoreOptions,
): Stores {
	const timeOf = tenantTime(queries, options.nowMs);
	return {
		accessFacts: createAccessFactStore(queries, timeOf),
		accessHistory: createAccessHistoryStore(queries),
		accessRequests: createAccessRequestStore(queries),
		adminKeys: createAdminKeyStore(queries),
		allowlistMisses: createAllowlistMissStore(queries),
		acmeCertificates: createAcmeCertificateStore(queries),
		apiClients: createApiClientStore(queries),
		applicationRoles: createApplicationRoleStore(queries),
		applications: createApplicationStore(queries, timeOf),
		audit: createAuditStore(queries, options, appended),
		backups: createBackupStore(queries),
		brands: createBrandStore(queries),
		images: createImageStore(queries),
		checkpoints: createCheckpointStore(queries, appended.hasFunction),
		clientNotices: createClientNoticeStore(queries),
		databaseServer: createDatabaseServerStore(queries, serverIdentity),
		dormancy: createDormancyStore(queries),
		derivationRoots: createDerivationRootStore(queries),
		directories: createDirectoryStore(queries),
		directoryPeople: createDirectoryPeopleStore(queries, timeOf),
		emailCodes: createEmailCodeStore(queries),
		endNotices: createEndNoticeStore(queries),
		firstSteps: createFirstStepStore(queries),
		knownDevices: createKnownDeviceStore(queries),
		loginFailures: createLoginFailureStore(queries),
		logoutNotices: createLogoutNoticeStore(queries),
		refusalNotes: createRefusalNoteStore(queries),
		refusals: createRefusalStore(queries),
		gates: createGateStore(queries),
		grants: createGrantStore(queries, timeOf),
		groups: createGroupStore(queries, timeOf),
		allowances: createAddressAllowanceStore(queries),
		identityProviders: createIdentityProviderStore(queries),
		idTokenKeys: createIdTokenKeyStore(queries),
		mail: createOutboxStore(queries, options),
		domains: createEmailDomainStore(queries),
		managers: createManagerStore(queries),
		nonces,
		oauthActors: createOAuthActorStore(queries),
		oauthClients: createOAuthClientStore(queries),
		oauthConsents: createOAuthConsentStore(queries),
		oauthGrants: createOAuthGrantStore(queries),
		oauthRecords: createOAuthRecordStore(queries),
		rowCounts: { fold: () => foldCounts(queries) },
		personalData: createPersonalDataStore(queries),
		personRequests: createPersonRequestStore(queries),
		programRequests: createProgramRequestStore(queries),
		requestMails: createRequestMailStore(queries),
		requests: createRequestStore(queries, timeOf),
		reviews: createReviewStore(queries, timeOf),
		programs: createProgramStore(queries),
		recoveryLinks: createRecoveryLinkStore(queries),
		passkeyChallenges: createPasskeyChallengeStore(queries),
		passkeys: createPasskeyStore(queries),
		pendingSignIns: createPendingSignInStore(queries),
		recoveryCodes: createRecoveryCodeStore(queries),
		secondFactors: createSecondFactorStore(queries),
		sessions: createSessionStore(queries),
		supportSessions: createSupportSessionStore(queries),
		setUpLinks: createSetUpLinkStore(queries),
		signingClients: createSigningClientStore(queries),
		signingKeys: createSigningKeyStore(queries),
		statistics: createStatisticsStore(queries),
		tenants: createTenantStore(queries),
		thirdPartyAccounts: createThirdPartyAccountStore(queries),
		thirdPartyAttempts: createThirdPartyAttemptStore(queries),
		thirdPartySignIns: createThirdPartySignInStore(queries),
		totp: createTotpStore(queries),
		users: createUserStore(queries, options),
		webhookDeliveries: createWebhookDeliveryStore(queries),
		webhooks: createWebhookStore(queries),
	};
}

/** Creates the stores once for each connection, not for each transaction. */
export function createPersistence(engine: Engine, options: StoreOptions): Db {
	const byQueries = new WeakMap<Queries, { readonly stores: Stores; readonly appended: AppendedEvents }>();
	const { serverIdentity } = engine;
	const { endings } = options;
	const nonceStoreOn = engine.soleWriter
		? batchedNonces(engine, options.keyedDigest)
		: groupedNonces(engine, { digestOf: options.digestOf, followed: options.followedServer });
	const of = (queries: Queries) => {
		let found = byQueries.get(queries);
		if (found === undefined) {
			const appended = new AppendedEvents(queries, options, engine.name === "postgres");
			const stores = createStores(queries, nonceStoreOn(queries), appended, serverIdentity, options);
			found = { stores, appended };
			byQueries.set(queries, found);
		}
		return found;
	};
	return {
		stores: of(engine.queries).stores,
		async transaction(work) {
			let ended: Ending[] = [];
			const result = await engine.transaction(async (queries) => {
				const { stores, appended } = of(queries);
				// The engine may repeat a transaction that failed.
				appended.begin();
				ended = [];
				try {
					const value = await work(endings?.observe(stores, ended) ?? stores);
					await appended.write();
					return value;
				} finally {
					appended.end();
				}
			});
			endings?.keep(ended);
			return result;
		},
	};
}
