// Parses the metadata document of a program. Unknown members are kept for the reviewer and otherwise ignored.

import { readClientKey, readClientKeys } from "../../../crypto/client-jwks.ts";
import { CLIENT_JWKS_MAX, type ClientJwks } from "../../../domain/oauth-client.ts";
import {
	PROGRAM_AUTH_METHODS,
	PROGRAM_NAME_MAX,
	PROGRAM_REDIRECT_URIS_MAX,
	PROGRAM_URL_MAX,
	type ProgramAuthMethod,
	type ProgramDocument,
	programUrlProblem,
} from "../../../domain/program-document.ts";
import { redirectProblem } from "../../../domain/redirect-uri.ts";
import { type AppError, refusedField } from "../../../kernel/error.ts";
import { type FieldReason, problem, type ReasonParameters } from "../../../kernel/field-reason.ts";
import { isMembers, isText, listOf, type Members, oneOf } from "../../../kernel/shape.ts";
import { shownTextProblem } from "../../../kernel/shown-text.ts";

const DOCUMENT = "document";
const isAuthMethod = oneOf(PROGRAM_AUTH_METHODS);
const isTexts = listOf(isText);
const isKeys = listOf(isMembers);

/** @throws AppError `program.document` about `client_id`. */
export function checkProgramUrl(url: string): void {
	const defect = programUrlProblem(url);
	if (defect !== undefined) throw refusedField("program.document", "client_id", defect);
}

/**
 * Keys at a `jwks_uri` are not read here: `jwks` is then null.
 *
 * @throws AppError `program.document`, naming the member.
 */
export function parseDocument(text: string, url: string): ProgramDocument {
	const published = parseMembers(text, DOCUMENT);
	if (required(published, "client_id") !== url) throw refused("client_id", "same_url");
	const secret = Object.keys(published).find((name) => name.startsWith("client_secret"));
	if (secret !== undefined) throw refused(secret, "public_document");
	const authMethod = parseAuthMethod(published);
	return {
		url,
		name: parseName(required(published, "client_name")),
		redirectUris: parseRedirectUris(published.redirect_uris),
		authMethod,
		...parseKeys(published, authMethod),
		published,
	};
}

/** The usable keys of a set at a `jwks_uri`. @throws AppError `program.document` without one. */
export function parsePublishedKeys(text: string): ClientJwks {
	const { keys } = parseMembers(text, "jwks_uri");
	const sent = isKeys(keys) ? keys : [];
	const usable = sent.filter((jwk) => "key" in readClientKey(jwk)).slice(0, CLIENT_JWKS_MAX);
	return keySet(usable, "jwks_uri");
}

function parseMembers(text: string, field: string): Members {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw refused(field, "json_object");
	}
	if (!isMembers(value)) throw refused(field, "json_object");
	return value;
}

function required(members: Members, name: string): string {
	const value = members[name];
	if (value === undefined) throw refused(name, "required");
	if (!isText(value)) throw refused(name, "type", { type: "string" });
	return value;
}

function parseName(name: string): string {
	const defect = shownTextProblem(name, "name");
	if (defect !== undefined) throw refusedField("program.document", "client_name", defect);
	const shown = name.trim();
	if (shown === "") throw refused("client_name", "blank");
	if ([...shown].length > PROGRAM_NAME_MAX)
		throw refused("client_name", "characters_max", { max: PROGRAM_NAME_MAX });
	return shown;
}

function parseRedirectUris(uris: unknown): readonly string[] {
	const field = "redirect_uris";
	if (uris === undefined) throw refused(field, "required");
	if (!isTexts(uris)) throw refused(field, "type", { type: "array of strings" });
	if (uris.length === 0) throw refused(field, "empty");
	if (uris.length > PROGRAM_REDIRECT_URIS_MAX)
		throw refused(field, "items_max", { max: PROGRAM_REDIRECT_URIS_MAX });
	for (const [index, uri] of uris.entries()) {
		const place = `${field}.${index}`;
		if (uri.length > PROGRAM_URL_MAX) throw refused(place, "characters_max", { max: PROGRAM_URL_MAX });
		const reason = uris.indexOf(uri) < index ? "duplicate" : redirectProblem(uri);
		if (reason !== undefined) throw refused(place, reason);
	}
	return uris;
}

function parseAuthMethod({ token_endpoint_auth_method: method = "none" }: Members): ProgramAuthMethod {
	if (isAuthMethod(method)) return method;
	throw refused("token_endpoint_auth_method", "one_of", { values: PROGRAM_AUTH_METHODS });
}

function parseKeys(
	{ jwks, jwks_uri: jwksUri }: Members,
	method: ProgramAuthMethod,
): Pick<ProgramDocument, "jwks" | "jwksUri"> {
	if (method === "none") return { jwks: null, jwksUri: null };
	if (jwks !== undefined && jwksUri !== undefined) throw refused("jwks_uri", "absent_with_jwks");
	if (jwksUri !== undefined) return { jwks: null, jwksUri: parseKeysUrl(jwksUri) };
	if (jwks === undefined) throw refused("jwks", "keys_required");
	if (!isMembers(jwks) || !isKeys(jwks.keys)) throw refused("jwks", "type", { type: "JSON Web Key Set" });
	return { jwks: keySet(jwks.keys, "jwks.keys"), jwksUri: null };
}

/** The rules of the document's URL apply, because the service requests both. */
function parseKeysUrl(url: unknown): string {
	if (!isText(url)) throw refused("jwks_uri", "type", { type: "string" });
	const defect = programUrlProblem(url);
	if (defect !== undefined) throw refusedField("program.document", "jwks_uri", defect);
	return url;
}

function keySet(sent: readonly Members[], field: string): ClientJwks {
	if (sent.length === 0 || sent.length > CLIENT_JWKS_MAX)
		throw refused(field, "keys_count", { max: CLIENT_JWKS_MAX });
	const { keys, problems } = readClientKeys(sent);
	const [first] = problems;
	if (first !== undefined) throw refusedField("program.document", `${field}.${first.index}`, first.problem);
	return { keys };
}

function refused<const Reason extends FieldReason>(
	field: string,
	reason: Reason,
	...parameters: ReasonParameters<Reason>
): AppError {
	return refusedField("program.document", field, problem(reason, ...parameters));
}
