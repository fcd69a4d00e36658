// Directories (SCIM) at domains that were verified for their issuer: what their addresses prove, and whom they adopt.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { addVerifiedDomain, DOMAINS } from "../harness/domains/domains.ts";
import { startNameServer } from "../harness/domains/name-server.ts";
import { addPerson } from "../harness/people/people.ts";
import { addDirectory, USER } from "../harness/providers/directories.ts";
import { testService } from "../harness/runs/fixture.ts";

const dns = await startNameServer();
after(() => dns[Symbol.asyncDispose]());
const service = testService({ nameServers: [dns.address] });
const userOf = (id: string) => service.asAdmin("GET", `/api/v1/users/${id}`);
const withEmail = (value: string) => ({ emails: [{ value, primary: true }] });

describe("an address of a directory", () => {
	it("is verified in a domain of its own issuer, and in no other", async () => {
		const [own, other] = [await addDirectory(service), await addDirectory(service)];
		await addVerifiedDomain(service, dns, "own.example", { issuer_id: own.issuerId });
		await addVerifiedDomain(service, dns, "other.example", { issuer_id: other.issuerId });
		const verified = async (email: string) =>
			(await userOf((await own.person(email, withEmail(email))).id)).email_verified;
		assert.equal(await verified("a@own.example"), true);
		assert.equal(await verified("b@other.example"), false);
		assert.equal(await verified("c@sub.own.example"), false);
		await service.asAdmin("DELETE", `${DOMAINS}/own.example`);
		assert.equal(await verified("d@own.example"), false);
	});

	it("adopts the account that verified it, where the directory adopts by address, and none with a role", async () => {
		const own = await addDirectory(service, { adopt: "verified_email" });
		const off = await addDirectory(service);
		await addVerifiedDomain(service, dns, "adopt.example", { issuer_id: own.issuerId });
		const post = (directory: typeof own, email: string) =>
			directory.scim("POST", "Users", {
				schemas: [USER],
				userName: email,
				externalId: email,
				...withEmail(email),
			});
		const add = async (name: string, email_verified: boolean) => {
			const { id } = await addPerson(service, name);
			const email = `${name}@adopt.example`;
			await service.asAdmin("PATCH", `/api/v1/users/${id}`, { email, email_verified });
			return { id, email };
		};
		const proved = await add("proved", true);
		assert.equal((await post(off, proved.email)).status, 409);
		const adopted = await post(own, proved.email);
		assert.deepEqual([adopted.status, adopted.body.id], [201, proved.id]);
		assert.equal((await post(own, (await add("claimed", false)).email)).status, 409);
		const privileged = await add("privileged", true);
		await service.asAdmin("PATCH", `/api/v1/users/${privileged.id}`, { roles: ["auditor"] });
		assert.equal((await post(own, privileged.email)).status, 409);
	});
});
