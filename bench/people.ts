// The data of the scenarios: signed-in users, and an API client that may check the access of one of them.

import type { Credentials } from "./requests.ts";
import type { RunningService } from "./service.ts";

const PEOPLE = 16;

export interface Population {
	readonly people: readonly { readonly username: string; readonly password: string }[];
	/** An access token for each of them. */
	readonly tokens: readonly string[];
	readonly client: Credentials & { readonly id: string };
	/** Has access to the client's application, with the permission that the signed scenario checks. */
	readonly userId: string;
}

export async function populate(service: RunningService): Promise<Population> {
	const token = await service.adminToken();
	const post = async (path: string, body: unknown) =>
		(await service.call("POST", path, { token, body })).body.data;
	const people: { username: string; password: string }[] = [];
	const tokens: string[] = [];
	let userId = "";
	for (let number = 1; number <= PEOPLE; number++) {
		const person = { username: `person-${number}`, password: `a fine password ${number}` };
		const user = await post("/api/v1/users", { ...person, email: `${person.username}@company.example` });
		userId = user.id;
		people.push(person);
		tokens.push(await service.signIn(person.username, person.password));
	}
	const app = await post("/api/v1/applications", { name: "Reporting", access_policy: "assigned" });
	const role = { name: "reader", permissions: ["orders:read", "reports:read"] };
	await post(`/api/v1/applications/${app.id}/roles`, role);
	await service.call("PUT", `/api/v1/applications/${app.id}/grants/users/${userId}`, {
		token,
		body: { roles: [role.name] },
	});
	const client: Population["client"] = await post("/api/v1/api-clients", {
		app_id: app.id,
		name: "Nightly report",
	});
	return { people, tokens, client, userId };
}

/** Below the default limit of 100 a minute. */
const CALLS_AN_ADDRESS = 50;

/** Issues new access tokens to these users: every refresh returns one. */
export async function issueTokens(
	{ call }: RunningService,
	{ people }: Population,
	count: number,
): Promise<string[]> {
	const tokens: string[] = [];
	const each = async ({ username, password }: Population["people"][number]): Promise<void> => {
		let { body } = await call("POST", "/api/v1/auth/login", { body: { username, password } });
		for (let number = 0; number < count / people.length; number++) {
			const { refresh_token } = body.data;
			const address = Math.floor(tokens.length / CALLS_AN_ADDRESS);
			const from = `10.255.${address >> 8}.${address & 255}`;
			({ body } = await call("POST", "/api/v1/auth/refresh", { body: { refresh_token }, from }));
			tokens.push(body.data.access_token);
		}
	};
	await Promise.all(people.map(each));
	return tokens;
}
