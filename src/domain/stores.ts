// The stores of an installation by name, and how a use case declares those it needs.

import type { Persistence } from "../kernel/transaction.ts";
import type { AccessFactStore } from "./access.ts";
import type { AccessHistoryStore } from "./access-history.ts";
import type { AccessRequestStore } from "./access-request.ts";
import type { AcmeCertificateStore } from "./acme-certificate.ts";
import type { AddressAllowanceStore } from "./address-allowance.ts";
import type { AdminKeyStore } from "./admin-key.ts";
import type { AllowlistMissStore } from "./allowlist.ts";
import type { ApiClientStore } from "./api-client.ts";
import type { ApplicationStore } from "./application.ts";
import type { ApplicationRoleStore } from "./application-role.ts";
import type { AuditLog, AuditTrail, CheckpointStore } from "./audit.ts";
import type { BackupStore } from "./backup.ts";
import type { BrandStore } from "./brand.ts";
import type { ClientNoticeStore } from "./client-notice.ts";
import type { DatabaseServerStore } from "./database-server.ts";
import type { FirstStepStore } from "./first-steps.ts";
import type { GateStore } from "./gate.ts";
import type { GrantStore } from "./grant.ts";
import type { GroupStore } from "./group.ts";
import type { IdentityProviderStore } from "./identity-provider.ts";
import type { ImageStore } from "./image.ts";
import type { DerivationRootStore } from "./keyed-digests.ts";
import type { LogoutNoticeStore } from "./logout-notice.ts";
import type { MailBacklog, MailOutbox, MailQueue, MailRecords } from "./mail.ts";
import type { EmailCodeStore } from "./mailed-code.ts";
import type { NonceStore } from "./nonce.ts";
import type { OAuthActorStore } from "./oauth-actor.ts";
import type { OAuthClientStore } from "./oauth-client.ts";
import type { OAuthConsentStore } from "./oauth-consent.ts";
import type { OAuthGrantStore, OAuthRecordStore } from "./oauth-record.ts";
import type { PasskeyChallengeStore, PasskeyStore } from "./passkey.ts";
import type { PersonRequestStore } from "./person-request.ts";
import type { PersonalDataStore } from "./personal-data.ts";
import type { ProgramStore } from "./program.ts";
import type { ProgramRequestStore } from "./program-request.ts";
import type { RecoveryLinkStore } from "./recovery-link.ts";
import type { RefusalStore } from "./refusal.ts";
import type { RequestStore } from "./request-queue.ts";
import type { RecoveryCodeStore, SecondFactorStore, TotpStore } from "./second-factor.ts";
import type { SessionStore } from "./session.ts";
import type { KnownDeviceStore, PendingSignInStore } from "./sign-in.ts";
import type { LoginFailureStore, RefusalNoteStore } from "./sign-in-attempt.ts";
import type { SigningClientStore } from "./signing-client.ts";
import type { IdTokenKeyStore, SigningKeyStore } from "./signing-key.ts";
import type { StatisticsStore } from "./statistics.ts";
import type { TenantStore } from "./tenant.ts";
import type { ThirdPartyAccountStore } from "./third-party-account.ts";
import type { ThirdPartyAttemptStore } from "./third-party-attempt.ts";
import type { ThirdPartySignInStore } from "./third-party-sign-in.ts";
import type { UserStore } from "./user.ts";
import type { WebhookStore } from "./webhook.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery.ts";

/** Every store by its name. */
export interface AllStores {
	readonly accessFacts: AccessFactStore;
	readonly accessHistory: AccessHistoryStore;
	readonly accessRequests: AccessRequestStore;
	readonly acmeCertificates: AcmeCertificateStore;
	readonly adminKeys: AdminKeyStore;
	readonly allowlistMisses: AllowlistMissStore;
	readonly apiClients: ApiClientStore;
	readonly applicationRoles: ApplicationRoleStore;
	readonly applications: ApplicationStore;
	readonly audit: AuditLog & AuditTrail;
	readonly backups: BackupStore;
	readonly brands: BrandStore;
	readonly images: ImageStore;
	readonly checkpoints: CheckpointStore;
	readonly clientNotices: ClientNoticeStore;
	readonly databaseServer: DatabaseServerStore;
	readonly derivationRoots: DerivationRootStore;
	readonly emailCodes: EmailCodeStore;
	readonly firstSteps: FirstStepStore;
	readonly knownDevices: KnownDeviceStore;
	readonly loginFailures: LoginFailureStore;
	readonly logoutNotices: LogoutNoticeStore;
	readonly refusalNotes: RefusalNoteStore;
	readonly refusals: RefusalStore;
	readonly gates: GateStore;
	readonly grants: GrantStore;
	readonly groups: GroupStore;
	readonly allowances: AddressAllowanceStore;
	readonly identityProviders: IdentityProviderStore;
	readonly idTokenKeys: IdTokenKeyStore;
	readonly mail: MailOutbox & MailQueue & MailBacklog & MailRecords;
	readonly nonces: NonceStore;
	readonly oauthActors: OAuthActorStore;
	readonly oauthClients: OAuthClientStore;
	readonly oauthConsents: OAuthConsentStore;
	readonly oauthGrants: OAuthGrantStore;
	readonly oauthRecords: OAuthRecordStore;
	/** Running sums of counted rows. */
	readonly rowCounts: { fold(): Promise<number> };
	readonly personalData: PersonalDataStore;
	readonly personRequests: PersonRequestStore;
	readonly programRequests: ProgramRequestStore;
	readonly programs: ProgramStore;
	readonly requests: RequestStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly passkeyChallenges: PasskeyChallengeStore;
	readonly passkeys: PasskeyStore;
	readonly pendingSignIns: PendingSignInStore;
	readonly recoveryCodes: RecoveryCodeStore;
	readonly secondFactors: SecondFactorStore;
	readonly sessions: SessionStore;
	readonly signingClients: SigningClientStore;
	readonly signingKeys: SigningKeyStore;
	readonly statistics: StatisticsStore;
	readonly tenants: TenantStore;
	readonly thirdPartyAccounts: ThirdPartyAccountStore;
	readonly thirdPartyAttempts: ThirdPartyAttemptStore;
	readonly thirdPartySignIns: ThirdPartySignInStore;
	readonly totp: TotpStore;
	readonly users: UserStore;
	readonly webhookDeliveries: WebhookDeliveryStore;
	readonly webhooks: WebhookStore;
}

export type StoreName = keyof AllStores;

/** The named stores, as a step inside a transaction receives them. */
export type Stores<Name extends StoreName = StoreName> = Pick<AllStores, Name>;

/** The database, narrowed to the named stores: `Db<"users" | "audit">`. */
export type Db<Name extends StoreName = StoreName> = Persistence<Stores<Name>>;
