// The clients behind an access token for an API, as they are stored now.

import {
	mayActForPeople,
	mayUseTokens,
	type OAuthClientStore,
	type PresentedOAuthClient,
} from "./oauth-client.ts";
import type { OAuthGrantStore } from "./oauth-record.ts";
import { isInUse, type ProgramStore } from "./program.ts";
import { isProgramUrl } from "./program-document.ts";

/** The claims of a token that decide who holds it. */
interface HeldClaims {
	readonly aud: string;
	readonly tenant_id: string;
	readonly client_id: string;
	readonly grant_id?: string;
	readonly act?: { readonly sub: string };
}

export interface TokenHolders {
	/** The client that presents the token. */
	readonly holder: PresentedOAuthClient;
	/** The client whose sign-in the token continues: another one if the holder acts for a person (RFC 8693). */
	readonly front: PresentedOAuthClient;
}

interface Stores {
	readonly oauthClients: Pick<OAuthClientStore, "findPresented">;
	readonly oauthGrants: Pick<OAuthGrantStore, "findLive">;
	readonly programs: Pick<ProgramStore, "find">;
}

/**
 * A token ends when one of its clients is disabled, deleted, suspended, or no longer allowed to use it.
 *
 * @returns undefined if the token may not be used. The caller checks the grant and its user.
 */
export async function findTokenHolders(
	stores: Stores,
	claims: HeldClaims,
	nowMs: number,
): Promise<TokenHolders | undefined> {
	const { act, aud, client_id: name, grant_id: grantId = "", tenant_id: tenantId } = claims;
	const find = (id: string) => findClient(stores, tenantId, id, nowMs);
	// A program has its URL in its tokens, which several tenants may have reviewed: its grant names its application.
	const findFront = async () => find((await stores.oauthGrants.findLive(grantId, nowMs))?.clientId ?? "");
	if (act === undefined) {
		const holder = isProgramUrl(name) ? await findFront() : await find(name);
		return holder !== undefined && mayUseTokens(holder, claims) ? { holder, front: holder } : undefined;
	}
	const [holder, front] = await Promise.all([find(act.sub), findFront()]);
	if (holder === undefined || holder.resource === null || !mayActForPeople(holder, aud)) return undefined;
	const sent = { aud: holder.resource, grant_id: grantId };
	return front !== undefined && mayUseTokens(front, sent) ? { holder, front } : undefined;
}

async function findClient(
	{ oauthClients, programs }: Stores,
	tenantId: string,
	id: string,
	nowMs: number,
): Promise<PresentedOAuthClient | undefined> {
	const client = await oauthClients.findPresented(id);
	if (client?.tenantId !== tenantId) return undefined;
	if (client.application.kind !== "program") return client;
	const program = await programs.find(tenantId, id);
	return program !== undefined && isInUse(program, nowMs) ? client : undefined;
}
