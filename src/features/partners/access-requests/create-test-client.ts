// Creates the test client of a pending access request with the token from its receipt mail.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { AccessRequest } from "../../../domain/access-request.ts";
import { type ApiClient, DEFAULT_SCOPES, NEW_CLIENT, TEST_APP_ID } from "../../../domain/api-client.ts";
import { named } from "../../../domain/audit.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { type ClientWithSecret, issueSecret, issueTestKey } from "../steps/issue-secret.ts";

interface TestLink {
	/** `{publicUrl}/test-client#<token>`: browsers do not send the fragment, so it appears in no log. */
	readonly url: string;
	readonly testDigest: string;
}

/** A new token of 256 bits, valid once and until the request is decided or withdrawn. */
export function issueTestLink(publicUrl: string): TestLink {
	const token = randomToken();
	return { url: `${publicUrl}/test-client#${token}`, testDigest: tokenDigest(token) };
}

/**
 * One UPDATE consumes the token, so only one of several concurrent calls gets the Secret. All other tokens (unknown, used,
 * malformed, or of a request that is not pending) get the same response. So does the token of a tenant that does not
 * allow test clients; that token is not consumed.
 *
 * @throws AppError `test_link.not_found`.
 */
export async function createTestClient(
	{
		db,
		clock,
		secretBox,
	}: Needs<"accessRequests" | "apiClients" | "tenants" | "audit", "clock" | "secretBox">,
	token: string,
	origin: Origin,
): Promise<ClientWithSecret> {
	const now = clock();
	const id = newId(now);
	const { secretPlain, ...secret } = issueSecret(secretBox, id);
	return db.transaction(async ({ accessRequests, apiClients, tenants, audit }) => {
		const request = found(await accessRequests.consumeTest(tokenDigest(token), now), notFound);
		const { tenantId } = request;
		if ((await tenants.findById(tenantId))?.testClients !== true) throw notFound();
		const { secretSealed, secretHint } = secret;
		const client = { ...testClient(request, id, now), secretHint };
		await apiClients.insert({ ...client, secretSealed, previousSecretSealed: null });
		const details = { access_request_id: request.id };
		const target = named("api_client", id, client.name);
		await audit.append(anonymousCaller(tenantId, origin), "api_client.test_created", target, details);
		return { client, secretPlain };
	});
}

/** It gets its expiry from the decision. */
function testClient(request: AccessRequest, id: string, nowMs: number): Omit<ApiClient, "secretHint"> {
	const { id: accessRequestId, tenantId, projectName: name } = request;
	const { applicantName, email, company, purpose, locale } = request;
	return {
		...NEW_CLIENT,
		id,
		tenantId,
		appId: TEST_APP_ID,
		mode: "test",
		name,
		apiKey: issueTestKey(),
		status: "active",
		scopes: DEFAULT_SCOPES,
		secretCreatedAtMs: nowMs,
		accessRequestId,
		owner: { name: applicantName, email, company, purpose, locale },
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	};
}

function notFound(): AppError {
	return new AppError(
		"test_link.not_found",
		"the link is not valid: it was used, the request was decided or withdrawn, or it never existed",
	);
}
