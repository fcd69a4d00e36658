// The wire form of what people may request of an application.

import type { Application, NOT_REQUESTABLE } from "../../../domain/application.ts";
import { type ApplicationRole, ROLE_NAME_MAX } from "../../../domain/application-role.ts";
import { GRANT_ROLES_MAX } from "../../../domain/grant.ts";
import { LONGEST } from "../../../domain/person-request.ts";
import { type Infer, list, nullable, object, optional, text, uuid } from "../../../http/describe/schema.ts";

export const requestableSchema = object(
	{
		roles: list(text({ max: ROLE_NAME_MAX }), {
			max: GRANT_ROLES_MAX,
			description: "Names or ids of its roles that people may request. Empty: only access, without a role.",
			examples: [["editor"]],
		}),
		longest: text({
			max: 6,
			pattern: LONGEST.source,
			description: "How long a grant may last: an ISO 8601 duration of days or hours.",
			examples: ["P30D"],
		}),
		reviewers: optional(
			nullable(
				uuid(
					"A group whose members decide these requests, as reviewers and administrators do. The service mails them instead of the reviewers.",
				),
			),
		),
	},
	{ title: "Requestable" },
);

export type Requestable = Infer<typeof requestableSchema>;
export type RequestableColumns = Pick<Application, keyof typeof NOT_REQUESTABLE>;

/**
 * Null, too, once none of its roles exists: an empty list would mean access without a role.
 *
 * @param defined all roles of the application
 */
export function toWireRequestable(
	{
		requestableRoleIds: ids,
		requestableLongest: longest,
		requestableReviewers: reviewers,
	}: RequestableColumns,
	defined: readonly Pick<ApplicationRole, "id" | "name">[],
): Requestable | null {
	if (ids === null || longest === null) return null;
	const roles = defined.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
	return roles.length === 0 && ids.length > 0 ? null : { roles, longest, reviewers };
}
