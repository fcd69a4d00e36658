// Checks what people may request of an application.

import { type Application, NOT_REQUESTABLE } from "../../../domain/application.ts";
import { roleIdsOf } from "../../../domain/application-role.ts";
import type { Stores } from "../../../domain/stores.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Requestable, RequestableColumns } from "./requestable-wire.ts";

/**
 * Inside a transaction.
 *
 * @throws AppError `request.invalid` (`roles.<index>` is no role, `requestable.reviewers` no group of the tenant).
 */
export async function parseRequestable(
	{ applicationRoles, groups }: Stores<"applicationRoles" | "groups">,
	{ tenantId, id }: Pick<Application, "tenantId" | "id">,
	requestable: Requestable | null,
): Promise<RequestableColumns> {
	if (requestable === null) return NOT_REQUESTABLE;
	const { roles, longest, reviewers = null } = requestable;
	if (reviewers !== null && (await groups.findById(tenantId, reviewers)) === undefined)
		throw invalidField("requestable.reviewers", "not_a_group");
	const roleIds = roleIdsOf(roles, await applicationRoles.listAll(tenantId, id));
	return { requestableRoleIds: roleIds, requestableLongest: longest, requestableReviewers: reviewers };
}
