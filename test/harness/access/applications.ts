// Applications, roles, grants, and API clients for tests, and users with and without access to them.

import { addPerson, type Person } from "../people/people.ts";
import { addSecondTenant, type SecondTenant } from "../people/second-tenant.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export const APPLICATIONS = "/api/v1/applications";
export const API_CLIENTS = "/api/v1/api-clients";
/** A well-formed id of no record. */
export const ABSENT_ID = "01900000-0000-7000-8000-000000000000";

type Fields = Readonly<Record<string, unknown>>;
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Cast {
	/** Access tokens. */
	readonly admin: string;
	readonly auditor: Person;
	readonly reviewer: Person;
	readonly plain: Person;
	readonly other: SecondTenant;
}

/** Adds one user of each kind, and an admin of another tenant. */
export async function addCast(service: TestService): Promise<Cast> {
	const [admin, auditor, reviewer, plain, other] = await Promise.all([
		service.adminToken(),
		addPerson(service, "auditor", { roles: ["auditor"] }),
		addPerson(service, "reviewer", { roles: ["reviewer"] }),
		addPerson(service, "plain"),
		addSecondTenant(service),
	]);
	return { admin, auditor, reviewer, plain, other };
}

let created = 0;

export type CreatedApplication = DataOf<"POST /api/v1/applications">;
/** With a Secret, unless it was created with a public key. */
export type CreatedClient = DataOf<"POST /api/v1/api-clients"> & { readonly secret: string };

export function addApplication(service: TestService, fields: Fields = {}): Promise<CreatedApplication> {
	return service.asAdmin("POST", APPLICATIONS, { name: `Application ${++created}`, ...fields });
}

export function addRole(
	service: TestService,
	appId: string,
	name: string,
	permissions: readonly string[] = [],
): Promise<DataOf<"POST /api/v1/applications/{id}/roles">> {
	return service.asAdmin("POST", `${APPLICATIONS}/${appId}/roles`, { name, permissions });
}

/** @returns the record with its `secret`; default: of a new application */
export async function addApiClient(service: TestService, fields: Fields = {}): Promise<CreatedClient> {
	const app_id = fields.app_id ?? (await addApplication(service)).id;
	const client = await service.asAdmin("POST", API_CLIENTS, {
		name: `Client ${++created}`,
		...fields,
		app_id,
	});
	return withSecret(client);
}

export function withSecret<T extends { readonly secret?: string }>(
	client: T,
): T & { readonly secret: string } {
	const { secret } = client;
	if (secret === undefined) throw new Error("the API client has no Secret");
	return { ...client, secret };
}

export function putGrant(
	service: TestService,
	appId: string,
	userId: string,
	roles: readonly string[] = [],
): Promise<DataOf<"PUT /api/v1/applications/{id}/grants/users/{user_id}">> {
	return service.asAdmin("PUT", `${APPLICATIONS}/${appId}/grants/users/${userId}`, { roles });
}

/** Problem details (RFC 9457), which the service returns when the request accepts them. */
interface Problem {
	readonly code: string;
	readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

/** Calls as the first admin and requests problem details. */
export async function problemOf(
	service: TestService,
	method: Method,
	path: string,
	body?: unknown,
): Promise<{ status: number; code: string; fields: string[]; messages: string[] }> {
	const response = await service.callAsAdmin<Problem>(method, path, {
		body,
		headers: { accept: "application/problem+json" },
	});
	const errors = response.body?.errors ?? [];
	return {
		status: response.status,
		code: response.body?.code,
		fields: errors.map(({ field }) => field),
		messages: errors.map(({ message }) => message),
	};
}
