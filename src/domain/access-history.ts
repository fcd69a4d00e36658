// The audit events from which access at a past moment is reconstructed.

import type { AuditAction, RetiredAuditAction } from "./audit-action.ts";

/**
 * Audit actions that change access. Past facts are reconstructed from these events, so the details of each contain the
 * new values (`status`, `access_policy`, `permissions`, `role_ids` …).
 */
export const ACCESS_ACTIONS = [
	"service.first_started",
	"user.created",
	"user.registered",
	"user.invite_accepted",
	"user.updated",
	"user.deleted",
	"application.created",
	"application.updated",
	"application.deleted",
	"application_role.created",
	"application_role.updated",
	"application_role.deleted",
	"grant.created",
	"grant.updated",
	"grant.changed",
	"grant.removed",
	"grant.expired",
	"group.created",
	"group.updated",
	"group.deleted",
	"group.member_expired",
	"group_member.added",
	"group_member.updated",
	"group_member.removed",
] as const satisfies readonly (AuditAction | RetiredAuditAction)[];
export type AccessAction = (typeof ACCESS_ACTIONS)[number];

/** An audit event with one of `ACCESS_ACTIONS`. */
export interface AccessEvent {
	readonly atMs: number;
	readonly action: AccessAction;
	/** `user:<id>`, `application:<id>`, `application_role:<id>` or `group:<id>`. */
	readonly target: string;
	readonly details: Readonly<Record<string, unknown>>;
}

export interface AccessHistoryStore {
	/** Every access event about these targets, in chain order. */
	listAbout(tenantId: string, targets: readonly string[]): Promise<AccessEvent[]>;
	/** When the tenant's trail begins, if retention removed earlier events; undefined while it is complete. */
	findCutAtMs(tenantId: string): Promise<number | undefined>;
}
