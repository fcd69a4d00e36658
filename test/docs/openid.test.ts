// docs/openid.md against the service: the fields of an OAuth client, and what works from other origins.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RESPONSE_MODES } from "../../src/domain/oauth-client.ts";
import { WEBHOOK_EVENT_TYPES } from "../../src/domain/webhook-event.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { wholeSchema } from "../harness/service/openapi-schema.ts";
import { readDocument, sections } from "./document.ts";
import { describeApi } from "./openapi-document.ts";

describe("docs/openid.md", () => {
	const api = fixture(() => describeApi());

	it("names every field of PUT …/oauth-client, and no other", () => {
		const { requestBody } = api.paths["/api/v1/applications/{id}/oauth-client"]?.put ?? {};
		const schema = requestBody?.content["application/json"]?.schema;
		const [, table = ""] =
			/^\| Field of `PUT[^\n]*\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(readDocument("docs/openid.md")) ?? [];
		const named = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)]);
		assert.deepEqual(
			named.map(([, field]) => field).sort(),
			Object.keys(wholeSchema(api, schema).properties).sort(),
		);
	});

	it("names every response mode", () => {
		const modes = sections(readDocument("docs/openid.md")).get("Response modes") ?? "";
		assert.ok(RESPONSE_MODES.length > 1);
		for (const mode of RESPONSE_MODES) assert.ok(modes.includes(`\`${mode}\``), mode);
	});
});

describe("docs/webhooks.md", () => {
	it("lists the prefixes that a webhook can subscribe to", () => {
		const [, listed = ""] =
			/all events of one prefix(.*?)No other prefix/s.exec(readDocument("docs/webhooks.md")) ?? [];
		assert.deepEqual(
			[...listed.matchAll(/`(\w+)\.\*`/g)].map(([, prefix]) => prefix),
			[...new Set(WEBHOOK_EVENT_TYPES.map((type) => type.slice(0, type.indexOf("."))))].sort(),
		);
	});
});
