// The APIs that a request names, and who may get tokens for them.

import { type Context, errors, type Issued } from "oidc-provider";
import { directoryUrl } from "../../domain/directory.ts";
import { ALLOWED_RESOURCES_MAX, type PresentedOAuthClient } from "../../domain/oauth-client.ts";
import type { User } from "../../domain/user.ts";
import { continuedSignIn } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";

/**
 * The library calls for each value separately, duplicates included.
 *
 * @throws InvalidTarget
 */
export function checkCount(resource: unknown): void {
	if (Array.isArray(resource) && resource.length > ALLOWED_RESOURCES_MAX)
		throw new errors.InvalidTarget(`resource must be sent at most ${ALLOWED_RESOURCES_MAX} times`);
}

export interface Target {
	readonly client: PresentedOAuthClient;
	readonly api: PresentedOAuthClient;
	/** Read once per request. */
	scopes(): Promise<readonly string[]>;
	/** The user of the request, if they may use the API. Checked once per request. */
	user(source: Issued): Promise<User | undefined>;
}

interface Lookups {
	readonly client: Promise<PresentedOAuthClient | undefined>;
	readonly targets: Map<string, Promise<Target>>;
}

/** Caches per request: the client and each API are read once. */
const lookups = new WeakMap<Context, Lookups>();

/** @throws InvalidTarget like `findTarget`. */
export function getTarget(parts: ProviderParts, context: Context, resource: string): Promise<Target> {
	const clientId = context.oidc.client?.clientId ?? "";
	const found = lookups.get(context) ?? {
		client: parts.db.stores.oauthClients.findPresented(clientId),
		targets: new Map<string, Promise<Target>>(),
	};
	lookups.set(context, found);
	const target = found.targets.get(resource) ?? findTarget(parts, found, resource);
	found.targets.set(resource, target);
	return target;
}

/**
 * @throws InvalidTarget with one message for every reason, so that the response does not reveal which APIs exist: not
 * allowed for the client, no application, a disabled one, or a name assigned to another tenant, whose API may not
 * distinguish the tokens.
 */
async function findTarget(parts: ProviderParts, found: Lookups, resource: string): Promise<Target> {
	const { db, rules } = parts;
	const { oauthClients } = db.stores;
	const client = await found.client;
	if (client !== undefined && (await isOwnDirectory(parts, client, resource)))
		return { client, api: client, scopes: async () => [], user: async () => undefined };
	if (client?.allowedResources.includes(resource)) {
		const api = await oauthClients.findByResource(client.tenantId, resource);
		let scopes: Promise<readonly string[]> | undefined;
		let user: Promise<User | undefined> | undefined;
		if (api?.application.status === "active")
			return {
				client,
				api,
				scopes() {
					scopes ??= rules.scopesOf(api);
					return scopes;
				},
				user({ accountId, amr = [] }) {
					user ??= rules.findUser({ tenantId: api.tenantId, userId: String(accountId), amr }, api);
					return user;
				},
			};
	}
	throw notForThisClient();
}

/** Whether the resource is a directory (SCIM) that names this service as its client. It belongs to no application. */
async function isOwnDirectory(
	{ db, issuer }: ProviderParts,
	{ applicationId, tenantId, type }: PresentedOAuthClient,
	resource: string,
): Promise<boolean> {
	const base = directoryUrl(issuer, { id: "" });
	if (type !== "service" || !resource.startsWith(base)) return false;
	const directory = await db.stores.directories.findPresented(resource.slice(base.length));
	return directory?.clientId === applicationId && directory.tenantId === tenantId;
}

export function notForThisClient(): Error {
	return new errors.InvalidTarget("this client cannot get tokens for this resource");
}

/** What a token is issued for: a code, a refresh token, an exchanged access token of a person, or an assertion. */
export function sourceOf({ oidc }: Context): Issued | undefined {
	const { AuthorizationCode, DeviceCode, RefreshToken } = oidc.entities;
	return AuthorizationCode ?? DeviceCode ?? RefreshToken ?? continuedSignIn()?.source;
}

/** The APIs that the library has asked for in this request. */
export function knownTargets(context: Context): ReadonlyMap<string, Promise<Target>> {
	return lookups.get(context)?.targets ?? new Map();
}
