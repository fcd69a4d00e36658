// Stores all tokens that a request issues in one transaction, which also uses the code or refresh token that they are for.

import { errors, type GrantHandler, type ParameterNames, type Payload } from "oidc-provider";
import type { OAuthGrant } from "../../domain/oauth-record.ts";
import type { Stores } from "../../domain/stores.ts";
import { type LibraryCall, theCall } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";
import type { Records } from "./records.ts";
import { ProviderWithModes } from "./response-modes.ts";

type Store = (call: LibraryCall, isRefresh: boolean) => Promise<void>;

/** Stores the tokens after each grant handler, before the response. The error of a lost race becomes the response. */
export class IssuingProvider extends ProviderWithModes {
	readonly #store: Store;
	readonly #useCode: (call: LibraryCall) => Promise<void>;

	constructor(issuer: string, configuration: Payload, parts: ProviderParts, records: Records) {
		super(issuer, configuration);
		this.#store = (call, isRefresh) => storeIssued(parts, records, call, isRefresh);
		this.#useCode = async ({ code }) => code && (await records.consume(code.kind, code.id));
	}

	override registerGrantType(name: string, handler: GrantHandler, ...parameters: readonly ParameterNames[]) {
		const storing: GrantHandler = async (context) => {
			const call = theCall();
			try {
				await handler(context);
			} catch (error) {
				// A code works once, even if it does not lead to tokens.
				await this.#useCode(call);
				throw error;
			}
			await this.#store(call, name === "refresh_token");
		};
		super.registerGrantType(name, storing, ...parameters);
	}
}

async function storeIssued(
	{ db, clock, signIns }: ProviderParts,
	records: Records,
	{ code, rotating, grant, issued }: LibraryCall,
	isRefresh: boolean,
): Promise<void> {
	if (grant === undefined || issued.length === 0) return;
	await db.transaction(async (stores) => {
		if (code !== undefined && !(await records.consumeOfGrant(stores, code.kind, code.id, grant)))
			throw new errors.InvalidGrant(`this ${code.kind} was used, or its grant has ended`);
		// A client of the profile `fapi2` keeps its refresh token.
		const isUsed = rotating === undefined ? isRefresh : await rotate(stores, records, rotating, grant);
		await stores.oauthRecords.insertAll(issued);
		if (isUsed) await stores.sessions.extend(grant.sessionId, clock());
	});
	const { tenantId, clientId: appId, userId: id } = grant;
	const use = { tenantId, appId, subject: { kind: "user", id }, atMs: clock() } as const;
	if (code !== undefined) signIns.note(use);
	else signIns.noteUse(use);
}

/**
 * Requests with the same token at the same time get the same successor.
 *
 * @returns true for the first of them.
 * @throws InvalidGrant
 */
async function rotate(
	stores: Stores<"oauthRecords">,
	records: Records,
	refreshToken: string,
	grant: OAuthGrant,
): Promise<boolean> {
	if (await records.consumeOfGrant(stores, "RefreshToken", refreshToken, grant)) return true;
	const usedAtMs = (await records.find("RefreshToken", refreshToken, stores))?.row.consumedAtMs ?? undefined;
	if (usedAtMs === undefined || !(await records.isRepeatable(refreshToken, usedAtMs, stores)))
		throw new errors.InvalidGrant("refresh token was used");
	return false;
}
