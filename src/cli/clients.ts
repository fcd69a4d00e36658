// `latchkey clients`: lists, creates, and rotates API clients, and lists refused calls, with the service running or
// stopped.

import {
	CLIENT_STATUSES,
	createClient,
	listClients,
	listRefusals,
	rotateClient,
	showClient,
} from "../ops/manage/manage-clients.ts";
import { type ListOptions, operate, parseChoice, parseLimit, type TenantOption } from "./daily-work.ts";
import { printConfirmation, printResult } from "./output.ts";
import { printList, printRecord } from "./table.ts";

type ClientsListOptions = ListOptions & {
	readonly status?: string;
	/** Slug, name, or id. */
	readonly app?: string;
	readonly search?: string;
};

export async function clientsList(options: ClientsListOptions): Promise<void> {
	const limit = parseLimit(options);
	const status = parseChoice("--status", options.status, CLIENT_STATUSES);
	const { search: q, app } = options;
	const query = { ...(status && { status }), ...(q && { q }), ...(app && { app }) };
	await operate(options, async (operation) =>
		printList(await listClients(operation, query, limit), [
			"name",
			"api_key",
			"status",
			"mode",
			"last_used_at",
			"expires_at",
		]),
	);
}

/** `reason` holds what the response to the call did not reveal. */
export async function clientsRefusals(name: string, options: ListOptions): Promise<void> {
	const limit = parseLimit(options);
	await operate(options, async (operation) =>
		printList(await listRefusals(operation, name, limit), [
			"at",
			"code",
			"reason",
			"method",
			"path",
			"ip",
			"signature_valid",
			"request_id",
		]),
	);
}

export async function clientsShow(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => printRecord(await showClient(operation, name)));
}

/** Prints the Secret. It is shown only this once. */
export async function clientsCreate(
	name: string,
	options: TenantOption & Omit<Parameters<typeof createClient>[1], "name">,
): Promise<void> {
	await operate(options, async (operation) => {
		const client = await createClient(operation, { ...options, name });
		printWithSecret(client);
		printConfirmation(`created ${client.name} with the scopes ${client.scopes.join(", ") || "none"}`);
	});
}

/** Prints the new Secret. It is shown only this once. */
export async function clientsRotate(
	name: string,
	options: TenantOption & { readonly overlap: string },
): Promise<void> {
	await operate(options, async (operation) => {
		const client = await rotateClient(operation, name, options.overlap);
		printWithSecret(client);
		const end = client.previous_secret_expires_at;
		printConfirmation(
			`${client.name} has a new Secret; the old one is ${end === null ? "invalid" : `valid until ${end}`}`,
		);
	});
}

function printWithSecret(client: Awaited<ReturnType<typeof createClient>>): void {
	const { tenant_id, app_id, api_key, secret } = client;
	printResult(
		client,
		`tenant:  ${tenant_id}`,
		`app:     ${app_id}`,
		`key:     ${api_key}`,
		`secret:  ${secret}  (shown only this once)`,
	);
}
