// A person whom a directory created signs in at its issuer at the first try, and at another one never.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { directoryOf } from "../harness/providers/directories.ts";
import { IDENTITY_PROVIDERS, openStage } from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";

const stage = fixture(() =>
	openStage([
		{ sub: "first", email: "first@corp.example", email_verified: true },
		{ sub: "second", email: "second@corp.example", email_verified: true },
	]),
);
after(() => stage?.stop());

describe("a person of a directory", () => {
	it("signs in by externalId at its issuer at once, and not by address at another", async () => {
		const { service } = stage;
		const issuer = await stage.addProvider("corp");
		await stage.addProvider("open", { sign_up: true });
		const path =
			`${IDENTITY_PROVIDERS}/${issuer.id}/directory` as "/api/v1/identity-providers/{id}/directory";
		const { token = "" } = await service.asAdmin("PUT", path, { on_remove: "disable" });
		const directory = directoryOf(service, issuer, token);
		const person = await directory.person("first.person@corp.example", {
			externalId: "first",
			emails: [{ value: "first@corp.example", primary: true }],
		});
		await using engine = await service.openDatabase();
		await engine.queries.run("UPDATE users SET email_verified = 1 WHERE id = $1", person.id);
		assert.equal(await stage.comeBack("open", "first"), "error=account_exists");
		const signedIn = await stage.signIn("corp", "first");
		assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
		const me = await service.call("GET", "/api/v1/users/me", {
			token: (signedIn.body as unknown as { data: { access_token: string } }).data.access_token,
		});
		assert.equal(me.body.data.id, person.id);
		await directory.patch(`Users/${person.id}`, { op: "Replace", path: "active", value: "False" });
		assert.notEqual((await stage.comeBack("corp", "first")).includes("error"), false);
	});
});
