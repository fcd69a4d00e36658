// The public keys of API clients: administrators and clients add and remove them, reviewers accept them.

import type { Administrator } from "../../../domain/caller.ts";
import { PARTNER_KEYS_MAX } from "../../../domain/partner-key.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import { object } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { overlapInput } from "../steps/overlap-wire.ts";
import {
	apiClientSchema,
	apiClientWithCredentialSchema,
	publicKeyInput,
	toWireApiClient,
} from "./api-client-wire.ts";
import { acceptKey, addKey, addOwnKey, removeKey, removeOwnKey } from "./partner-keys.ts";

const addBody = object({
	public_key: publicKeyInput(),
	overlap_seconds: overlapInput(
		"How long the Secret remains valid after the first key replaces it; default 0. Ignored if the client has no Secret.",
	),
});
const ids = { id: "api_client.not_found" } as const;
const names = { key_id: { pattern: /^[A-Za-z0-9_-]{43}$/, code: "api_client.key_not_found" } } as const;
const FIRST_KEY =
	"The first key replaces the Secret permanently. A client has at most two keys, and both sign, so a client replaces its key without a pause: add the new key, use it, and remove the old one.";

export function keysEndpoints(platform: Platform) {
	const { clock } = platform;
	return {
		add: endpoint<Administrator>()({
			name: "addApiClientKey",
			summary: "Add a public key to an API client",
			description: `The key counts as reviewed. ${FIRST_KEY} The service mails the client's owner.`,
			ids,
			body: addBody,
			response: data(201, apiClientSchema, "The API client with its keys."),
			errors: [
				"api_client.unclaimed",
				"api_client.test_mode",
				"api_client.key_exists",
				"api_client.keys_full",
			],
			async handle({ caller, ids: { id }, body }) {
				const { public_key: publicKey, overlap_seconds: overlapSeconds = 0 } = body;
				return toWireApiClient(await addKey(platform, id, { publicKey, overlapSeconds }, caller), clock());
			},
		}),

		accept: endpoint<Administrator>()({
			name: "acceptApiClientKey",
			summary: "Accept a public key of an API client",
			description:
				"Marks a key that the partner added as reviewed. Compare its fingerprint, `key_id`, with the one that the partner tells you over another channel. If `partner_keys_need_review` of the tenant held the key, it signs from now on, and replaces the Secret. A key that was reviewed stays as it is.",
			ids,
			names,
			response: data(200, apiClientSchema, "The API client with its keys."),
			errors: ["api_client.unclaimed", "api_client.test_mode", "api_client.key_not_found"],
			handle: async ({ caller, ids: { id, key_id: keyId } }) =>
				toWireApiClient(await acceptKey(platform, { id, keyId }, caller), clock()),
		}),

		remove: endpoint<Administrator>()({
			name: "removeApiClientKey",
			summary: "Remove a public key of an API client",
			description:
				"The service refuses its signatures immediately. The last key cannot be removed: disable or delete the client instead.",
			ids,
			names,
			response: empty(204, "The key is removed."),
			errors: [
				"api_client.unclaimed",
				"api_client.test_mode",
				"api_client.key_not_found",
				"api_client.last_key",
			],
			handle: ({ caller, ids: { id, key_id: keyId } }) => removeKey(platform, { id, keyId }, caller),
		}),

		addOwn: endpoint<CallingClient>()({
			name: "addKey",
			summary: "Add a public key to the calling client",
			description: `Sign the call with the current Secret, or with a key of the client. ${FIRST_KEY} The service mails the reviewers and the client's owner. The key signs immediately, unless \`partner_keys_need_review\` of the tenant is on: then \`live\` is false until a reviewer accepts it, and the Secret remains. Requires no scope.`,
			body: addBody,
			response: data(
				201,
				apiClientWithCredentialSchema,
				`The calling client with its keys, at most ${PARTNER_KEYS_MAX}.`,
			),
			errors: ["secret.superseded", "api_client.key_exists", "api_client.keys_full"],
			async handle({ caller, body }) {
				const { public_key: publicKey, overlap_seconds: overlapSeconds = 0 } = body;
				const { client, keyId } = await addOwnKey(platform, { publicKey, overlapSeconds }, caller);
				return { ...toWireApiClient(client, clock()), key_id: keyId };
			},
		}),

		removeOwn: endpoint<CallingClient>()({
			name: "removeKey",
			summary: "Remove a public key of the calling client",
			description:
				"Sign the call with a key of the client, which may be the one to remove. The service refuses its signatures immediately. The last key that signs cannot be removed. Requires no scope.",
			names,
			response: empty(204, "The key is removed."),
			errors: ["secret.superseded", "api_client.key_not_found", "api_client.last_key"],
			handle: ({ caller, ids: { key_id: keyId } }) => removeOwnKey(platform, keyId, caller),
		}),
	};
}
