// The commands of docs/customer-sign-in.md, in order, with what the IT of the organization does in between.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startNameServer } from "../harness/domains/name-server.ts";
import { signInAtProvider } from "../harness/providers/oidc-provider.ts";
import { cookiesOf, keepCookies, newJar, openStage } from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";
import type { CallResponse } from "../harness/service/service.ts";
import { readDocument } from "./document.ts";

const DOMAIN = "acme.example";
const ID = "0199f3a2-4c1e-7b1a-9d2b-4e8f6a1c3b5d";
const dns = await startNameServer();
const stage = fixture(() =>
	openStage([{ sub: "it", email: `it@${DOMAIN}`, email_verified: true }], {
		nameServers: [dns.address],
		redirectsTo: "https://id.latchkey.example/",
	}),
);
after(async () => {
	await stage?.stop();
	await dns[Symbol.asyncDispose]();
});

interface Data {
	readonly [name: string]: unknown;
}
const call = async (method: string, path: string, token: string, body?: object, headers: object = {}) => {
	const response = await stage.service.call<{ data: Data }>(method, `/api/v1${path}`, {
		token,
		headers: { ...headers },
		...(body && { body }),
	});
	assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
	return response;
};

/** Saves the issuer, publishes the record, tries, and finishes. @returns the id of the provider */
async function setUp(url: string): Promise<string> {
	const token = url.split("#")[1] ?? "";
	const issuer = { issuer: stage.provider.issuer, client_id: "latchkey" };
	const client_secret = "the secret of latchkey at its provider";
	const { body } = await call("PUT", "/set-up", token, { ...issuer, client_secret });
	const { record } = body.data as { readonly record: { readonly name: string; readonly value: string } };
	dns.set(record.name, [record.value]);
	const jar = newJar();
	const started = await call("POST", "/set-up/test", token, undefined, cookiesOf(jar));
	keepCookies(jar, started as unknown as CallResponse);
	await stage.visit(jar, await signInAtProvider(String(started.body.data.authorization_url), "it"));
	await call("POST", "/set-up/finish", token);
	const domain = await call("GET", `/domains/${DOMAIN}`, await stage.service.adminToken());
	return String(domain.body.data.issuer_id);
}

describe("docs/customer-sign-in.md", () => {
	it("shows commands that set up, enable, and enforce the sign-in", async () => {
		const text = readDocument("docs/customer-sign-in.md");
		const commands = [...text.matchAll(/^ *\$ latchkey api (\w+) (\S+)(.*)$/gm)];
		assert.equal(commands.length, 6);
		let id = ID;
		for (const [, method = "", path = "", rest = ""] of commands) {
			const fields = [...rest.matchAll(/-f (\w+)=(\S+)/g)].map(([, name = "", value = ""]) => {
				const shown = value.replace(ID, id);
				return [name, shown === "true" ? true : shown];
			});
			const token = await stage.service.adminToken();
			// The same domain again, without a link.
			if (path === "/domains") await call("DELETE", `/domains/${DOMAIN}`, token);
			const body = fields.length === 0 ? undefined : Object.fromEntries(fields);
			const { data } = (await call(method, path.replace(ID, id), token, body)).body;
			if (path.endsWith("/set-up-links")) id = await setUp(String(data.url));
			if (method === "GET") assert.equal((data.set_up as Data).tested_by, `it@${DOMAIN}`);
			if (path === "/domains") {
				const record = data.record as { readonly name: string; readonly value: string };
				dns.set(record.name, [record.value]);
			}
			if (method === "PATCH") assert.equal(data.enabled ?? data.enforce, true);
		}
	});
});
