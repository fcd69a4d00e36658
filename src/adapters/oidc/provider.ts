// The OpenID provider: an instance of the library, created again when the signing keys change.

import type Provider from "oidc-provider";
import type { LoadedProvider, ProviderRequest, ProviderResponse } from "../../domain/openid-provider.ts";
import { createClientKeys } from "./client-keys.ts";
import { createDevices } from "./devices.ts";
import { COMPLETING_SESSION, describeInteraction, finishInteraction } from "./interactions.ts";
import { introspect } from "./introspect-request.ts";
import { checkIssuerKeys, createIssuerKeys } from "./issuer-keys.ts";
import { withoutEmptySecret, withoutExtraSpaces } from "./lenient-requests.ts";
import { createLibrary } from "./library.ts";
import type { PrivateKeyJwk, ProviderParts } from "./parts.ts";
import { resolveProgram } from "./programs.ts";
import { readIdToken } from "./read-id-token.ts";
import { createRecords } from "./records.ts";
import { runRequest } from "./run-request.ts";
import { createWorkloads } from "./workloads.ts";

/** How long a sign-out waits for its user to confirm it. */
const SIGN_OUT_SECONDS = 3_600;

const INTERACTION_GONE: ProviderResponse["refusal"] = {
	error: "invalid_request",
	description: "this sign-in has ended or was completed with another session: start again at the application",
};

export function createOpenIdProvider(given: ProviderParts): LoadedProvider {
	const findIssuerKey = createIssuerKeys(given);
	const workloads = createWorkloads(given, findIssuerKey);
	const publishedKeys = createClientKeys(given);
	const parts = { ...given, publishedKeys, findIssuerKey, workloadKeys: workloads.keys };
	const records = createRecords(parts);
	let current: { readonly keys: readonly PrivateKeyJwk[]; readonly library: Provider } | undefined;
	const library = async (): Promise<Provider> => {
		const keys = await parts.keys();
		if (current?.keys !== keys) current = { keys, library: createLibrary(parts, records, keys) };
		return current.library;
	};

	/** Whether the browser returns with the session that gave consent. */
	async function mayResume({ resume, session }: ProviderRequest): Promise<boolean> {
		if (resume === undefined) return false;
		const result = (await records.find("Interaction", resume))?.payload.result;
		if (result === undefined) return false;
		return "error" in result || (session !== undefined && result[COMPLETING_SESSION] === session.id);
	}

	return {
		async respond(given) {
			const introspected = await introspect(parts, records, given);
			if (introspected !== undefined) return introspected;
			const request = withoutExtraSpaces(given);
			const { pathname } = new URL(request.target, parts.issuer);
			if (pathname.startsWith("/oauth/authorize/") && !(await mayResume(request)))
				return { status: 400, headers: {}, body: "", refusal: INTERACTION_GONE, clientId: undefined };
			const resolved = await resolveProgram(parts, records, request);
			if ("response" in resolved) return resolved.response;
			const sent = await workloads.translate(await withoutEmptySecret(parts, resolved.request));
			return await runRequest(await library(), parts.issuer, sent, resolved.program);
		},
		async findInteraction(id) {
			const model = await (await library()).Interaction.find(id);
			const record = await records.find("Interaction", id);
			return model && record && describeInteraction(model, record.row.createdAtMs);
		},
		async finishInteraction(id, result) {
			const model = await (await library()).Interaction.find(id);
			const record = await records.find("Interaction", id);
			return model && record && (await finishInteraction(model, record.row.createdAtMs, result));
		},
		readIdToken: async (idToken) => readIdToken(await library(), await parts.keys(), idToken),
		async keepSignOut(asked) {
			const id = parts.randomToken();
			await records.put("SignOut", id, { ...asked }, SIGN_OUT_SECONDS);
			return id;
		},
		async findSignOut(id) {
			return (await records.find("SignOut", id))?.payload;
		},
		async findAskedProgram(id) {
			return (await records.find("AskedProgram", id))?.payload;
		},
		checkIssuerKeys: (issuer) => checkIssuerKeys(issuer, parts),
		workloadProblem: workloads.problemOf,
		...createDevices(parts, records),
	};
}
