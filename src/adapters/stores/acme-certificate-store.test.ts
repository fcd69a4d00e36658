import assert from "node:assert/strict";
import { before, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { AcmeCertificate, AcmeCertificateStore } from "../../domain/acme-certificate.ts";

const DOMAIN = "auth.partner.example";
const ROW: AcmeCertificate = {
	domain: DOMAIN,
	directory: "https://one.example/directory",
	accountKeySealed: "v1.aaaaaaaa.1",
	accountUrl: null,
	certificate: null,
	keySealed: null,
	validFromMs: null,
	validToMs: null,
	challengeToken: null,
	keyAuthorization: null,
	leasedUntilMs: 0,
	nextAttemptAtMs: 0,
	failures: 0,
	lastError: null,
};

onEachEngine("the lease of an order", (database) => {
	let store: AcmeCertificateStore;
	before(async () => {
		store = database.db.stores.acmeCertificates;
		await store.insert(ROW);
	});

	it("is of one node, until its end", async () => {
		assert.equal(await store.lease(ROW, 1, 10), true);
		assert.equal(await store.lease(ROW, 2, 11), false);
		assert.equal(await store.lease(ROW, 10, 20), true);
	});

	it("is not given for a row that another node has filled since it was read", async () => {
		assert.equal(
			await store.change(DOMAIN, 20, { validToMs: 1_000, certificate: "pem", leasedUntilMs: 0 }),
			true,
		);
		assert.equal(await store.lease(ROW, 30, 40), false);
		const filled = (await store.find(DOMAIN)) as AcmeCertificate;
		assert.equal(await store.lease(filled, 30, 40), true);
	});

	it("is not given for a row that one of another directory has replaced", async () => {
		const filled = (await store.find(DOMAIN)) as AcmeCertificate;
		await store.insert({ ...ROW, directory: "https://two.example/directory" });
		assert.equal(await store.lease(ROW, 50, 60), false);
		assert.equal(await store.lease(filled, 50, 60), false);
		const replaced = (await store.find(DOMAIN)) as AcmeCertificate;
		assert.equal(replaced.directory, "https://two.example/directory");
		assert.equal(await store.lease(replaced, 50, 60), true);
	});
});
