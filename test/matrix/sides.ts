// Two tenants with the same kinds of records, and every kind of caller.

import assert from "node:assert/strict";
import { SCOPES } from "../../src/domain/api-client.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { addProgramRequest } from "../harness/openid/programs.ts";
import { addPerson, type Person, signInToApplication } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { providerBody } from "../harness/providers/identity-providers.ts";
import type { Credentials, TestService } from "../harness/service/service.ts";

type Client = Credentials & { readonly id: string };

/** One tenant with the records of its admin. */
export interface Side {
	readonly tenantId: string;
	make(method: "POST" | "PUT" | "GET", path: string, body?: unknown): Promise<Record<string, unknown>>;
	addUser(): Promise<string>;
	addInvited(): Promise<string>;
	/** The same user every time: for calls that do not change the user. */
	anyUser(): Promise<string>;
	addApplication(): Promise<string>;
	addGroup(): Promise<string>;
	addRole(): Promise<{ id: string; role_id: string }>;
	addClient(scopes?: readonly string[]): Promise<Client>;
	addWebhook(): Promise<string>;
	addProvider(fields?: object): Promise<{ id: string; provider: string }>;
	/** An active application with a redirect URI, and the URI. */
	linkAccount(userId: string): Promise<string>;
	addLinkedIdentity(): Promise<string>;
	submit(): Promise<string>;
	/** A pending request for a new program. */
	askForProgram(): Promise<string>;
	/** A sent mail. */
	addMail(): Promise<string>;
	addAdminKey(fields?: object): Promise<{ id: string; key: string }>;
	/** Belongs to a user who is not a caller in this test. */
	sessionOfAnother(): Promise<string>;
}

/** The credentials of a caller. */
export type Caller =
	| { readonly kind: "nobody" }
	| {
			readonly kind: "person";
			readonly password: string;
			readonly token: string;
			readonly again: () => Promise<string>;
	  }
	| { readonly kind: "key"; readonly key: string }
	| { readonly kind: "client"; readonly credentials: Client; readonly again: () => Promise<Client> };

export interface Sides {
	readonly own: Side;
	readonly foreign: Side;
	/** By name; a name that begins with `foreign` belongs to the other tenant. */
	readonly callers: Readonly<Record<string, Caller>>;
}

let created = 0;

export async function buildSides(service: TestService): Promise<Sides> {
	const other = await addSecondTenant(service);
	const me = await service.callAsAdmin("GET", "/api/v1/users/me");
	const own = sideOf(service, me.body.data.tenant_id, await service.adminToken());
	// Not the calling admin: no caller owns the records of the test.
	const keeper = { username: "keeper", password: "the keeper of things" };
	await sideOf(service, other.id, other.adminToken).make("POST", "/api/v1/users", {
		...keeper,
		email: "keeper@matrix.example",
		roles: ["admin"],
	});
	const foreign = sideOf(service, other.id, await other.tokenOf(keeper.username, keeper.password));
	const person = async (name: string, roles: readonly string[]): Promise<Caller> =>
		callerOf(service, await addPerson(service, name, { roles }));
	const heldByApplication = async (name: string, roles: readonly string[]): Promise<Caller> => {
		const holder = await addPerson(service, name, { roles });
		const again = (): Promise<string> => signInToApplication(service, holder);
		return { kind: "person", password: holder.password, token: await again(), again };
	};
	const client = async (side: Side, scopes: readonly string[]): Promise<Caller> => ({
		kind: "client",
		credentials: await side.addClient(scopes),
		again: () => side.addClient(scopes),
	});
	const key = async (side: Side, roles: readonly string[]): Promise<Caller> => ({
		kind: "key",
		key: (await side.addAdminKey({ roles })).key,
	});
	const foreignPassword = "another tenant, another admin";
	const foreignAgain = (): Promise<string> => other.tokenOf("admin", foreignPassword);
	return {
		own,
		foreign,
		callers: {
			nobody: { kind: "nobody" },
			"plain user": await person("plainuser", []),
			supporter: await person("supporter", ["supporter"]),
			reviewer: await person("reviewer", ["reviewer"]),
			auditor: await person("auditor", ["auditor"]),
			admin: await person("adminonly", ["admin"]),
			"platform admin": await person("platform", ["platform_admin"]),
			"admin with an application's token": await heldByApplication("adminheld", ["admin"]),
			"platform admin with an application's token": await heldByApplication("platformheld", [
				"platform_admin",
			]),
			"foreign admin": {
				kind: "person",
				password: foreignPassword,
				token: other.adminToken,
				again: foreignAgain,
			},
			"auditor key": await key(own, ["auditor"]),
			"admin key": await key(own, ["admin"]),
			"platform admin key": await key(own, ["platform_admin"]),
			"foreign admin key": await key(foreign, ["admin"]),
			"client with scope": await client(own, SCOPES),
			"client without": await client(own, []),
			"foreign client": await client(foreign, SCOPES),
		},
	};
}

function callerOf(service: TestService, { username, password, token }: Person): Caller {
	return { kind: "person", password, token, again: () => service.tokenOf(username, password) };
}

type SuccessBody = Record<string, unknown> & { readonly data?: Record<string, unknown> };

function sideOf(service: TestService, tenantId: string, token: string): Side {
	const make: Side["make"] = async (method, path, body) => {
		const headers = { "x-tenant-id": tenantId };
		const response = await service.call<SuccessBody>(method, path, { token, body, headers });
		assert.ok(response.status < 300, `${method} ${path}: ${JSON.stringify(response.body)}`);
		return response.body?.data ?? response.body ?? {};
	};
	const idOf = async (path: string, body: unknown): Promise<string> =>
		String((await make("POST", path, body)).id);
	const addUser = (): Promise<string> => {
		const username = `thing-${++created}`;
		const password = "a password for things";
		return idOf("/api/v1/users", { username, email: `${username}@matrix.example`, password });
	};
	let user: Promise<string> | undefined;
	const addApplication = (): Promise<string> => idOf("/api/v1/applications", { name: `Thing ${++created}` });
	const link = async (userId: string): Promise<{ id: string; identity: string }> => {
		const identity = `identity-${++created}`;
		const body = { provider: "github", provider_user_id: identity };
		return { id: await idOf(`/api/v1/users/${userId}/third-party-accounts`, body), identity };
	};
	return {
		tenantId,
		make,
		addUser,
		addInvited() {
			const username = `thing-${++created}`;
			return idOf("/api/v1/users", { username, email: `${username}@matrix.example`, invite: true });
		},
		anyUser: () => {
			user ??= addUser();
			return user;
		},
		addApplication,
		addGroup: () => idOf("/api/v1/groups", { name: `Thing ${++created}` }),
		addRole: async () => {
			const id = await addApplication();
			return {
				id,
				role_id: await idOf(`/api/v1/applications/${id}/roles`, { name: "thing", permissions: [] }),
			};
		},
		addClient: async (scopes) => {
			const body = { app_id: await addApplication(), name: `Thing ${++created}`, ...(scopes && { scopes }) };
			return (await make("POST", "/api/v1/api-clients", body)) as unknown as Client;
		},
		addAdminKey: async (fields) => {
			const expires_at = new Date(service.clock.now() + DAY_MS).toISOString();
			const body = { name: `Thing ${++created}`, roles: ["auditor"], expires_at, ...fields };
			return (await make("POST", "/api/v1/admin-keys", body)) as { id: string; key: string };
		},
		addWebhook: () =>
			idOf("/api/v1/webhooks", {
				url: "https://hooks.partner.example/matrix",
				event_types: ["user.password_locked"],
			}),
		addProvider: async (fields) => {
			const provider = `thing-${++created}`;
			return {
				id: await idOf("/api/v1/identity-providers", providerBody({ provider, ...fields })),
				provider,
			};
		},
		linkAccount: async (userId) => (await link(userId)).id,
		addLinkedIdentity: async () => (await link(await addUser())).identity,
		submit: () =>
			idOf("/api/v1/access-requests", {
				applicant_name: "Ada",
				email: `thing-${++created}@matrix.example`,
				project_name: "Engine",
				purpose: "To compute.",
			}),
		askForProgram: () => addProgramRequest(service, tenantId),
		addMail: async () => {
			const email = `thing-${++created}@matrix.example`;
			const texts = { applicant_name: "Ada", project_name: "Engine", purpose: "To compute." };
			await make("POST", "/api/v1/access-requests", { email, ...texts });
			const deadline = Date.now() + 60_000;
			for (;;) {
				const path = `/api/v1/mails?state=sent&to=${email}`;
				const [mail] = (await make("GET", path)) as unknown as { id: string }[];
				if (mail !== undefined) return mail.id;
				assert.ok(Date.now() < deadline, "the mail is sent within 60 s");
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
		},
		sessionOfAnother: async () => {
			const sessions = (await make("GET", "/api/v1/users/me/sessions")) as unknown as { id: string }[];
			return String(sessions[0]?.id);
		},
	};
}
