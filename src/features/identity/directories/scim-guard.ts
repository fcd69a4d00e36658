// Authenticates a directory: by its token, or by a client-credentials token of its client.

import { matchesDigest } from "../../../crypto/digest.ts";
import { directoryUrl, liveDirectoryTokens, type PresentedDirectory } from "../../../domain/directory.ts";
import type { Guard } from "../../../http/describe/guard.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { AppError } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import type { DirectoryCaller } from "./directory-caller.ts";

type Needed = Needs<"directories" | "oauthClients", "clock" | "readApiToken" | "publicUrl">;

const BEARER = /^Bearer +([^\s]+)$/i;

/** @returns a guard that runs before the body is read. */
export function scimGuard(needs: Needed): Guard<DirectoryCaller> {
	return {
		security: "bearer",
		transport: "confidential",
		allows: "the directory",
		errors: ["token.missing", "token.invalid"],
		admit: (request) => admit(needs, request),
	};
}

/**
 * The same error for a wrong token and an unknown directory.
 *
 * @throws AppError `token.missing`, `token.invalid`.
 */
async function admit(needs: Needed, request: Incoming): Promise<DirectoryCaller> {
	const [header, ...others] = request.headerValues("authorization");
	if (header === undefined)
		throw new AppError("token.missing", "Authorization must be Bearer with the token of the directory");
	const [, token] = others.length > 0 ? [] : (BEARER.exec(header) ?? []);
	const issuerId = parseId(request.path.split("/")[3] ?? "");
	const directory =
		issuerId === undefined ? undefined : await needs.db.stores.directories.findPresented(issuerId);
	if (token === undefined || directory === undefined || !(await isOf(needs, directory, token)))
		throw new AppError("token.invalid", "the token is not that of this directory");
	const { tenantId, displayName } = directory;
	request.tenantId = tenantId;
	return {
		tenantId,
		userId: null,
		actor: `directory:${directory.issuerId}`,
		actorName: displayName,
		origin: request,
		directory,
	};
}

async function isOf(needs: Needed, directory: PresentedDirectory, token: string): Promise<boolean> {
	const { clientId, issuerId, tenantId } = directory;
	if (matchesDigest(token, liveDirectoryTokens(directory, needs.clock()))) return true;
	if (clientId === null) return false;
	const claims = await needs.readApiToken(token);
	// A token that is bound to a key needs its proof, which directories do not send.
	const isForDirectory =
		claims?.aud === directoryUrl(needs.publicUrl, { id: issuerId }) &&
		claims.client_id === clientId &&
		claims.sub === clientId &&
		claims.tenant_id === tenantId &&
		claims.cnf === undefined;
	if (!isForDirectory) return false;
	const client = await needs.db.stores.oauthClients.findPresented(clientId);
	return client?.tenantId === tenantId && client.type === "service" && client.application.status === "active";
}
