// The examples of request bodies in the OpenAPI document, sent to the service as they are.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { readApi } from "../harness/service/openapi-schema.ts";
import { type Admitted, nameOf, startAdmitted } from "../matrix/admitted.ts";

interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
	readonly requestBody?: {
		readonly content: Readonly<
			Record<string, { readonly examples: { readonly example: { readonly value: unknown } } }>
		>;
	};
}

/** The reader's own records, which an example cannot name. */
const OWN_RECORD =
	/is not a role of this application|is not the ID of an application|is not the resource of an application/;
/** The examples of these routes require a permission of the reader's own roles. */
const HELD = {
	routes: ["PUT /api/v1/applications/{id}/gate", "POST /api/v1/applications/{id}/gate/replay"],
	detail: /is held by no role of the application/,
};

describe("the example of a request body", () => {
	let admitted: Admitted;
	let document: Document;
	before(async () => {
		admitted = await startAdmitted();
		document = await readApi(admitted.service);
	});
	after(() => admitted.service.stop());

	it("is a valid body of its endpoint, which accepts it or refuses only records that it names", async () => {
		const refused: string[] = [];
		let sent = 0;
		for (const route of admitted.routes) {
			const { requestBody } = document.paths[route.path]?.[route.method.toLowerCase()] ?? {};
			const body = requestBody?.content["application/json"]?.examples.example.value;
			if (body === undefined) continue;
			sent++;
			const ids = await admitted.keptThings(route);
			const headers = { accept: "application/problem+json" };
			const response = await admitted.send(route, { ids, body, headers });
			const code = response.body?.code;
			if (OWN_RECORD.test(response.body?.detail)) continue;
			if (HELD.routes.includes(nameOf(route)) && HELD.detail.test(response.body?.detail)) continue;
			if (code === "request.invalid" || code === "request.malformed" || response.status >= 500)
				refused.push(`${nameOf(route)} ${JSON.stringify(body)}: ${response.status} ${response.body.detail}`);
		}
		assert.ok(sent > 60, `${sent} examples`);
		assert.deepEqual(refused, []);
	});
});
