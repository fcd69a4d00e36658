// The wire form of what people may request of an application, and its check.

import type { Application } from "../../../domain/application.ts";
import { NOT_REQUESTABLE } from "../../../domain/application.ts";
import { type ApplicationRole, ROLE_NAME_MAX, roleIdsOf } from "../../../domain/application-role.ts";
import { GRANT_ROLES_MAX } from "../../../domain/grant.ts";
import { LONGEST } from "../../../domain/person-request.ts";
import type { Stores } from "../../../domain/stores.ts";
import { type Infer, list, nullable, object, optional, text, uuid } from "../../../http/describe/schema.ts";
import { invalidField } from "../../../kernel/error.ts";

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
				uuid({
					description:
						"A group whose members decide these requests, as reviewers and administrators do. The service mails them instead of the reviewers.",
				}),
			),
		),
	},
	{ title: "Requestable" },
);

export type Requestable = Infer<typeof requestableSchema>;
type Columns = Pick<Application, keyof typeof NOT_REQUESTABLE>;

/**
 * Inside a transaction.
 *
 * @throws AppError `request.invalid` (`roles.<index>` is no role, `requestable.reviewers` no group of the tenant).
 */
export async function parseRequestable(
	{ applicationRoles, groups }: Stores<"applicationRoles" | "groups">,
	{ tenantId, id }: Pick<Application, "tenantId" | "id">,
	requestable: Requestable | null,
): Promise<Columns> {
	if (requestable === null) return NOT_REQUESTABLE;
	const { roles, longest, reviewers = null } = requestable;
	if (reviewers !== null && (await groups.findById(tenantId, reviewers)) === undefined)
		throw invalidField("requestable.reviewers", "not_a_group");
	const roleIds = roleIdsOf(roles, await applicationRoles.listAll(tenantId, id));
	return { requestableRoleIds: roleIds, requestableLongest: longest, requestableReviewers: reviewers };
}

/** @param defined all roles of the application; the names of those that exist */
export function toWireRequestable(
	{ requestableRoleIds: ids, requestableLongest: longest, requestableReviewers: reviewers }: Columns,
	defined: readonly Pick<ApplicationRole, "id" | "name">[],
): Requestable | null {
	if (ids === null || longest === null) return null;
	return { roles: defined.filter(({ id }) => ids.includes(id)).map(({ name }) => name), longest, reviewers };
}
