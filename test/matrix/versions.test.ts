// Every record that PATCH and PUT change: its ETag, and changes and removals that depend on it (`If-Match`).

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { newId } from "../../src/kernel/id.ts";
import type { CallResponse } from "../harness/service/service.ts";
import { type Admitted, nameOf, startAdmitted } from "./admitted.ts";
import type { Ids } from "./table.ts";

/** Written by hand, so that no record loses its version unnoticed. */
const CHANGES = [
	"DELETE /api/v1/api-clients/{id}",
	"DELETE /api/v1/applications/{id}",
	"DELETE /api/v1/applications/{id}/gate",
	"DELETE /api/v1/applications/{id}/oauth-client",
	"DELETE /api/v1/domains/{domain}",
	"DELETE /api/v1/groups/{id}",
	"DELETE /api/v1/identity-providers/{id}",
	"DELETE /api/v1/identity-providers/{id}/directory",
	"DELETE /api/v1/programs/{application_id}",
	"DELETE /api/v1/users/{id}",
	"DELETE /api/v1/webhooks/{id}",
	"PATCH /api/v1/api-clients/{id}",
	"PATCH /api/v1/applications/{id}",
	"PATCH /api/v1/applications/{id}/oauth-client",
	"PATCH /api/v1/domains/{domain}",
	"PATCH /api/v1/groups/{id}",
	"PATCH /api/v1/identity-providers/{id}",
	"PATCH /api/v1/programs/{application_id}",
	"PATCH /api/v1/tenants/{id}",
	"PATCH /api/v1/users/me",
	"PATCH /api/v1/users/{id}",
	"PATCH /api/v1/webhooks/{id}",
	"PUT /api/v1/applications/{id}/gate",
	"PUT /api/v1/applications/{id}/oauth-client",
	"PUT /api/v1/branding",
	"PUT /api/v1/identity-providers/{id}/directory",
	"PUT /api/v1/set-up",
	"PUT /api/v1/users/me/request-mails",
];
const ETAG = /^"[\w-]{22}"$/;
const OTHER = '"another-version"';

let admitted: Admitted;
before(async () => {
	admitted = await startAdmitted();
});
after(() => admitted.service.stop());

const changes = (): readonly Route[] =>
	admitted.routes.filter(({ version, method }) => version !== undefined && method !== "GET");
const readOf = ({ path }: Route): Route =>
	admitted.routes.find((route) => route.method === "GET" && route.path === path) as Route;

/** What the path has before, and the change that its row of the table makes. */
async function prepare(route: Route): Promise<{
	readonly read: () => Promise<CallResponse>;
	readonly change: (ifMatch: string, accept?: string) => Promise<CallResponse>;
}> {
	const ids: Ids = await admitted.createRecords(route);
	const body = admitted.bodyOf(route, ids);
	const headers = route.path === "/api/v1/set-up" ? await linkHeader() : {};
	return {
		read: () => admitted.send(readOf(route), { ids, headers }),
		change: (ifMatch, accept = "*/*") =>
			admitted.send(route, { ids, body, headers: { ...headers, "if-match": ifMatch, accept } }),
	};
}

/** Otherwise, each call has a link of its own. */
async function linkHeader(): Promise<Readonly<Record<string, string>>> {
	const domain = `versions-${newId(0)}.example`;
	const { url } = await admitted.service.asAdmin("POST", "/api/v1/identity-providers/set-up-links", {
		domain,
	});
	return { authorization: `Bearer ${url.split("#")[1]}` };
}

describe("the version of a record", () => {
	it("is that of the routes of the list", () => {
		assert.deepEqual(changes().map(nameOf).sort(), CHANGES);
	});

	it("is returned by GET, and refuses changes of another version", async () => {
		for (const route of changes()) {
			const name = nameOf(route);
			const { read, change } = await prepare(route);
			const { status, headers } = await read();
			const { etag } = headers;
			if (status === 200) assert.match(String(etag), ETAG, name);
			const refused = await change(OTHER, "application/problem+json");
			assert.deepEqual(
				[refused.status, refused.headers.etag, refused.body?.code, refused.body?.current_etag],
				[412, etag, "version.changed", etag],
				name,
			);
			const after = await read();
			assert.deepEqual([after.status, after.headers.etag], [status, etag], name);
		}
	});

	it("admits the change of this version, whose response has the next one", async () => {
		for (const route of changes()) {
			const name = nameOf(route);
			const { read, change } = await prepare(route);
			const { status, headers } = await read();
			if (status !== 200) continue;
			const changed = await change(`W/"x", W/${headers.etag}`);
			assert.equal(changed.status, admitted.rowOf(route).ok, `${name} ${JSON.stringify(changed.body)}`);
			if (route.method === "DELETE") continue;
			assert.match(String(changed.headers.etag), ETAG, name);
			assert.equal((await read()).headers.etag, changed.headers.etag, name);
		}
	});
});
