// The wire form of an audit event.

import type { AuditEvent } from "../../../domain/audit.ts";
import type { AuditChanges } from "../../../domain/audit-changes.ts";
import { summaryOf } from "../../../domain/audit-summary.ts";
import { anyObject, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { isMembers, parseJson } from "../../../kernel/shape.ts";

export const auditEventSchema = object(
	{
		id: plain({ format: "uuid" }),
		at: time(),
		actor: plain(
			"`user:<id>`, `api_client:<id>`, `key:<id>`, `cli:<operating-system user>`, `directory:<identity provider>`, `anonymous` or `system`.",
		),
		action: plain("`noun.verb`, e.g. `access_request.approved`."),
		target: plain('The object of the action as `noun:<id>`, or `""`.'),
		ip: plain(),
		request_id: plain(),
		details: anyObject("Never a secret, a token or a password."),
		hash: plain(
			"SHA-256, hex, over the previous event and this one as stored, where texts about users are sealed.",
		),
		actor_name: plain(
			'The name of the actor at that time: a username or the name of a client; `""` if `actor` is sufficient or its user was deleted.',
		),
		target_name: plain('Name of the target at that time; `""` without one or if its user was deleted.'),
		changes: anyObject(
			"Old and new values of changed fields, as `{ field: { from, to } }`; empty if the target is a deleted user. Long texts and lists are truncated. `details.fields` also names the fields whose values are not recorded.",
		),
		summary: plain('The event as an English sentence; `""` for an action of another version.'),
	},
	{ title: "AuditEvent" },
);

const toWireForm = toWire(auditEventSchema);

export function toWireEvent(event: AuditEvent) {
	const details = parseJson(isMembers, event.details);
	const changes = JSON.parse(event.changes) as AuditChanges;
	return toWireForm({ ...event, details, changes, summary: summaryOf({ ...event, details, changes }) });
}
