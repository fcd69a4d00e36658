// `/users/me/mfa/passkeys`: a person's passkeys; `/auth/passkey`: sign-in with one alone.

import { data, empty, endpoint, page } from "../../http/endpoint.ts";
import {
	anyObject,
	boolean,
	type Infer,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	type Schema,
	secretText,
	text,
	time,
	uuid,
} from "../../http/schema.ts";
import { isoTime, isoTimeOrNull } from "../../kernel/clock.ts";
import { PASSWORD_TEXT_MAX, type SignedIn, type SignInOutcome } from "../auth/model.ts";
import type { Visitor } from "../tenants/model.ts";
import { OWNER_ERRORS } from "./factor-endpoints.ts";
import { FRESH_SIGN_IN_SECONDS, PASSKEY_CHALLENGE_SECONDS, PASSKEY_NAME_MAX, type Passkey } from "./model.ts";
import {
	confirmOwnPasskey,
	type OwnPasskeyDeps,
	removeOwnPasskey,
	renameOwnPasskey,
	startOwnPasskey,
} from "./own-passkeys.ts";
import type { AskedPasskey } from "./passkey-challenge.ts";
import { type PasskeySignInDeps, signInWithPasskey, startPasskeySignIn } from "./sign-in-with-passkey.ts";

const passkeySchema = object(
	{
		id: plain({ format: "uuid" }),
		name: plain(),
		synced: boolean({ description: "Whether it may live on several devices of its owner." }),
		transports: list(plain(), { examples: [["internal", "hybrid"]] }),
		aaguid: plain({ description: "Model of the authenticator; all zeros when it does not tell." }),
		created_at: time(),
		last_used_at: nullable(time()),
	},
	{ title: "Passkey" },
);

const recoveryCodes = list(plain(), {
	description: "Shown this once, and only with the first second factor.",
});
const enrolledSchema = object({ passkey: passkeySchema, recovery_codes: optional(recoveryCodes) });

/** For whatever hands options to a browser. */
export const askedSchema = object({
	options: anyObject({
		description:
			"For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`, then `navigator.credentials`.",
	}),
	expires_in: integer({ description: "Seconds until the challenge dies; it is good for one answer." }),
});

export function toWireAsked({ options, expiresInSeconds }: AskedPasskey): Infer<typeof askedSchema> {
	return { options, expires_in: expiresInSeconds };
}

/** What `toJSON()` of a browser's credential gives. */
export const assertionSchema = anyObject({
	description: "`toJSON()` of what `navigator.credentials.get` answered.",
});

const ownerBody = object({
	password: optional(
		secretText({
			max: PASSWORD_TEXT_MAX,
			description: `The current password; may be left out when the sign-in is at most ${FRESH_SIGN_IN_SECONDS / 60} minutes old.`,
		}),
	),
});
export const passkeyName = text({
	max: PASSKEY_NAME_MAX,
	description: "For its owner, to tell it from others.",
});
/** What `toJSON()` of a credential the browser made gives. */
export const credentialSchema = anyObject({
	description: "`toJSON()` of what `navigator.credentials.create` answered.",
});
const ids = { id: "passkey.not_found" } as const;

interface OutcomeWire<Tokens> {
	readonly signIn: { toWire(outcome: SignInOutcome): unknown };
	readonly tokens: { readonly schema: Schema<Tokens> };
}

export function passkeyEndpoints<Tokens>(
	deps: OwnPasskeyDeps & PasskeySignInDeps & { readonly signInWire: OutcomeWire<Tokens> },
) {
	const { signIn, tokens } = deps.signInWire;
	return {
		list: endpoint<SignedIn>()({
			name: "listMyPasskeys",
			summary: "List the current user's passkeys",
			answer: page(passkeySchema, "Passkeys, newest first."),
			async handle({ caller: { tenantId, user }, page: asked }) {
				const { items, total } = await deps.db.stores.passkeys.list(tenantId, user.id, asked);
				return { items: items.map(toWirePasskey), total };
			},
		}),

		start: endpoint<SignedIn>()({
			name: "startMyPasskey",
			summary: "Begin to add a passkey",
			description: `Hand the options to the browser within ${PASSKEY_CHALLENGE_SECONDS / 60} minutes. The page must be one the operator allows passkeys on: see docs/second-factors.md.`,
			body: ownerBody,
			answer: data(201, askedSchema, "What to ask the browser for."),
			errors: OWNER_ERRORS,
			secret: true,
			handle: async ({ caller, body, request }) =>
				toWireAsked(await startOwnPasskey(deps, body.password, { signedIn: caller, origin: request })),
		}),

		confirm: endpoint<SignedIn>()({
			name: "confirmMyPasskey",
			summary: "Add the passkey the browser made",
			description:
				"From now on sign-in asks for a second factor, and the passkey can also sign in alone. The owner is told by mail. At most 20.",
			body: object({ name: passkeyName, credential: credentialSchema }),
			answer: data(201, enrolledSchema, "The passkey."),
			errors: ["passkey.refused", "passkey.enrolled", "passkey.too_many"],
			secret: true,
			async handle({ caller, body, request }) {
				const context = { signedIn: caller, origin: request };
				const { passkey, recoveryCodes: codes } = await confirmOwnPasskey(deps, body, context);
				return { passkey: toWirePasskey(passkey), ...(codes && { recovery_codes: [...codes] }) };
			},
		}),

		rename: endpoint<SignedIn>()({
			name: "renameMyPasskey",
			summary: "Rename a passkey",
			ids,
			body: object({ name: passkeyName }),
			answer: data(200, passkeySchema, "The passkey as it is now."),
			errors: ["passkey.not_found"],
			async handle({ caller, ids: { id }, body, request }) {
				const context = { signedIn: caller, origin: request };
				return toWirePasskey(await renameOwnPasskey(deps, id as string, body.name, context));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "removeMyPasskey",
			summary: "Remove a passkey",
			description:
				"Recovery codes go with the last second factor. Where the tenant requires one, the last cannot be removed, and never the last way to sign in. The owner is told by mail.",
			ids,
			body: ownerBody,
			answer: empty(204, "It opens nothing any more."),
			errors: [...OWNER_ERRORS, "passkey.not_found", "passkey.last_way", "mfa.last_factor"],
			handle: ({ caller, ids: { id }, body, request }) =>
				removeOwnPasskey(deps, id as string, body.password, { signedIn: caller, origin: request }),
		}),

		startSignIn: endpoint<Visitor>()({
			name: "startPasskeySignIn",
			summary: "Begin a sign-in with a passkey alone",
			description: "No account is named: the browser lets people choose among those it has a passkey for.",
			answer: data(200, askedSchema, "What to ask the browser for."),
			secret: true,
			handle: async ({ caller }) => toWireAsked(await startPasskeySignIn(deps, caller.tenantId)),
		}),

		signIn: endpoint<Visitor>()({
			name: "signInWithPasskey",
			summary: "Sign in with a passkey alone",
			description:
				"The authenticator must have known its owner by PIN, finger or face: the passkey then counts as both factors. Every refusal of it is the same 401.",
			body: object({
				assertion: assertionSchema,
				app_id: optional(uuid({ description: "The application to sign in to: access to it is decided." })),
			}),
			answer: data(200, tokens.schema, "Signed in."),
			errors: ["passkey.invalid", "account.disabled", "application.access_denied"],
			secret: true,
			async handle({ caller: { tenantId }, body, request }) {
				const given = { tenantId, assertion: body.assertion, appId: body.app_id ?? null };
				return signIn.toWire(await signInWithPasskey(deps, given, request)) as Tokens;
			},
		}),
	};
}

function toWirePasskey(passkey: Passkey): Infer<typeof passkeySchema> {
	return {
		id: passkey.id,
		name: passkey.name,
		synced: passkey.synced,
		transports: [...passkey.transports],
		aaguid: passkey.aaguid,
		created_at: isoTime(passkey.createdAtMs),
		last_used_at: isoTimeOrNull(passkey.lastUsedAtMs),
	};
}
