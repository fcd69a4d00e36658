// Every table of the schema, in the order in which a restore repairs and reports them.

import type { TableDescription } from "../table.ts";
import * as access from "./access-tables.ts";
import * as account from "./account-tables.ts";
import * as directory from "./directory-tables.ts";
import * as gate from "./gate-tables.ts";
import * as oauth from "./oauth-tables.ts";
import * as partner from "./partner-tables.ts";
import * as platform from "./platform-tables.ts";
import * as program from "./program-tables.ts";
import * as record from "./record-tables.ts";
import * as request from "./request-tables.ts";
import * as signIn from "./sign-in-tables.ts";
import * as thirdParty from "./third-party-tables.ts";

/** A test compares these columns with the schema. */
export const TABLES: readonly TableDescription[] = [
	platform.meta,
	platform.tenants,
	platform.signingKeys,
	platform.derivationRoots,
	platform.acmeCertificates,
	account.storedUsers,
	account.userKeys,
	account.userNames,
	account.storedSessions,
	account.storedSupportSessions,
	account.adminKeysWithDigest,
	account.emailCodes,
	signIn.loginFailures,
	thirdParty.thirdPartyAccounts,
	access.storedGroups,
	access.applications,
	access.applicationRoles,
	access.grants,
	access.grantRoles,
	request.requests,
	partner.storedClients,
	...partner.nonces,
	partner.nonceRing,
	record.mailOutbox,
	record.auditHeads,
	record.auditEvents,
	record.auditCheckpoints,
	partner.apiClientNotices,
	partner.allowlistMisses,
	access.groupMembers,
	access.managers,
	access.groupGrants,
	access.groupGrantRoles,
	thirdParty.sealedIdentityProviders,
	thirdParty.domains,
	thirdParty.setUpLinksWithDigest,
	thirdParty.thirdPartyAttempts,
	thirdParty.thirdPartySignIns,
	thirdParty.thirdPartyAliases,
	directory.directoriesWithDigests,
	directory.directoryPeople,
	directory.directoryEmails,
	directory.directoryGroups,
	directory.directoryEvents,
	signIn.totpFactors,
	signIn.recoveryCodes,
	signIn.passkeyUsers,
	signIn.passkeys,
	signIn.passkeyChallenges,
	account.pendingSignIns,
	account.recoveryLinks,
	account.knownDevices,
	signIn.addressAllowances,
	account.addressMails,
	signIn.refusalNotes,
	platform.rowCounts,
	record.webhooksWithSecrets,
	record.storedWebhookDeliveries,
	record.refusals,
	record.statistics,
	platform.tenantBrands,
	platform.images,
	oauth.oauthClientsWithDigests,
	program.storedPrograms,
	request.programAskers,
	oauth.resourceNames,
	oauth.assertedGrants,
	oauth.oauthActors,
	oauth.oauthRecords,
	oauth.oauthConsents,
	gate.gatesWithDigests,
	access.clientGrants,
	access.clientGrantRoles,
	access.programGrants,
	access.programGrantRoles,
	access.reviews,
	access.storedReviewItems,
	partner.nonceBatches,
	platform.idTokenKeys,
	oauth.logoutNotices,
];
