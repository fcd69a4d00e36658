// A provider with a certificate of a private authority: the service reaches it only with NODE_EXTRA_CA_CERTS.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { createProgramClient } from "../harness/processes/program-client.ts";
import { BAD_CLIENT, startBadProvider } from "../harness/providers/bad-provider.ts";
import {
	IDENTITY_PROVIDERS,
	PROVIDER_NETWORK,
	PUBLIC_URL,
	RETURN_TO,
	THIRD_PARTY,
} from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { ADMIN } from "../harness/service/service.ts";

describe("a provider with a certificate of a private authority", () => {
	const provider = fixture(() => startBadProvider());
	after(() => provider.close());

	/** The start of a sign-in at a service with these settings, whose output matches the pattern. */
	const departure = async (more: Readonly<Record<string, string>>, printed: RegExp) => {
		using folder = temporaryFolder();
		const env = {
			...(await ownSettings(join(folder.path, "data"))),
			LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
			LATCHKEY_PUBLIC_URL: PUBLIC_URL,
			LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK,
			...more,
		};
		const program = await startProgram({ env });
		const client = createProgramClient(program);
		try {
			const token = await client.signIn(ADMIN.password);
			const create = async (path: string, body: Readonly<Record<string, unknown>>) => {
				const response = await client.call("POST", path, { token, body });
				assert.equal(response.status, 201, JSON.stringify(response.body));
			};
			const { issuer } = provider;
			await create(IDENTITY_PROVIDERS, {
				provider: "corp",
				kind: "oidc",
				display_name: "Corp",
				issuer,
				// Without the authority, the issuer cannot be read when it is saved.
				force: true,
				...BAD_CLIENT,
			});
			const started = await client.call("POST", `${THIRD_PARTY}/corp/start`, {
				body: { return_to: RETURN_TO },
			});
			// The line may arrive after the response.
			await program.printed(printed);
			return started;
		} finally {
			client.close();
			await program.end();
		}
	};

	it("is reached when Node trusts the authority", async () => {
		const trusted = { NODE_EXTRA_CA_CERTS: provider.certificateFile };
		const started = await departure(trusted, /"msg":"started"/);
		assert.match(started.body.data.authorization_url, /^https:\/\/127\.0\.0\.1:\d+\/authorize\?/);
		const refused = /"reason":"unreachable".*(?:CERT|UNABLE_TO_VERIFY|SELF_SIGNED)/;
		assert.equal((await departure({}, refused)).status, 503);
	});
});
