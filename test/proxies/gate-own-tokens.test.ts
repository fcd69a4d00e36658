// Gates with `own_tokens` behind nginx, Caddy, and HAProxy, whose file lacks the marked line.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import { BEHIND_PROXY, browserCookie, type KeyedGate, signedCall } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { addPerson } from "../harness/people/people.ts";
import { startEchoNode } from "../harness/proxies/echo-node.ts";
import { GATE_PROXIES } from "../harness/proxies/gate-proxies.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { exchange, type HeaderList, requestBytes } from "../harness/service/raw-connection.ts";

const RULES = [
	{ path: "/status", needs: "public" },
	{ path: "/orders/*", needs: "orders:read" },
];

describe("an application with tokens of its own", () => {
	const service = testService({ env: BEHIND_PROXY });
	const api = fixture(async () => {
		const { id } = await addApplication(service);
		await addRole(service, id, "reader", ["orders:read"]);
		const gate = (await addGate(service, { rules: RULES, own_tokens: true }, id)) as KeyedGate;
		const partner = await addApiClient(service, { app_id: id });
		const grant = `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`;
		await service.asAdmin("PUT", grant, { roles: ["reader"] });
		const ada = await addPerson(service, "ada");
		await putGrant(service, id, ada.id, ["reader"]);
		return { gate, partner, ada, cookie: await browserCookie(service, ada) };
	});

	for (const { name, skip, start } of GATE_PROXIES)
		describe(`behind ${name}`, { skip }, () => {
			const app = fixture(startEchoNode);
			const proxy = fixture(() =>
				start({ gate: api.gate, gatePort: service.httpPort, appPort: app.port, ownTokens: true }),
			);
			after(async () => {
				await proxy.remove?.();
				await app.close?.();
			});
			/** @returns the status, the refusal or the caller, and `Authorization` as the application got it */
			const send = async (target: string, headers: HeaderList) => {
				const before = app.received.length;
				const all: HeaderList = [["Host", "localhost"], ...headers];
				const response = await exchange(proxy, requestBytes("GET", target, all), { secure: true });
				const [reached] = app.received.slice(before);
				return {
					outcome: `${response.status} ${reached?.values("latchkey-caller").join() ?? response.headers["latchkey-refusal"]}`,
					authorization: reached?.values("authorization"),
					reached,
				};
			};

			it("gets them from callers of public paths, people with a session, and partners", async () => {
				for (const own of ["Bearer application-token", "Basic Z2l0OnRva2Vu", "token x"]) {
					const authorization = ["Authorization", own] as const;
					const cookie = ["Cookie", api.cookie] as const;
					const signed = Object.entries(signedCall(service, api.partner, "/orders/1"));
					const sent: readonly [expected: string, target: string, headers: HeaderList][] = [
						["200 public", "/status", [authorization]],
						[`200 person:${api.ada.id}`, "/orders/1", [authorization, cookie]],
						[`200 partner:${api.partner.id}`, "/orders/1", [authorization, ...signed]],
					];
					for (const [expected, target, headers] of sent) {
						const { outcome, authorization: received } = await send(target, headers);
						assert.deepEqual([outcome, received], [expected, [own]], own);
					}
					assert.equal((await send("/orders/1", [authorization])).outcome, "401 token.missing");
				}
			});

			it("gets no credential of Latchkey, in none of its forms", async () => {
				const session = await service.adminToken();
				const basic = Buffer.from(`git:${session}`).toString("base64");
				const ours = [`Bearer ${session}`, `bearer  ${session}`, `Basic ${basic}`, "Bearer lks_0123456789"];
				for (const value of ours)
					for (const target of ["/status", "/orders/1"]) {
						const headers: HeaderList = [
							["Authorization", value],
							["Cookie", api.cookie],
						];
						const { outcome, reached } = await send(target, headers);
						assert.deepEqual([outcome, reached], ["401 token.invalid", undefined], value);
					}
			});

			it("gets no other proof, nor the session of a person", async () => {
				const headers: HeaderList = [
					["Authorization", "Bearer application-token"],
					["DPoP", "x"],
					["X-Gate-Key", "gk_x"],
					["Cookie", `a=1; ${api.cookie}`],
				];
				const { outcome, reached } = await send("/orders/1", headers);
				assert.equal(outcome, `200 person:${api.ada.id}`);
				for (const removed of ["dpop", "x-signature", "x-gate-key"])
					assert.deepEqual(reached?.values(removed), [], removed);
				assert.doesNotMatch(String(reached?.values("cookie")), /latchkey/);
			});

			it("gets no request with two tokens of which one is of Latchkey", async () => {
				const session = await service.adminToken();
				for (const pair of [
					["Bearer application-token", `Bearer ${session}`],
					[`Bearer ${session}`, "Bearer application-token"],
				]) {
					const headers: HeaderList = pair.map((value) => ["Authorization", value] as const);
					const { outcome, authorization } = await send("/status", headers);
					assert.match(outcome, /^4/);
					assert.equal(authorization, undefined);
				}
			});
		});
});
