// Submits and decides access requests, and reads the links from mails.

import { auditOf as auditRowsOf, withDatabase } from "../people/people.ts";
import type { TestService } from "../service/service.ts";
import type { BodyOf, DataOf } from "../service/wire-body.ts";

export const REQUESTS = "/api/v1/access-requests";
/** Where reviewers decide. */
export const QUEUE = "/api/v1/requests";

let submitted = 0;

/** A valid body with a unique email address and project; `fields` override it, `undefined` omits a field. */
export function submission(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
	submitted += 1;
	return {
		applicant_name: "Ada Lovelace",
		email: `applicant-${submitted}@partner.example`,
		company: "Engines Ltd",
		project_name: `Engine ${submitted}`,
		purpose: "To compute Bernoulli numbers.",
		...fields,
	};
}

/** Submits a request. @returns its record */
export async function submit(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
	headers: Readonly<Record<string, string>> = {},
): Promise<BodyOf<"POST", typeof REQUESTS>> {
	const response = await service.call("POST", REQUESTS, { body: submission(fields), headers });
	if (response.status !== 201)
		throw new Error(`submitting returned ${response.status}: ${JSON.stringify(response.body)}`);
	return response.body;
}

type DecidedRequest = DataOf<"POST /api/v1/requests/{id}/approve">;
type ApprovedRequest = DecidedRequest & { readonly api_client_id: string };

/** Decides a request as the first admin. @returns the decided record */
export async function decide(
	service: TestService,
	id: string,
	verb: "approve" | "reject",
	body: Readonly<Record<string, unknown>> = verb === "reject" ? { review_note: "Not now." } : {},
): Promise<DecidedRequest> {
	return await service.asAdmin("POST", `${QUEUE}/${id}/${verb}`, body);
}

/** Submits and approves a request. */
export async function submitApproved(
	service: TestService,
	approval: Readonly<Record<string, unknown>> = {},
): Promise<ApprovedRequest> {
	const { id } = await submit(service);
	const record = await decide(service, id, "approve", approval);
	if (record.api_client_id === null) throw new Error("the approved request has no API client");
	return { ...record, api_client_id: record.api_client_id };
}

/** The pages that links in mails open. */
export type LinkPage = "claim" | "withdraw" | "test-client" | "invite" | "reset" | "restore-email";

/** Sets whether the tenant of the first admin allows test clients. */
export async function allowTestClients(service: TestService, isAllowed = true): Promise<void> {
	const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
	await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { test_clients: isAllowed });
}

type TestClient = DataOf<"POST /api/v1/access-requests/test-client">;

/** Submits a request and creates its test client; the tenant must allow it. */
export async function addTestClient(
	service: TestService,
): Promise<{ readonly requestId: string; readonly email: string; readonly client: TestClient }> {
	const { id: requestId, email } = await submit(service);
	const token = await mailedToken(service, email, "test-client");
	const response = await service.call("POST", `${REQUESTS}/test-client`, { body: { token } });
	if (response.status !== 201)
		throw new Error(`creating the test client returned ${response.status}: ${JSON.stringify(response.body)}`);
	return { requestId, email, client: response.body.data };
}

/** Links to `page` mailed to the email address, oldest first; waits for `count` links, up to 20 s per mail. */
export async function mailedLinks(
	service: TestService,
	address: string,
	page: LinkPage,
	count = 1,
): Promise<string[]> {
	const link = new RegExp(`https?://\\S+/${page}#[A-Za-z0-9_-]+`);
	for (let expected = count; ; expected++) {
		const mails = await service.mailsTo(address, expected);
		const links = mails.flatMap((mail) => link.exec(mail.text ?? "")?.[0] ?? []);
		// Other mails may arrive at the same address: continue while there are new ones.
		if (links.length >= count || mails.length < expected) return links;
	}
}

/** The token of the newest link. */
export async function mailedToken(
	service: TestService,
	address: string,
	page: LinkPage,
	count = 1,
): Promise<string> {
	const links = await mailedLinks(service, address, page, count);
	if (links.length < count) throw new Error(`${links.length} links to ${page} were mailed, not ${count}`);
	return links.at(-1)?.split("#")[1] as string;
}

/** Reads rows from the database of the running service. */
export async function rows<Row>(
	service: TestService,
	sql: string,
	...parameters: (string | number)[]
): Promise<Row[]> {
	const found = await withDatabase(service, ({ queries }) => queries.all<Row>(sql, ...parameters));
	return found.map((row) => ({ ...row }));
}

/** `actor action` of the audit events about a target, oldest first. */
export async function auditOf(service: TestService, target: string): Promise<string[]> {
	return (await auditRowsOf(service, target)).map(({ actor, action }) => `${actor} ${action}`);
}
