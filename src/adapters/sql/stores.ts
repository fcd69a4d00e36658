// All stores over one connection, and how a use case gets them inside a transaction.

import type { AccessRequestStore } from "../../features/access-requests/model.ts";
import type {
	AllowlistMissStore,
	ApiClientStore,
	ClientNoticeStore,
} from "../../features/api-clients/model.ts";
import type {
	ApplicationRoleStore,
	ApplicationStore,
	GrantStore,
} from "../../features/applications/model.ts";
import type { AuditLog, AuditTrail, CheckpointStore } from "../../features/audit/model.ts";
import type {
	DerivationRootStore,
	EmailCodeStore,
	KnownDeviceStore,
	LoginFailureStore,
	PendingSignInStore,
	SessionStore,
	SigningKeyStore,
} from "../../features/auth/model.ts";
import type { AccessFactStore, AccessHistoryStore } from "../../features/authorization/model.ts";
import type { NonceStore, SigningClientStore } from "../../features/external/model.ts";
import type { GroupStore } from "../../features/groups/model.ts";
import type { MailAllowanceStore, MailBacklog, MailOutbox, MailQueue } from "../../features/mail/model.ts";
import type {
	PasskeyChallengeStore,
	PasskeyStore,
	RecoveryCodeStore,
	SecondFactorStore,
	TotpStore,
} from "../../features/mfa/model.ts";
import type { RecoveryLinkStore } from "../../features/recovery/model.ts";
import type { TenantStore } from "../../features/tenants/model.ts";
import type {
	IdentityProviderStore,
	ThirdPartyAccountStore,
	ThirdPartyAttemptStore,
	TicketStore,
} from "../../features/third-party/model.ts";
import type { UserStore } from "../../features/users/model.ts";
import type { WebhookDeliveryStore, WebhookStore } from "../../features/webhooks/model.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { createAccessFactStore } from "./access-fact-store.ts";
import { createAccessHistoryStore } from "./access-history-store.ts";
import { createAccessRequestStore } from "./access-request-store.ts";
import { createAllowlistMissStore } from "./allowlist-miss-store.ts";
import { createApiClientStore } from "./api-client-store.ts";
import { createApplicationRoleStore } from "./application-role-store.ts";
import { createApplicationStore } from "./application-store.ts";
import { createCheckpointStore } from "./audit-checkpoint-store.ts";
import { type AuditStoreOptions, createAuditStore } from "./audit-store.ts";
import { createClientNoticeStore } from "./client-notice-store.ts";
import { foldCounts } from "./counted-tables.ts";
import { createDerivationRootStore } from "./derivation-root-store.ts";
import { createEmailCodeStore } from "./email-code-store.ts";
import type { Engine, Queries } from "./engine.ts";
import { createGrantStore } from "./grant-store.ts";
import { createGroupStore } from "./group-store.ts";
import { createIdentityProviderStore } from "./identity-provider-store.ts";
import { createKnownDeviceStore } from "./known-device-store.ts";
import { createLoginFailureStore } from "./login-failure-store.ts";
import { createMailAllowanceStore } from "./mail-allowance-store.ts";
import { createNonceStore } from "./nonce-store.ts";
import { createOutboxStore, type OutboxStoreOptions } from "./outbox-store.ts";
import { createPasskeyChallengeStore, createPasskeyStore } from "./passkey-store.ts";
import { createPendingSignInStore } from "./pending-sign-in-store.ts";
import { createRecoveryCodeStore } from "./recovery-code-store.ts";
import { createRecoveryLinkStore } from "./recovery-link-store.ts";
import { createSecondFactorStore } from "./second-factor-store.ts";
import { createSessionStore } from "./session-store.ts";
import { createSigningClientStore } from "./signing-client-store.ts";
import { createSigningKeyStore } from "./signing-key-store.ts";
import { createTenantStore } from "./tenant-store.ts";
import { createThirdPartyAttemptStore } from "./third-party-attempt-store.ts";
import { createThirdPartyAccountStore } from "./third-party-store.ts";
import { createTicketStore } from "./ticket-store.ts";
import { createTotpStore } from "./totp-store.ts";
import { createUserStore } from "./user-store.ts";
import { createWebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { createWebhookStore } from "./webhook-store.ts";

export interface Stores {
	readonly accessFacts: AccessFactStore;
	readonly accessHistory: AccessHistoryStore;
	readonly accessRequests: AccessRequestStore;
	readonly allowlistMisses: AllowlistMissStore;
	readonly apiClients: ApiClientStore;
	readonly applicationRoles: ApplicationRoleStore;
	readonly applications: ApplicationStore;
	readonly audit: AuditLog & AuditTrail;
	readonly checkpoints: CheckpointStore;
	readonly clientNotices: ClientNoticeStore;
	readonly derivationRoots: DerivationRootStore;
	readonly emailCodes: EmailCodeStore;
	readonly knownDevices: KnownDeviceStore;
	readonly loginFailures: LoginFailureStore;
	readonly grants: GrantStore;
	readonly groups: GroupStore;
	readonly mailAllowances: MailAllowanceStore;
	readonly identityProviders: IdentityProviderStore;
	readonly mail: MailOutbox & MailQueue & MailBacklog;
	readonly nonces: NonceStore;
	/** Sums of what is counted as rows come and go. */
	readonly rowCounts: { fold(): Promise<number> };
	readonly recoveryLinks: RecoveryLinkStore;
	readonly passkeyChallenges: PasskeyChallengeStore;
	readonly passkeys: PasskeyStore;
	readonly pendingSignIns: PendingSignInStore;
	readonly recoveryCodes: RecoveryCodeStore;
	readonly secondFactors: SecondFactorStore;
	readonly sessions: SessionStore;
	readonly signingClients: SigningClientStore;
	readonly signingKeys: SigningKeyStore;
	readonly tenants: TenantStore;
	readonly thirdPartyAccounts: ThirdPartyAccountStore;
	readonly thirdPartyAttempts: ThirdPartyAttemptStore;
	readonly tickets: TicketStore;
	readonly totp: TotpStore;
	readonly users: UserStore;
	readonly webhookDeliveries: WebhookDeliveryStore;
	readonly webhooks: WebhookStore;
}

export type StoreOptions = AuditStoreOptions & OutboxStoreOptions;

function createStores(queries: Queries, options: StoreOptions): Stores {
	return {
		accessFacts: createAccessFactStore(queries),
		accessHistory: createAccessHistoryStore(queries),
		accessRequests: createAccessRequestStore(queries),
		allowlistMisses: createAllowlistMissStore(queries),
		apiClients: createApiClientStore(queries),
		applicationRoles: createApplicationRoleStore(queries),
		applications: createApplicationStore(queries),
		audit: createAuditStore(queries, options),
		checkpoints: createCheckpointStore(queries),
		clientNotices: createClientNoticeStore(queries),
		derivationRoots: createDerivationRootStore(queries),
		emailCodes: createEmailCodeStore(queries),
		knownDevices: createKnownDeviceStore(queries),
		loginFailures: createLoginFailureStore(queries),
		grants: createGrantStore(queries),
		groups: createGroupStore(queries),
		mailAllowances: createMailAllowanceStore(queries),
		identityProviders: createIdentityProviderStore(queries),
		mail: createOutboxStore(queries, options),
		nonces: createNonceStore(queries),
		rowCounts: { fold: () => foldCounts(queries) },
		recoveryLinks: createRecoveryLinkStore(queries),
		passkeyChallenges: createPasskeyChallengeStore(queries),
		passkeys: createPasskeyStore(queries),
		pendingSignIns: createPendingSignInStore(queries),
		recoveryCodes: createRecoveryCodeStore(queries),
		secondFactors: createSecondFactorStore(queries),
		sessions: createSessionStore(queries),
		signingClients: createSigningClientStore(queries),
		signingKeys: createSigningKeyStore(queries),
		tenants: createTenantStore(queries),
		thirdPartyAccounts: createThirdPartyAccountStore(queries),
		thirdPartyAttempts: createThirdPartyAttemptStore(queries),
		tickets: createTicketStore(queries),
		totp: createTotpStore(queries),
		users: createUserStore(queries),
		webhookDeliveries: createWebhookDeliveryStore(queries),
		webhooks: createWebhookStore(queries),
	};
}

/** Stores are made once a connection, however many transactions it runs. */
export function createPersistence(engine: Engine, options: StoreOptions): Persistence<Stores> {
	const made = new WeakMap<Queries, Stores>();
	const storesOf = (queries: Queries): Stores => {
		let stores = made.get(queries);
		if (stores === undefined) {
			stores = createStores(queries, options);
			made.set(queries, stores);
		}
		return stores;
	};
	return {
		stores: storesOf(engine.queries),
		transaction: (work) => engine.transaction((queries) => work(storesOf(queries))),
	};
}
