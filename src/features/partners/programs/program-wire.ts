// The wire forms of programs, of their documents, and of the requests for them.

import { ACCESS_REQUEST_STATUSES } from "../../../domain/access-request.ts";
import { ACCESS_POLICIES } from "../../../domain/application.ts";
import { type ListedProgram, PROGRAM_STATUSES, PROGRAM_SUSPENDERS } from "../../../domain/program.ts";
import {
	documentDifferences,
	hostOf,
	PROGRAM_AUTH_METHODS,
	type ProgramDocument,
} from "../../../domain/program-document.ts";
import {
	type NamedAsker,
	PROGRAM_REQUEST_KINDS,
	type ReviewedProgramRequest,
} from "../../../domain/program-request.ts";
import { isOnDevice } from "../../../domain/redirect-uri.ts";
import {
	anyObject,
	boolean,
	choice,
	type Infer,
	list,
	nullable,
	object,
	optional,
	plain,
	time,
} from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { documentDigest } from "./document-digest.ts";

const redirectUri = object(
	{
		uri: plain(),
		host: plain({ description: "In ASCII; of a private-use scheme, the scheme." }),
		is_other_host: boolean({
			description: "Whether it is an https URI on a different host than the document.",
		}),
		is_on_device: boolean({
			description: "Leads to a program on the user's device, which cannot be verified.",
		}),
	},
	{ title: "ProgramRedirectUri" },
);

const documentSchema = object(
	{
		name: plain({ description: "Chosen by the publisher and not verified: show it with the host." }),
		redirect_uris: list(redirectUri),
		token_endpoint_auth_method: choice(PROGRAM_AUTH_METHODS),
		jwks_uri: nullable(plain({ description: "Its keys were read with the document." })),
		keys: list(anyObject()),
		published: anyObject({ description: "Every member of the document." }),
	},
	{ title: "ProgramDocument" },
);

const differenceSchema = object(
	{
		member: choice(["client_name", "redirect_uris", "token_endpoint_auth_method", "keys"]),
		reviewed: list(plain()),
		current: list(plain()),
	},
	{ title: "ProgramDifference" },
);

const requestFields = {
	id: plain({ format: "uuid" }),
	kind: choice(PROGRAM_REQUEST_KINDS, {
		description:
			"`new`: people request the program. `change`: the document of a reviewed program changed or cannot be read.",
	}),
	client_id: plain({
		description: "The URL of the document.",
		examples: ["https://agent.example/client.json"],
	}),
	host: plain({ description: "Of the URL, in ASCII.", examples: ["agent.example"] }),
	name: nullable(plain({ description: "From the document; null if it could not be read." })),
	status: choice(ACCESS_REQUEST_STATUSES),
	application_id: nullable(
		plain({ format: "uuid", description: "The program that changed or was created." }),
	),
	review_note: plain({ description: 'Empty (`""`) until the request is decided.' }),
	reviewed_by: nullable(plain({ format: "uuid" })),
	reviewed_by_name: nullable(plain({ description: "Username." })),
	reviewed_at: nullable(time()),
	created_at: time(),
	updated_at: time(),
};

export const listedRequestSchema = object(requestFields, { title: "ListedProgramRequest" });

export const documentDigestSchema = plain({
	description: "Identifies the document as read: SHA-256 in base64url.",
	maxLength: 43,
	pattern: "^[A-Za-z0-9_-]{43}$",
	examples: ["N4KvJ2sYQ0cF8bXo1pTzR7hLw3dMeG9aUi5kVq6yHxE"],
});

export const programRequestSchema = object(
	{
		...requestFields,
		redirect_uri: plain({ description: 'The one that the program sent; `""` for a change.' }),
		resources: list(plain(), {
			description: "APIs that the program requested; of a change, those that it may use.",
			examples: [["https://api.example.com"]],
		}),
		requested_by: list(
			object({ user_id: plain({ format: "uuid" }), username: plain(), reason: plain(), created_at: time() }),
		),
		document: optional(documentSchema),
		document_digest: nullable(documentDigestSchema),
		differences: list(differenceSchema, {
			description: "Of a change: what differs from the reviewed document.",
		}),
	},
	{ title: "ProgramRequest" },
);

const programFields = {
	application_id: plain({ format: "uuid" }),
	client_id: plain({
		description: "The URL of the document.",
		examples: ["https://agent.example/client.json"],
	}),
	host: plain({ description: "Of the URL, in ASCII.", examples: ["agent.example"] }),
	name: plain(),
	status: choice(PROGRAM_STATUSES, { description: "A suspended program gets no codes and no tokens." }),
	suspended_by: nullable(
		choice(PROGRAM_SUSPENDERS, {
			description:
				"`check`: the daily check, after 14 days without a decision; an approval of the change lifts it. `administrator`: only an administrator lifts it. Null while active.",
		}),
	),
	access_policy: choice(ACCESS_POLICIES),
	allowed_resources: list(plain(), {
		description: "APIs for which it gets tokens.",
		examples: [["https://api.example.com"]],
	}),
	expires_at: nullable(time({ description: "Afterwards it gets no codes and no tokens; null means never." })),
	reviewed_by: nullable(plain({ format: "uuid" })),
	reviewed_at: time(),
	read_at: time({ description: "When its document was last readable." }),
	next_read_at: time(),
	created_at: time(),
	updated_at: time(),
};
export const programSchema = object(programFields, { title: "ListedProgram" });

export const shownProgramSchema = object(
	{
		...programFields,
		document: documentSchema,
		change_request_id: nullable(
			plain({ format: "uuid", description: "The pending request about a change." }),
		),
		differences: list(differenceSchema),
	},
	{ title: "Program" },
);

const toWireDecided = toWire(
	object({
		reviewed_by: requestFields.reviewed_by,
		reviewed_by_name: requestFields.reviewed_by_name,
		reviewed_at: requestFields.reviewed_at,
		created_at: time(),
		updated_at: time(),
	}),
);

function toWireDocument({ url, name, redirectUris, authMethod, jwks, jwksUri, published }: ProgramDocument) {
	return {
		name,
		redirect_uris: redirectUris.map((uri) => toWireRedirect(uri, url)),
		token_endpoint_auth_method: authMethod,
		jwks_uri: jwksUri,
		keys: (jwks?.keys ?? []).map((key) => ({ ...key })),
		published: { ...published },
	};
}

export function toWireRedirect(uri: string, documentUrl: string): Infer<typeof redirectUri> {
	const host = hostOf(uri);
	const onDevice = isOnDevice(uri);
	return { uri, host, is_other_host: !onDevice && host !== hostOf(documentUrl), is_on_device: onDevice };
}

function toWireDifferences(reviewed: ProgramDocument | undefined, current: ProgramDocument | null) {
	if (reviewed === undefined || current === null) return [];
	return documentDifferences(reviewed, current).map((difference) => ({
		member: difference.member,
		reviewed: [...difference.reviewed],
		current: [...difference.current],
	}));
}

export function toWireListedRequest(request: ReviewedProgramRequest): Infer<typeof listedRequestSchema> {
	const { id, kind, url, document, status, applicationId, reviewNote } = request;
	return {
		id,
		kind,
		client_id: url,
		host: hostOf(url),
		name: document?.name ?? null,
		status,
		application_id: applicationId,
		review_note: reviewNote,
		...toWireDecided(request),
	};
}

/** @param reviewed of a change: the program as it was reviewed; undefined if it was removed. */
export function toWireProgramRequest(
	request: ReviewedProgramRequest,
	askers: readonly NamedAsker[],
	reviewed: ListedProgram | undefined,
): Infer<typeof programRequestSchema> {
	const { redirectUri, resources, document } = request;
	return {
		...toWireListedRequest(request),
		redirect_uri: redirectUri,
		resources: [...(reviewed?.allowedResources ?? resources)],
		requested_by: askers.map(({ userId, username, reason, createdAtMs }) => ({
			user_id: userId,
			username,
			reason,
			created_at: isoTime(createdAtMs),
		})),
		...(document && { document: toWireDocument(document) }),
		document_digest: document && documentDigest(document),
		differences: toWireDifferences(reviewed?.document, document),
	};
}

const toWireListed = toWire(programSchema);

export function toWireProgram(program: ListedProgram): Infer<typeof programSchema> {
	const { url, document } = program;
	return toWireListed({ ...program, clientId: url, host: hostOf(url), name: document.name });
}

/** @param change the pending request about a change. */
export function toWireShownProgram(
	program: ListedProgram,
	change: { readonly id: string; readonly document: ProgramDocument | null } | undefined,
): Infer<typeof shownProgramSchema> {
	return {
		...toWireProgram(program),
		document: toWireDocument(program.document),
		change_request_id: change?.id ?? null,
		differences: toWireDifferences(program.document, change?.document ?? null),
	};
}
