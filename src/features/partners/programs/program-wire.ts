// The wire forms of programs and of their documents.

import { ACCESS_POLICIES } from "../../../domain/application.ts";
import { ALLOWED_RESOURCES_MAX, RESOURCE_MAX } from "../../../domain/oauth-client.ts";
import { type ListedProgram, PROGRAM_STATUSES, PROGRAM_SUSPENDERS } from "../../../domain/program.ts";
import {
	documentDifferences,
	hostOf,
	PROGRAM_AUTH_METHODS,
	type ProgramDocument,
} from "../../../domain/program-document.ts";
import { isOnDevice } from "../../../domain/redirect-uri.ts";
import {
	anyObject,
	boolean,
	choice,
	type Infer,
	list,
	nullable,
	object,
	plain,
	text,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { shownAudiences, toWireAudiences } from "../../access/oauth-clients/assertion-audience-wire.ts";

const redirectUri = object(
	{
		uri: plain(),
		host: plain("In ASCII; of a private-use scheme, the scheme."),
		is_other_host: boolean("Whether it is an https URI on a different host than the document."),
		is_on_device: boolean("Leads to a program on the user's device, which cannot be verified."),
	},
	{ title: "ProgramRedirectUri" },
);

export const documentSchema = object(
	{
		name: plain("Chosen by the publisher and not verified: show it with the host."),
		redirect_uris: list(redirectUri),
		token_endpoint_auth_method: choice(PROGRAM_AUTH_METHODS),
		jwks_uri: nullable(plain("Its keys were read with the document.")),
		keys: list(anyObject()),
		published: anyObject("Every member of the document."),
	},
	{ title: "ProgramDocument" },
);

export const differenceSchema = object(
	{
		member: choice(["client_name", "redirect_uris", "token_endpoint_auth_method", "keys"]),
		reviewed: list(plain()),
		current: list(plain()),
	},
	{ title: "ProgramDifference" },
);

export const allowedResources = list(text({ max: RESOURCE_MAX }), {
	max: ALLOWED_RESOURCES_MAX,
	unique: true,
	description: "APIs for which the program gets tokens: the `resource` of OAuth clients of the tenant.",
	examples: [["https://api.example.com"]],
});
export const accessPolicy = choice(ACCESS_POLICIES, {
	description:
		"`open`: every user of the tenant may use the program, and each API decides which of its users to admit; `assigned`: only users with a grant.",
});

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
	assertion_audiences: shownAudiences,
	expires_at: nullable(time("Afterwards it gets no codes and no tokens; null means never.")),
	reviewed_by: nullable(plain({ format: "uuid" })),
	reviewed_at: time(),
	read_at: time("When its document was last readable."),
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

export function toWireDocument({
	url,
	name,
	redirectUris,
	authMethod,
	jwks,
	jwksUri,
	published,
}: ProgramDocument) {
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

export function toWireDifferences(reviewed: ProgramDocument | undefined, current: ProgramDocument | null) {
	if (reviewed === undefined || current === null) return [];
	return documentDifferences(reviewed, current).map((difference) => ({
		member: difference.member,
		reviewed: [...difference.reviewed],
		current: [...difference.current],
	}));
}

const toWireListed = toWire(programSchema);

export function toWireProgram(program: ListedProgram): Infer<typeof programSchema> {
	const { url, document, assertionAudiences } = program;
	const audiences = { assertionAudiences: toWireAudiences(assertionAudiences) };
	return toWireListed({ ...program, ...audiences, clientId: url, host: hostOf(url), name: document.name });
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
