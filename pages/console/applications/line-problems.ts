// Validates lines while the user types. The API enforces the rules.

import { PERMISSION_DESCRIPTION_MAX, PERMISSION_MAX, REDIRECT_URI_MAX } from "../../api/limits.ts";
import type { Schemas } from "../../api/routes.ts";
import type { WordsOf } from "../../words/words.ts";

type Description = Schemas["ApplicationRole"]["permission_descriptions"][number];
type Words = WordsOf<"console-access">["applications"]["lineProblems"];

const PERMISSION = /^(?:\*|[A-Za-z0-9._-]+(?::[A-Za-z0-9._-]+)*(?::\*)?)$/;
const PLAIN_URL = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/;
const AUTHORITY = /^https?:\/\/([^/?]*)/;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export function permissionProblem(line: string, words: Words): string | undefined {
	if (line.length > PERMISSION_MAX) return words.tooLong(PERMISSION_MAX);
	return PERMISSION.test(line) ? undefined : words.permission;
}

/** `permission | English | Chinese` */
export function descriptionIn(line: string): Description {
	const [permission = "", en = "", zh = ""] = line.split("|").map((part) => part.trim());
	return { permission, en, zh };
}

export function lineOf({ permission, en, zh }: Description): string {
	return [permission, en, zh].join(" | ");
}

export function descriptionProblem(
	line: string,
	permissions: readonly string[],
	words: Words,
): string | undefined {
	const { permission, en, zh } = descriptionIn(line);
	if (line.split("|").length !== 3 || en === "" || zh === "") return words.description;
	if ([en, zh].some((text) => [...text].length > PERMISSION_DESCRIPTION_MAX))
		return words.tooLong(PERMISSION_DESCRIPTION_MAX);
	return permissions.includes(permission) ? undefined : words.notPermission;
}

/** A redirect URI is compared character by character, so it is kept as typed. */
export function addressProblem(line: string, words: Words): string | undefined {
	if (line.length > REDIRECT_URI_MAX) return words.tooLong(REDIRECT_URI_MAX);
	if (!PLAIN_URL.test(line) || !URL.canParse(line)) return words.address;
	const url = new URL(line);
	if (line.includes("#")) return words.fragment;
	if (AUTHORITY.exec(line)?.[1]?.includes("@") === true) return words.credentials;
	if (url.hostname.includes("*")) return words.wildcard;
	if (url.protocol === "http:" && !LOOPBACK.includes(url.hostname)) return words.https;
	return undefined;
}
