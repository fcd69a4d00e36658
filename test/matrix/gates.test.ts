// Every route below /gate × every kind of key, and every way to ask × every kind of proof.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { addTestClient, allowTestClients } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import {
	BEHIND_PROXY,
	browserCookie,
	type Decision,
	decisionOf,
	type KeyedGate,
	serviceToken,
	signedCall,
} from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { gatePaths } from "../harness/service/routes.ts";
import type { Credentials } from "../harness/service/service.ts";
import { buildSides, type Sides } from "./sides.ts";

type Headers = Readonly<Record<string, string>>;

const TARGET = "/orders/1";
const RULES = [
	{ path: "/open", needs: "public" },
	{ path: "/tested/*", needs: "orders:read", test: true },
	{ path: "/orders/*", needs: "orders:read" },
];
const service = testService({ env: BEHIND_PROXY });
let count = 0;
/** Refusals count by IP address. */
const fromAnyone = (): Headers => ({
	"x-forwarded-for": `203.0.${(++count >> 8) & 255}.${count & 255}`,
	"x-forwarded-proto": "https",
});

/** The three ways to ask about a GET. */
const WAYS: Readonly<
	Record<string, (gate: KeyedGate, key: Headers, target: string, headers: Headers) => Promise<Decision>>
> = {
	"headers of a proxy": async ({ application_id }, key, target, headers) => {
		const described = { "x-original-method": "GET", "x-original-uri": target };
		return decisionOf(
			await service.call<unknown>("GET", `/gate/${application_id}`, {
				headers: { ...fromAnyone(), ...key, ...described, ...headers },
			}),
		);
	},
	"the path": async ({ application_id }, key, target, headers) =>
		decisionOf(
			await service.call<unknown>("GET", `/gate/${application_id}/at${target}`, {
				headers: { ...fromAnyone(), ...key, ...headers },
			}),
		),
	"a report": async ({ application_id }, key, target, headers) => {
		const ip = fromAnyone()["x-forwarded-for"];
		const body = { method: "GET", target, scheme: "https", ip, headers };
		return decisionOf(
			await service.call<unknown>("POST", `/gate/${application_id}/verify`, {
				headers: { ...fromAnyone(), ...key },
				body,
			}),
		);
	},
};

/** A program with a token for a resource. */
async function addProgram(resource: string, gatedId?: string) {
	const { id } = await addApplication(service);
	const fields = { type: "service", allowed_resources: [resource] };
	const { client_secret: secret = "" } = await putOAuthClient(service, fields, id);
	if (gatedId !== undefined)
		await service.asAdmin("PUT", `/api/v1/applications/${gatedId}/grants/programs/${id}`, {
			roles: ["reader"],
		});
	return { id, token: await serviceToken(service, { id, secret }, resource) };
}

async function addGated(fields: object = {}) {
	const { id } = await addApplication(service);
	await addRole(service, id, "reader", ["orders:read"]);
	const resource = `https://orders.example/${id}`;
	await putOAuthClient(service, { type: "service", resource }, id);
	const gate = (await addGate(service, { rules: RULES, ...fields }, id)) as KeyedGate;
	return { id, gate, resource };
}

describe("the gate", () => {
	let sides: Sides;
	let foreign: KeyedGate;
	before(async () => {
		sides = await buildSides(service);
		const id = await sides.foreign.addApplication();
		const role = { name: "reader", permissions: ["orders:read"] };
		await sides.foreign.make("POST", `/api/v1/applications/${id}/roles`, role);
		const made = await sides.foreign.make("PUT", `/api/v1/applications/${id}/gate`, { rules: RULES });
		foreign = { application_id: id, gate_key: String(made.gate_key) };
	});
	const own = fixture(() => addGated());
	const other = fixture(() => addGated());

	const credentialsOf = (name: string): Credentials => {
		const caller = sides.callers[name];
		assert.ok(caller?.kind === "client", name);
		return caller.credentials;
	};
	const tokenOf = (name: string): string => {
		const caller = sides.callers[name];
		assert.ok(caller?.kind === "person", name);
		return caller.token;
	};
	const keyOf = (name: string): string => {
		const caller = sides.callers[name];
		assert.ok(caller?.kind === "key", name);
		return caller.key;
	};
	const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
	const gateKey = (key: string): Headers => ({ "x-gate-key": key });

	/** What a caller without the key of the gate may send instead. */
	const withoutKey = async (path: string): Promise<Readonly<Record<string, Headers>>> => {
		const person = await addPerson(service, `keyless-${++count}`);
		const { token } = await addProgram(own.resource, own.id);
		const api = credentialsOf("client with scope");
		return {
			nothing: {},
			"an empty key": gateKey(""),
			"a wrong key": gateKey(`gk_${"wrong".repeat(8)}abc`),
			"the key of another gate": gateKey(other.gate.gate_key),
			"the key of another tenant's gate": gateKey(foreign.gate_key),
			"a session": { cookie: await browserCookie(service, person) },
			"the token of a platform admin": bearer(tokenOf("platform admin")),
			"the token of a platform admin as the key": gateKey(tokenOf("platform admin")),
			"an admin key": bearer(keyOf("platform admin key")),
			"an admin key as the key": gateKey(keyOf("platform admin key")),
			"an API client": signedCall(service, api, path),
			"the Secret of an API client as the key": gateKey(api.secret),
			"a service token": bearer(token),
			"a service token as the key": gateKey(token),
		};
	};

	it("refuses every route to every caller without its key, as if there were no gate", async () => {
		const routes = await gatePaths();
		const keyed = routes.filter(({ path }) => !path.endsWith("/enter"));
		assert.deepEqual([keyed.length, routes.length], [6, 7]);
		const ungated = await addApplication(service);
		for (const { method, path } of keyed) {
			const sentMethod = method === "*" ? "GET" : method;
			const at = (id: string): string => path.replace("{application_id}", id).replace("/*", TARGET);
			const attempts = await withoutKey(at(own.id));
			for (const [name, headers] of Object.entries(attempts)) {
				const request = { "x-original-method": "GET", "x-original-uri": "/open" };
				const send = async (id: string): Promise<readonly [number, Record<string, unknown>]> => {
					const response = await service.call<unknown>(sentMethod, at(id), {
						headers: { ...fromAnyone(), ...request, ...headers },
						...(path.endsWith("/verify") && { body: {} }),
					});
					const { status, headers: received } = response;
					const named = Object.entries(received).filter(([header]) => header.startsWith("latchkey-"));
					return [status, Object.fromEntries(named.filter(([header]) => header !== "latchkey-request-id"))];
				};
				const expected = await send(ungated.id);
				const [status, described] = await send(own.id);
				assert.deepEqual([status, described], expected, `${method} ${path}, ${name}`);
				assert.deepEqual([status, described["latchkey-refusal"]], [401, "gate.key"]);
			}
		}
	});

	it("makes the same decision for every kind of proof, in every form of the question", async () => {
		const ada = await addPerson(service, "gated-ada");
		await putGrant(service, own.id, ada.id, ["reader"]);
		const eve = await addPerson(service, "gated-eve");
		const partner = await addApiClient(service, { app_id: own.id });
		await service.asAdmin("PUT", `/api/v1/applications/${own.id}/grants/api-clients/${partner.id}`, {
			roles: ["reader"],
		});
		const ungranted = await addApiClient(service, { app_id: own.id });
		const program = await addProgram(own.resource, own.id);
		const stranger = await addProgram(own.resource);
		const elsewhere = await addProgram(other.resource, other.id);
		const [adaCookie, eveCookie] = [await browserCookie(service, ada), await browserCookie(service, eve)];
		const signed = (client: Credentials) => () => signedCall(service, client, TARGET);
		const PROOFS: Readonly<Record<string, readonly [() => Headers, string]>> = {
			none: [() => ({}), "401 token.missing"],
			"the session of a person with the permission": [() => ({ cookie: adaCookie }), `200 person:${ada.id}`],
			"the session of another person": [() => ({ cookie: eveCookie }), "403 application.access_denied"],
			"the access token of a session": [() => bearer(ada.token), "401 token.invalid"],
			"the token of a foreign admin": [() => bearer(tokenOf("foreign admin")), "401 token.invalid"],
			"an admin key": [() => bearer(keyOf("admin key")), "401 token.invalid"],
			"a key of the other tenant": [() => bearer(keyOf("foreign admin key")), "401 token.invalid"],
			"a partner with the permission": [signed(partner), `200 partner:${partner.id}`],
			"a partner without": [signed(ungranted), "403 application.access_denied"],
			"the API client of another application": [
				signed(credentialsOf("client with scope")),
				"401 signature.invalid",
			],
			"the API client of another tenant": [signed(credentialsOf("foreign client")), "401 signature.invalid"],
			"a program with the permission": [() => bearer(program.token), `200 program:${program.id}`],
			"a program without": [() => bearer(stranger.token), "403 application.access_denied"],
			"a program's token for another application": [() => bearer(elsewhere.token), "401 token.invalid"],
			"the key of the gate as a token": [() => bearer(own.gate.gate_key), "401 token.invalid"],
		};
		const key = gateKey(own.gate.gate_key);
		for (const [way, ask] of Object.entries(WAYS))
			for (const [name, [proof, expected]] of Object.entries(PROOFS))
				assert.equal((await ask(own.gate, key, TARGET, proof())).outcome, expected, `${name}, by ${way}`);
	});

	it("lets a test client read no stored record, regardless of whose gate it is", async () => {
		await allowTestClients(service);
		const { client } = await addTestClient(service);
		const bare = await addGated();
		const peopled = await addGated();
		const person = await addPerson(service, "tested-person");
		await putGrant(service, peopled.id, person.id, ["reader"]);
		const partner = await addApiClient(service, { app_id: peopled.id });
		await service.asAdmin("PUT", `/api/v1/applications/${peopled.id}/grants/api-clients/${partner.id}`, {
			roles: ["reader"],
		});
		const asked = async (way: string, { application_id, gate_key }: KeyedGate, target: string) => {
			const headers = signedCall(service, client, target);
			const gate = { application_id, gate_key };
			const decision = await WAYS[way]?.(gate, gateKey(gate_key), target, headers);
			assert.ok(decision);
			const { "latchkey-request-id": _, ...named } = Object.fromEntries(
				Object.entries(decision.headers).filter(([name]) => name.startsWith("latchkey-")),
			);
			return { outcome: decision.outcome, headers: named };
		};
		for (const way of Object.keys(WAYS)) {
			for (const target of ["/tested/1", TARGET]) {
				const expected = await asked(way, bare.gate, target);
				assert.deepEqual(await asked(way, peopled.gate, target), expected, `${target}, by ${way}`);
				assert.equal(expected.headers["latchkey-mode"], "test");
				assert.equal(
					expected.outcome,
					target === TARGET ? "403 gate.test_client" : `200 partner:${client.id}`,
				);
			}
			const refused = await asked(way, foreign, "/tested/1");
			assert.equal(refused.outcome, "401 signature.invalid", `another tenant's gate, by ${way}`);
		}
	});
});
