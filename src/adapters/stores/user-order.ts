// How lists of users are ordered, and which index provides the order.

import type { UserOrder, UserQuery } from "../../domain/user.ts";

/**
 * Conditions for the tenant that keep the planner away from the indexes over all of its users, which begin with `tenant_id`.
 * The planner then finds users by id, or with the indexes over their last sign-ins and names.
 */
const TENANT_OF_IDS = "('' || tenant_id) = ?";
const TENANT_OF_EXPRESSIONS = "(tenant_id || '') = ?";
const TENANT = "tenant_id = ?";
const STATUS = "status = ?";
/** Keeps the planner away from the index over the status of all users: for users with roles, and for another order. */
const STATUS_OF_FEW = "(status || '') = ?";

type Field = "name" | "username" | "last_login_at";

interface Ordering {
	/** The expression of its index. */
	readonly indexed: string;
	/** The same order without the index: otherwise, the planner reads all users in order instead of sorting the few left. */
	readonly sorted: string;
	/** The condition for the tenant that matches its index. */
	readonly tenant: string;
}

const NAME = "COALESCE(NULLIF(display_name_folded, ''), username_key)";
const LAST_LOGIN = "COALESCE(last_login_at, 0)";
const ORDERINGS: Readonly<Record<Field, Ordering>> = {
	name: { indexed: NAME, sorted: `${NAME} || ''`, tenant: TENANT_OF_EXPRESSIONS },
	username: { indexed: "username_key", sorted: "username_key || ''", tenant: TENANT },
	last_login_at: { indexed: LAST_LOGIN, sorted: `${LAST_LOGIN} + 0`, tenant: TENANT_OF_EXPRESSIONS },
};

/** Constant SQL: an ORDER BY, and conditions for the tenant and the status. */
export interface ListPlan {
	/** Undefined for newest first. */
	readonly order: string | undefined;
	readonly tenant: string;
	readonly ofStatus: string;
}

/**
 * If a filter leaves few users, they are found with the index of the filter and then sorted. Many users are read in the order
 * of an index, so that a page does not sort all of them.
 */
export function planOf(query: UserQuery): ListPlan {
	const { sort = "newest", isLocked, inactiveSinceMs } = query;
	const filtering =
		isLocked === true ? TENANT_OF_IDS : inactiveSinceMs === undefined ? TENANT : TENANT_OF_EXPRESSIONS;
	const ofStatus = query.role === undefined ? STATUS : STATUS_OF_FEW;
	if (isByCreation(sort))
		return {
			order: sort === "newest" ? undefined : "created_at ASC, id ASC",
			tenant: filtering,
			ofStatus,
		};
	const direction = sort.startsWith("-") ? "DESC" : "ASC";
	const { indexed, sorted, tenant } = ORDERINGS[sort.replace("-", "") as Field];
	const orderBy = (text: string): string => `${text} ${direction}, id ${direction}`;
	return leavesFew(query)
		? { order: orderBy(sorted), tenant: filtering, ofStatus }
		: { order: orderBy(indexed), tenant, ofStatus: STATUS_OF_FEW };
}

/** Every index over users that leaves many of them has this order, in both directions. */
export function isByCreation(sort: UserOrder): sort is "newest" | "oldest" {
	return sort === "newest" || sort === "oldest";
}

function leavesFew({ status, role, email, username, isLocked }: UserQuery): boolean {
	const isExact = email !== undefined || username !== undefined;
	return isExact || role !== undefined || isLocked === true || (status !== undefined && status !== "active");
}
