// The metadata document by which a program names itself (draft-ietf-oauth-client-id-metadata-document).

import { addressOfHost } from "../kernel/address-rule.ts";
import { type Problem, problem } from "../kernel/field-reason.ts";
import type { Members } from "../kernel/shape.ts";
import type { ClientJwks } from "./oauth-client.ts";
import { isOnDevice } from "./redirect-uri.ts";

/** How a program authenticates. A public document cannot contain a secret. */
export const PROGRAM_AUTH_METHODS = ["none", "private_key_jwt"] as const;
export type ProgramAuthMethod = (typeof PROGRAM_AUTH_METHODS)[number];

/** Limits: texts in code points, lists in entries. The URL is part of an index. */
export const PROGRAM_URL_MAX = 2048;
export const PROGRAM_NAME_MAX = 100;
export const PROGRAM_REDIRECT_URIS_MAX = 20;

/** A metadata document as it was read. */
export interface ProgramDocument {
	/** The URL of the document, which is also the `client_id`. */
	readonly url: string;
	readonly name: string;
	readonly redirectUris: readonly string[];
	readonly authMethod: ProgramAuthMethod;
	/** For `private_key_jwt`: from the document, or read from `jwksUri` together with it. */
	readonly jwks: ClientJwks | null;
	readonly jwksUri: string | null;
	/** Every member of the document, for the reviewer. */
	readonly published: Members;
}

/** Reads what programs publish: one GET, at most 3 s and 64 KiB, no redirects, at addresses that webhooks may have. */
export interface ProgramDocuments {
	/** @throws ProgramUnreadable */
	read(url: string): Promise<string>;
}

/** Why a document could not be read. The message contains no IP address. */
export class ProgramUnreadable extends Error {
	override readonly name = "ProgramUnreadable";
}

/** Visible ASCII without `\`, so that every parser reads the same URL. */
const PLAIN_URL = /^https:\/\/[\x21-\x5b\x5d-\x7e]+$/;
const AUTHORITY_AND_PATH = /^https:\/\/([^/?#]*)(\/?)/;

/** Whether a `client_id` is meant as the URL of a document. */
export function isProgramUrl(clientId: string): boolean {
	return /^https:/i.test(clientId);
}

/** Why a URL cannot be the name of a program. Stricter than the draft: no port, no query, no IP address. */
export function programUrlProblem(text: string): Problem | undefined {
	if (text.length > PROGRAM_URL_MAX) return problem("characters_max", { max: PROGRAM_URL_MAX });
	const url = PLAIN_URL.test(text) ? URL.parse(text) : null;
	if (url === null) return problem("https_url");
	const [, authority = "", slash = ""] = AUTHORITY_AND_PATH.exec(text) ?? [];
	if (authority.includes("@")) return problem("url_credentials");
	if (/[?#]/.test(text)) return problem("url_query_or_fragment");
	if (slash === "") return problem("url_path");
	if (isAddress(url.hostname) || url.hostname.endsWith(".")) return problem("url_host_name");
	if (/:\d*$/.test(authority)) return problem("url_with_port");
	return url.href === text ? undefined : problem("url_normal");
}

/** `localhost` is a name here; whether it may be called is decided when it is resolved. */
function isAddress(hostname: string): boolean {
	return !/(?:^|\.)localhost$/.test(hostname) && addressOfHost(hostname) !== undefined;
}

/** The host that people see; for a private-use scheme, the scheme. */
export function hostOf(url: string): string {
	const { protocol, host } = new URL(url);
	return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1);
}

/** A member that differs between two documents, each value as text. */
export interface DocumentDifference {
	readonly member: "client_name" | "redirect_uris" | "token_endpoint_auth_method" | "keys";
	readonly reviewed: readonly string[];
	readonly current: readonly string[];
}

/** What a program may not change without a review, and its name. */
export function documentDifferences(
	reviewed: ProgramDocument,
	current: ProgramDocument,
): DocumentDifference[] {
	const members = {
		client_name: ({ name }: ProgramDocument) => [name],
		redirect_uris: ({ redirectUris }: ProgramDocument) => [...redirectUris].sort(),
		token_endpoint_auth_method: ({ authMethod }: ProgramDocument) => [authMethod],
		keys: ({ jwks }: ProgramDocument) => (jwks?.keys ?? []).map((key) => JSON.stringify(key)).sort(),
	};
	return Object.entries(members).flatMap(([member, valuesOf]) => {
		const difference = { reviewed: valuesOf(reviewed), current: valuesOf(current) };
		const isEqual = JSON.stringify(difference.reviewed) === JSON.stringify(difference.current);
		return isEqual ? [] : [{ member: member as DocumentDifference["member"], ...difference }];
	});
}

/** Whether the document lists the URI; of a loopback http URI, any port (RFC 8252, section 7.3). */
export function listsRedirectUri({ redirectUris }: ProgramDocument, uri: string): boolean {
	const portless = withoutLoopbackPort(uri);
	return redirectUris.some((listed) => listed === uri || withoutLoopbackPort(listed) === portless);
}

function withoutLoopbackPort(uri: string): string {
	const url = URL.parse(uri);
	if (url?.protocol !== "http:" || !isOnDevice(uri)) return uri;
	url.port = "";
	return url.href;
}
