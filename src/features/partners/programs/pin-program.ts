// Pins a reviewed document: as a new application with an OAuth client, or in place of the document reviewed before.

import { slugCandidates } from "../../../domain/application.ts";
import { checkAssertionAudiences } from "../../../domain/assertion.ts";
import type { Caller } from "../../../domain/caller.ts";
import {
	CLIENT_DEFAULTS,
	checkAllowedResources,
	NO_OAUTH_SECRET,
	oauthClientNotFound,
	RESPONSE_MODES_OF_TYPE,
} from "../../../domain/oauth-client.ts";
import { type ListedProgram, programNotFound, READ_AGAIN_MS } from "../../../domain/program.ts";
import { documentDifferences, type ProgramDocument } from "../../../domain/program-document.ts";
import { requestDecided } from "../../../domain/request.ts";
import type { Stores } from "../../../domain/stores.ts";
import { found } from "../../../kernel/error.ts";

/** The reviewer's settings. Absent ones of a change are unchanged. */
export interface ProgramSettings
	extends Pick<ListedProgram, "allowedResources">,
		Partial<Pick<ListedProgram, "assertionAudiences" | "accessPolicy" | "expiresAtMs">> {}

export interface ProgramApproval extends ProgramSettings {
	/** Of the document that the reviewer read; absent approves the latest one. */
	readonly documentDigest?: string;
}

interface Pinned {
	readonly applicationId: string;
	readonly document: ProgramDocument;
	readonly settings: ProgramSettings;
	readonly caller: Caller;
	readonly publicUrl: string;
	readonly nowMs: number;
}

const ACTIVE = { status: "active", suspendedBy: null } as const;

type PinStores = Stores<"applications" | "oauthClients" | "programs">;

/**
 * Call inside the transaction of the approval.
 *
 * @throws AppError `request.invalid` (`allowed_resources`, `assertion_audiences`), `request.already_decided`.
 */
export async function createProgram(
	{ applications, oauthClients, programs }: PinStores,
	{ applicationId, document, settings, caller, publicUrl, nowMs }: Pinned,
): Promise<void> {
	const { tenantId } = caller;
	// Each API decides which of its users to admit.
	const { allowedResources, assertionAudiences = [], accessPolicy = "open", expiresAtMs = null } = settings;
	checkAssertionAudiences(assertionAudiences, document.authMethod === "none", publicUrl);
	await checkAllowedResources(oauthClients, tenantId, { resource: null, allowedResources });
	const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
	const application = {
		id: applicationId,
		tenantId,
		kind: "program",
		...applicationOf(document),
		description: "",
		homepageUrl: "",
		logoUrl: "",
		accessPolicy,
		status: "active",
		...times,
	} as const;
	let isStored = false;
	for (const slug of slugCandidates(document.name, applicationId))
		isStored ||= await applications.insert({ ...application, slug });
	if (!isStored) throw new Error("no free slug for the application of an approved program");
	await oauthClients.insert({
		applicationId,
		tenantId,
		...CLIENT_DEFAULTS,
		...clientOf(document),
		allowedResources,
		assertionAudiences,
		...NO_OAUTH_SECRET,
		...times,
	});
	const isNew = await programs.insert({
		applicationId,
		tenantId,
		url: document.url,
		...ACTIVE,
		...reviewOf(document, caller, nowMs),
		nextReadAtMs: nowMs + READ_AGAIN_MS,
		expiresAtMs,
		...times,
	});
	// The program was requested again while another request was approved.
	if (!isNew) throw requestDecided({ status: "approved" });
}

/**
 * Call inside the transaction of the approval. Ends the consents and tokens of the program if its document differs from
 * the one reviewed before. A program that an administrator suspended stays suspended.
 *
 * @throws AppError `request.invalid` (`allowed_resources`, `assertion_audiences`), `program.not_found`.
 */
export async function repinProgram(
	{ applications, oauthClients, programs }: PinStores,
	{ applicationId, document, settings, caller, publicUrl, nowMs }: Pinned,
): Promise<void> {
	const { tenantId } = caller;
	const { allowedResources, accessPolicy, expiresAtMs } = settings;
	await checkAllowedResources(oauthClients, tenantId, { resource: null, allowedResources });
	const client = found(await oauthClients.findForUpdate(tenantId, applicationId), oauthClientNotFound);
	const before = found(await programs.find(tenantId, applicationId), programNotFound);
	// Without a key, it can no longer carry people.
	const kept = document.authMethod === "none" ? [] : before.assertionAudiences;
	const { assertionAudiences = kept } = settings;
	checkAssertionAudiences(assertionAudiences, document.authMethod === "none", publicUrl);
	const allowed = { allowedResources, assertionAudiences };
	const shown = { ...applicationOf(document), ...(accessPolicy && { accessPolicy }) };
	await applications.update(tenantId, applicationId, shown, nowMs);
	if (documentDifferences(before.document, document).length > 0)
		await oauthClients.replace({ ...client, ...clientOf(document), ...allowed, updatedAtMs: nowMs });
	else await oauthClients.update(tenantId, applicationId, allowed, nowMs);
	const changes = {
		...reviewOf(document, caller, nowMs),
		...(before.suspendedBy === "check" && ACTIVE),
		...(expiresAtMs !== undefined && { expiresAtMs }),
	};
	await programs.update(tenantId, applicationId, changes, nowMs);
}

const applicationOf = ({ name, redirectUris }: ProgramDocument) => ({ name, redirectUris });

/** Keys are pinned, so the service never reads the `jwks_uri` of a program for a token. */
function clientOf({ authMethod, jwks }: ProgramDocument) {
	const type = authMethod === "none" ? "native" : "web";
	return { type, authMethod, jwks, responseModes: RESPONSE_MODES_OF_TYPE[type] } as const;
}

function reviewOf(document: ProgramDocument, { userId }: Caller, nowMs: number) {
	return { document, reviewedBy: userId, reviewedAtMs: nowMs, readAtMs: nowMs };
}
