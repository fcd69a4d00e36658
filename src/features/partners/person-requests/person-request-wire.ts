// The wire forms of people's requests for roles, for reviewers and for the people themselves.

import type { OwnRequest } from "../../../domain/person-request.ts";
import type { Reviewed } from "../../../domain/request.ts";
import type { RequestOf } from "../../../domain/request-queue.ts";
import { type Infer, list, object, optional, plain, time, timeInput } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { approvedRoles } from "../access-requests/access-request-wire.ts";
import {
	kindFields,
	mixedScripts,
	mixedScriptsField,
	reviewerFields,
	stateFields,
} from "../requests/request-wire.ts";

const requested = {
	app_id: plain({ format: "uuid" }),
	app_name: plain(),
	roles: list(plain(), { description: "Names of the requested roles; empty: access without a role." }),
	reason: plain(),
	until: time("When the grant is to end."),
};

/** For reviewers. */
export const personRequestSchema = object(
	{
		...kindFields("person"),
		user_id: plain({ format: "uuid" }),
		username: plain(),
		display_name: plain(),
		...requested,
		...stateFields,
		...reviewerFields,
		...mixedScriptsField(["display_name"]),
	},
	{ title: "PersonRequest" },
);

const { reviewed_by: _, ...ownState } = stateFields;
/** For the person: without who decided. */
export const ownRequestSchema = object(
	{ ...kindFields("person"), ...requested, ...ownState },
	{ title: "OwnRequest" },
);

/** Of an approval, beside what every kind has. */
export const personSettingsBody = object({
	roles: approvedRoles,
	until: optional(timeInput("Of a request of a user: when the grant ends, not after the requested time.")),
});

const toWireFields = toWire(personRequestSchema);
const toWireOwnFields = toWire(ownRequestSchema);

export function toWireOwn(request: OwnRequest): Infer<typeof ownRequestSchema> {
	return toWireOwnFields({ ...request, kind: "person" });
}

export function toWirePersonRequest(
	request: RequestOf["person"] & Reviewed,
): Infer<typeof personRequestSchema> {
	const { username, displayName, appName } = request;
	if (username === null || displayName === null || appName === null)
		throw new Error("a request was read without its user or its application");
	const names = { username, displayName, appName, mixedScripts: mixedScripts({ display_name: displayName }) };
	return toWireFields({ ...request, ...names });
}
