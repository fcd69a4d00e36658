// The wire fields that requests of every kind have.

import { REQUEST_STATUSES, type RequestKind } from "../../../domain/request.ts";
import { choice, integer, list, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { hasMixedScripts } from "../../../kernel/mixed-scripts.ts";

export const stateFields = {
	status: choice(REQUEST_STATUSES),
	review_note: plain('Empty (`""`) until the request is decided.'),
	reviewed_by: nullable(plain({ format: "uuid" })),
	reviewed_at: nullable(time()),
	created_at: time(),
	updated_at: time(),
};

/** The first fields of what reviewers see. */
export function kindFields<K extends RequestKind>(kind: K) {
	return { id: plain({ format: "uuid" }), kind: choice([kind]) };
}

export const reviewerFields = {
	reviewed_by_name: nullable(plain("Username; null if no user decided it or the account was deleted.")),
};

/** The fields with names that strangers chose: a mark for those that may imitate another name. */
export function mixedScriptsField<const F extends string>(fields: readonly F[]) {
	return {
		mixed_scripts: list(choice(fields), {
			description:
				"The fields in which one word has letters of several scripts, such as Latin and Cyrillic: it may imitate another name.",
			examples: [[]],
		}),
	};
}

export function mixedScripts<F extends string>(texts: Readonly<Record<F, string | null>>): F[] {
	const entries = Object.entries(texts) as [F, string | null][];
	return entries.filter(([, text]) => hasMixedScripts(text ?? "")).map(([field]) => field);
}

/** The headers and the plain text of a mail. */
export const decisionMailSchema = object(
	{
		from_name: plain(),
		from_address: plain(),
		to_name: plain(),
		to_address: plain(),
		locale: plain("The language of the recipient."),
		subject: plain(),
		text: plain("The plain-text part. The HTML part has the same content."),
		recipients: integer("How many people receive it, each in their language: the mail is that of the first."),
	},
	{ title: "DecisionMail" },
);
