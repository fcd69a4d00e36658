// Providers of two tenants with the same slug: the operator of one must not receive the codes of the other.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addSecondTenant, type SecondTenant } from "../harness/people/second-tenant.ts";
import { BAD_CLIENT, type BadProvider, startBadProvider } from "../harness/providers/bad-provider.ts";
import {
	cookiesOf,
	IDENTITY_PROVIDERS,
	type Jar,
	keepCookies,
	newJar,
	openStage,
	outcomeOf,
	PUBLIC_URL,
	RETURN_TO,
	type Stage,
	THIRD_PARTY,
} from "../harness/providers/third-party.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

describe("two tenants with a provider of the same slug", () => {
	let stage: Stage;
	let second: SecondTenant;
	let honest: BadProvider;
	let malicious: BadProvider;
	let created: DataOf<"POST /api/v1/identity-providers">;
	before(async () => {
		[stage, honest, malicious] = await Promise.all([openStage([]), startBadProvider(), startBadProvider()]);
		// Like most providers: Google, Microsoft, Apple, GitHub.
		honest.misbehave({ isSilent: true });
		malicious.misbehave({ isSilent: true });
		await stage.addProvider("corp", { issuer: honest.issuer, ...BAD_CLIENT, sign_up: true });
		second = await addSecondTenant(stage.service);
		const theirs = { issuer: malicious.issuer, ...BAD_CLIENT, provider: "corp", kind: "oidc", sign_up: true };
		created = (await post(IDENTITY_PROVIDERS, { display_name: "Corp", ...theirs }, 201)).data;
	});
	after(() => Promise.all([stage.stop(), honest.close(), malicious.close()]));

	/** As the administrator of the second tenant. */
	const post = async <P extends string>(path: P, body: Record<string, unknown>, status: number) => {
		const headers = { "x-tenant-id": second.id };
		const response = await stage.service.call("POST", path, { token: second.adminToken, headers, body });
		assert.equal(response.status, status, JSON.stringify(response.body));
		return response.body;
	};
	const startInSecond = async (jar: Jar): Promise<string> => {
		const headers = { ...cookiesOf(jar), "x-tenant-id": second.id };
		const slug: string = "corp";
		const body = { return_to: RETURN_TO };
		const response = await stage.service.call("POST", `${THIRD_PARTY}/${slug}/start`, { headers, body });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		keepCookies(jar, response);
		return response.body.data.authorization_url;
	};

	it("have their own callbacks", async () => {
		assert.equal(created.callback_url, `${PUBLIC_URL}${THIRD_PARTY}/corp.${second.id}/callback`);
		const jar = newJar();
		const back = await malicious.visit(await startInSecond(jar));
		assert.equal(back.origin + back.pathname, created.callback_url);
		assert.equal(outcomeOf(await stage.visit(jar, back)), "finish");
	});

	it("do not get each other's codes, even if the browser is redirected with the other's state", async () => {
		malicious.misbehave({ isSilent: true });
		// The attacker starts a sign-in at the honest provider and stops there …
		const prepared = new URL(await stage.start(newJar(), "corp"));
		// … the victim starts at the attacker's provider, which redirects to the honest one with the victim's state.
		const victim = newJar();
		const state = new URL(await startInSecond(victim)).searchParams.get("state") ?? assert.fail();
		prepared.searchParams.set("state", state);
		const back = await honest.visit(prepared.href);
		assert.ok(back.searchParams.has("code"));
		const response = await stage.visit(victim, back);
		assert.equal(response.status, 400);
		assert.deepEqual(
			malicious.received.filter(({ path }) => path === "/token"),
			[],
		);
	});

	it("cannot claim each other's callbacks by a slug", async () => {
		for (const name of [`corp.${second.id}`, "corp."]) {
			const body = {
				display_name: "x",
				issuer: malicious.issuer,
				...BAD_CLIENT,
				kind: "oidc",
				provider: name,
			};
			await post(IDENTITY_PROVIDERS, body, 400);
		}
	});
});
