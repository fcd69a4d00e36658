// Directories that a test fills by SCIM, in the forms of Entra ID and Okta.

import assert from "node:assert/strict";
import type { CallResponse, TestService } from "../service/service.ts";
import { addProvider, IDENTITY_PROVIDERS } from "./identity-providers.ts";

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export interface ScimBody {
	readonly id: string;
	readonly schemas: readonly string[];
	readonly userName: string;
	readonly displayName: string;
	readonly externalId: string;
	readonly active: boolean;
	readonly emails: readonly { readonly value: string }[];
	readonly members?: readonly { readonly value: string }[];
	readonly meta: { readonly location: string; readonly lastModified: string; readonly resourceType: string };
	readonly totalResults: number;
	readonly startIndex: number;
	readonly itemsPerPage: number;
	readonly Resources: readonly ScimBody[];
	readonly status: string;
	readonly scimType?: string;
	readonly detail: string;
}

export interface TestDirectory {
	readonly issuerId: string;
	readonly provider: string;
	readonly token: string;
	/** The path of the directory. */
	readonly base: string;
	scim(method: string, path: string, body?: unknown, token?: string): Promise<CallResponse<ScimBody>>;
	/** Creates a person. @returns the resource */
	person(userName: string, fields?: Readonly<Record<string, unknown>>): Promise<ScimBody>;
	group(displayName: string, members?: readonly string[]): Promise<ScimBody>;
	patch(path: string, ...operations: object[]): Promise<CallResponse<ScimBody>>;
}

/** As the first admin, or with the given token. */
export async function addDirectory(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
	provider: Readonly<Record<string, unknown>> = {},
	adminToken?: string,
): Promise<TestDirectory> {
	const adminTokenNow = adminToken ?? (await service.adminToken());
	const issuer = await addProvider(service, provider, adminTokenNow);
	const { status, body } = await service.call<{ data: { token: string } }>(
		"PUT",
		`${IDENTITY_PROVIDERS}/${issuer.id}/directory`,
		{ token: adminTokenNow, body: { on_remove: "disable", ...fields } },
	);
	assert.equal(status, 201, JSON.stringify(body));
	return directoryOf(service, issuer, body.data.token);
}

export function directoryOf(
	service: Pick<TestService, "call">,
	issuer: { readonly id: string; readonly provider: string },
	token: string,
): TestDirectory {
	const base = `/scim/v2/${issuer.id}`;
	const scim: TestDirectory["scim"] = (method, path, body, other = token) =>
		service.call<ScimBody>(method, `${base}/${path}`, {
			token: other,
			headers: { "content-type": "application/scim+json" },
			...(body !== undefined && { body }),
		});
	const created = async (path: string, body: object): Promise<ScimBody> => {
		const response = await scim("POST", path, body);
		assert.equal(response.status, 201, JSON.stringify(response.body));
		return response.body;
	};
	return {
		issuerId: issuer.id,
		provider: issuer.provider,
		token,
		base,
		scim,
		person: (userName, more = {}) =>
			created("Users", { schemas: [USER], userName, externalId: userName, ...more }),
		group: (displayName, members = []) =>
			created("Groups", { schemas: [GROUP], displayName, members: members.map((value) => ({ value })) }),
		patch: (path, ...Operations) => scim("PATCH", path, { schemas: [PATCH], Operations }),
	};
}
