// `/users/me/mfa/passkeys`: a user's passkeys; `/auth/passkey`: sign-in with a passkey alone.

import { PASSKEY_CHALLENGE_SECONDS } from "../../../domain/passkey.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { boolean, list, object, optional, plain, uuid } from "../../../http/describe/schema.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { FIRST_FACTOR_ERRORS, tokensSchema, toWireCompleted } from "../auth/sign-in-wire.ts";
import { confirmOwnPasskey, removeOwnPasskey, renameOwnPasskey, startOwnPasskey } from "./manage-passkeys.ts";
import { passkeySchema, toWirePasskey } from "./passkey-wire.ts";
import { signInWithPasskey, startPasskeySignIn } from "./sign-in-with-passkey.ts";
import {
	assertionSchema,
	credentialSchema,
	OWNER_ERRORS,
	ownerBody,
	ownerFields,
	passkeyName,
	passkeyOptionsSchema,
	toWirePasskeyOptions,
} from "./wire.ts";

const recoveryCodes = list(plain(), {
	description: "Shown once, and only with the first second factor.",
});
const enrolledSchema = object({ passkey: passkeySchema, recovery_codes: optional(recoveryCodes) });

const ids = { id: "passkey.not_found" } as const;

export function passkeyEndpoints(platform: Platform) {
	const { passkeys } = platform.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listMyPasskeys",
			summary: "List the current user's passkeys",
			response: page(passkeySchema, "Passkeys, newest first."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "list second factors of its user");
				return mapPage(await passkeys.list(caller.tenantId, caller.userId, page), toWirePasskey);
			},
		}),

		start: endpoint<SignedIn>()({
			name: "startMyPasskey",
			summary: "Start adding a passkey",
			description: `Pass the options to the browser within ${PASSKEY_CHALLENGE_SECONDS / 60} minutes. The operator must allow passkeys on the origin of the page: see docs/second-factors.md.`,
			body: object({
				...ownerFields,
				automatic: optional(
					boolean(
						'For a creation without a question, with `mediation: "conditional"`: the response needs no user presence. 409 for a user who has a passkey, or removed an automatic one.',
					),
				),
			}),
			response: data(201, passkeyOptionsSchema, "Options for the browser."),
			errors: [...OWNER_ERRORS, "passkey.unavailable"],
			secret: true,
			handle: async ({ caller, body }) => toWirePasskeyOptions(await startOwnPasskey(platform, body, caller)),
		}),

		confirm: endpoint<SignedIn>()({
			name: "confirmMyPasskey",
			summary: "Add a new passkey",
			description:
				"From then on, sign-in requires a second factor, and the passkey can also sign in alone. An automatic passkey requires none. The owner is notified by mail. A user can have at most 20 passkeys.",
			body: object({ name: passkeyName, credential: credentialSchema }),
			response: data(201, enrolledSchema, "The passkey."),
			errors: ["passkey.refused", "passkey.enrolled", "passkey.too_many", "passkey.unavailable"],
			secret: true,
			async handle({ caller, body }) {
				const { passkey, recoveryCodes: codes } = await confirmOwnPasskey(platform, body, caller);
				return { passkey: toWirePasskey(passkey), ...(codes && { recovery_codes: [...codes] }) };
			},
		}),

		rename: endpoint<SignedIn>()({
			name: "renameMyPasskey",
			summary: "Rename a passkey",
			ids,
			body: object({ name: passkeyName }),
			response: data(200, passkeySchema, "The updated passkey."),
			errors: ["application.token"],
			handle: async ({ caller, ids: { id }, body }) =>
				toWirePasskey(await renameOwnPasskey(platform, id, body.name, caller)),
		}),

		remove: endpoint<SignedIn>()({
			name: "removeMyPasskey",
			summary: "Remove a passkey",
			description:
				"Recovery codes are removed with the last second factor. If the tenant requires a second factor, the last one cannot be removed. Neither can the last way to sign in. The owner is notified by mail.",
			ids,
			body: ownerBody,
			response: empty(204, "The passkey is removed."),
			errors: [...OWNER_ERRORS, "passkey.last_way", "mfa.last_factor"],
			handle: ({ caller, ids: { id }, body }) => removeOwnPasskey(platform, id, body.password, caller),
		}),

		startSignIn: endpoint<Visitor>()({
			name: "startPasskeySignIn",
			summary: "Start a sign-in with a passkey alone",
			description: "Names no account: the browser offers the accounts for which it has a passkey.",
			response: data(200, passkeyOptionsSchema, "Options for the browser."),
			errors: ["passkey.unavailable"],
			secret: true,
			handle: async ({ caller }) => toWirePasskeyOptions(await startPasskeySignIn(platform, caller)),
		}),

		signIn: endpoint<Visitor>()({
			name: "signInWithPasskey",
			summary: "Sign in with a passkey alone",
			description:
				"The authenticator must verify its owner with a PIN or biometrics, so that the passkey counts as both factors. Every refusal returns the same 401.",
			body: object({
				assertion: assertionSchema,
				app_id: optional(uuid("The application to sign in to. Access to it is checked.")),
			}),
			response: data(200, tokensSchema, "Signed in."),
			errors: ["passkey.invalid", ...FIRST_FACTOR_ERRORS],
			secret: true,
			session: "opens",
			async handle({ caller, body }) {
				const passkey = { assertion: body.assertion, appId: body.app_id ?? null };
				return toWireCompleted(await signInWithPasskey(platform, passkey, caller));
			},
		}),
	};
}
