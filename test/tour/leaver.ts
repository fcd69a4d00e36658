// An employee leaves: a directory switches the account off, and the next request to the API behind the gate is refused.

import { exchange } from "./exchange.ts";
import type { Setting } from "./perform.ts";
import type { Variable } from "./words.ts";

const API = "/api/v1";
const SCIM = "urn:ietf:params:scim";
const ACCOUNT = "0b8f3c52";

/** @throws Error naming the step that failed. */
export async function leave(
	{ stage }: Setting,
	{ application, token, origin }: { application: Variable; token: Variable; origin: string },
): Promise<void> {
	stage.step("An employee signs in, and reaches the API");
	const email = "dana@acme.example";
	const password = { name: "DANAS_PASSWORD", value: "the long password of dana" };
	const user = { username: "dana", email, password: password.value };
	const made = { token, json: user, hide: [password], show: ["id", "username"] };
	const { data } = await stage.curl("POST", `${API}/users`, made, 201);
	const dana = stage.set("DANA", data.id);
	const path = `${API}/applications/${application.value}/grants/users/${dana.value}`;
	const grant = { token, json: { roles: ["writer"] }, hide: [application, dana], show: ["roles"] };
	await stage.curl("PUT", path, grant, 201);
	const cookie = await signIn(stage.baseUrl, { username: "dana", password: password.value });
	const call = async (status: number): Promise<void> => {
		stage.command(`curl -k -b "$COOKIE" ${origin}/orders/9`);
		const seen = await exchange(`${origin}/orders/9`, "GET", undefined, undefined, { cookie });
		stage.say(`${seen.status} ${seen.status < 400 ? seen.text : ""}`.trimEnd());
		if (seen.status !== status) stage.fail(`expected ${status}, got ${seen.status}`);
	};
	stage.set("COOKIE", cookie);
	await call(200);

	stage.step("The directory of an identity provider takes over the account that is linked to it");
	// `force`: there is no such provider.
	const client = { client_id: "latchkey", client_secret: "of the provider", force: true };
	const issuer = {
		provider: "acme",
		kind: "oidc",
		display_name: "Acme",
		issuer: "https://login.acme.example",
	};
	const provider = { token, json: { ...issuer, ...client }, show: ["id", "provider"] };
	const { id } = (await stage.curl("POST", `${API}/identity-providers`, provider, 201)).data;
	const acme = stage.set("ACME", id);
	const account = { provider: "acme", provider_user_id: ACCOUNT };
	const linked = { token, json: account, hide: [dana], show: ["provider"] };
	await stage.curl("POST", `${API}/users/${dana.value}/third-party-accounts`, linked, 201);
	const settings = { token, json: { on_remove: "disable" }, hide: [acme], show: ["token"] };
	const put = await stage.curl("PUT", `${API}/identity-providers/${id}/directory`, settings, 201);
	const directory = stage.set("DIRECTORY_TOKEN", put.data.token);
	const person = { schemas: [`${SCIM}:schemas:core:2.0:User`], userName: email, externalId: ACCOUNT };
	const synced = { token: directory, json: person, hide: [acme], show: ["id", "userName", "active"] };
	await stage.curl("POST", `/scim/v2/${id}/Users`, synced, 201);

	stage.step("The employee leaves: the directory switches the account off, and the next request is refused");
	const off = { op: "replace", path: "active", value: false };
	const patch = { schemas: [`${SCIM}:api:messages:2.0:PatchOp`], Operations: [off] };
	const left = { token: directory, json: patch, hide: [acme, dana], show: ["userName", "active"] };
	await stage.curl("PATCH", `/scim/v2/${id}/Users/${dana.value}`, left, 200);
	await call(401);
}

/** As a browser. @returns the cookie */
async function signIn(origin: string, credentials: object): Promise<string> {
	const headers = { origin, "x-session": "cookie" };
	const sent = JSON.stringify(credentials);
	const { cookies } = await exchange(`${origin}${API}/auth/login`, "POST", undefined, sent, headers);
	return cookies.map((cookie) => cookie.split(";")[0]).join("; ");
}
