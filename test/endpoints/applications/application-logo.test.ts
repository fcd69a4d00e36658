// The uploaded logo of an application.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addProgram } from "../../harness/openid/programs.ts";
import { auditOf } from "../../harness/people/people.ts";
import { testService } from "../../harness/runs/fixture.ts";
import { png } from "../../harness/runs/png.ts";
import { openBeside } from "../../harness/service/beside-service.ts";

const service = testService();
const create = async (name: string): Promise<string> =>
	(await service.asAdmin("POST", "/api/v1/applications", { name })).id;
const upload = async (id: string, body: Buffer | string, type = "image/png") =>
	service.callAsAdmin<{ readonly data: { readonly logo_url: string } }>(
		"PUT",
		`/api/v1/applications/${id}/logo`,
		{ body, headers: { "content-type": type } },
	);
const call = async (method: string, path: string) =>
	service.callAsAdmin<{ readonly data: { readonly logo_url: string } }>(method, path);
const imageStatus = async (url: string) => (await service.call("GET", new URL(url).pathname)).status;

describe("PUT /api/v1/applications/{id}/logo", () => {
	describe("200", () => {
		it("sets logo_url to the URL of the image, and audits it", async () => {
			const id = await create("Looms");
			const { status, body } = await upload(id, png());
			assert.equal(status, 200);
			assert.equal(await imageStatus(body.data.logo_url), 200);
			const read = await call("GET", `/api/v1/applications/${id}`);
			assert.equal(read.body.data.logo_url, body.data.logo_url);
			const event = (await auditOf(service, `application:${id}`)).at(-1);
			assert.equal(event?.action, "application.updated");
			assert.deepEqual(event?.details, { fields: ["logo_url"] });
		});

		it("replaces the former image, and ends with the application", async () => {
			const id = await create("Spindles");
			const first = (await upload(id, png(2, 2))).body.data.logo_url;
			const second = (await upload(id, png(3, 3))).body.data.logo_url;
			assert.deepEqual([await imageStatus(first), await imageStatus(second)], [404, 200]);
			assert.equal((await call("DELETE", `/api/v1/applications/${id}`)).status, 204);
			assert.equal(await imageStatus(second), 404);
		});
	});

	describe("400", () => {
		it("refuses anything but a PNG image", async () => {
			const id = await create("Shuttles");
			assert.equal((await upload(id, "<svg/>")).status, 400);
			assert.equal((await upload(id, "<svg/>", "image/svg+xml")).status, 400);
			assert.equal((await upload(id, "")).status, 400);
		});

		it("names the wrong type of JSON, and an unknown parameter", async () => {
			const id = await create("Treadles");
			const put = async (query: string, type: string, body: Buffer | string) =>
				service.callAsAdmin("PUT", `/api/v1/applications/${id}/logo${query}`, {
					body,
					headers: { "content-type": type, accept: "application/problem+json" },
				});
			const json = await put("", "application/json", "{}");
			assert.deepEqual([json.status, json.body.code], [400, "request.content_type"]);
			const unknown = await put("?theme=dark", "image/png", png());
			assert.deepEqual(
				[unknown.status, unknown.body.errors.map(({ field }: { field: string }) => field)],
				[400, ["theme"]],
			);
		});
	});

	describe("409", () => {
		it("refuses a program, whose logo could imitate another one", async () => {
			assert.equal((await upload(await addProgram(service), png())).status, 409);
		});
	});
});

describe("DELETE /api/v1/applications/{id}/logo", () => {
	describe("204", () => {
		it("deletes the image, and clears logo_url", async () => {
			const id = await create("Reels");
			const { logo_url } = (await upload(id, png(7, 7))).body.data;
			assert.equal((await call("DELETE", `/api/v1/applications/${id}/logo`)).status, 204);
			assert.equal(await imageStatus(logo_url), 404);
			assert.equal((await call("GET", `/api/v1/applications/${id}`)).body.data.logo_url, "");
		});

		it("clears the logo that a program had before", async () => {
			const id = await addProgram(service);
			const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
			await using beside = await openBeside(service);
			const image = { subjectId: id, variant: "light", tenantId: tenant_id, digest: "0".repeat(64) } as const;
			await beside.db.transaction(async ({ images, applications }) => {
				await images.put({ ...image, content: png().toString("base64"), updatedAtMs: beside.clock() });
				await applications.update(
					tenant_id,
					id,
					{ logoUrl: "https://shop.example/logo.png" },
					beside.clock(),
				);
			});
			assert.equal((await call("DELETE", `/api/v1/applications/${id}/logo`)).status, 204);
			assert.equal((await call("GET", `/api/v1/applications/${id}`)).body.data.logo_url, "");
		});
	});
});
