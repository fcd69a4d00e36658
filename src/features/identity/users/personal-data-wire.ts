// The wire form of an export of a user's data.

import { type AuditEvent, userIdIn } from "../../../domain/audit.ts";
import { MAIL_STATES } from "../../../domain/mail.ts";
import { REQUEST_STATUSES } from "../../../domain/request.ts";
import { REQUEST_MAIL_FREQUENCIES } from "../../../domain/request-mails.ts";
import {
	anyObject,
	choice,
	type Infer,
	list,
	nullable,
	object,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { isMembers, parseJson } from "../../../kernel/shape.ts";
import { heldGrantSchema, managedSchema, userGroupSchema } from "../../access/users/user-access-wire.ts";
import { ownRequestSchema } from "../../partners/person-requests/person-request-wire.ts";
import { adminKeySchema } from "../admin-keys/admin-key-wire.ts";
import { passkeySchema } from "../mfa/passkey-wire.ts";
import { factorsSchema } from "../mfa/wire.ts";
import { actorSchema, consentSchema } from "../oauth/consent-wire.ts";
import { ownSupportSchema } from "../support/support-session-wire.ts";
import { accountSchema } from "../third-party/account-wire.ts";
import { sessionSchema } from "./session-wire.ts";
import { userSchema } from "./user-wire.ts";

const id = plain({ format: "uuid" });
const status = choice(REQUEST_STATUSES);

const deviceSchema = object({ last_seen_at: time() });
const aliasSchema = object({ provider: plain(), provider_user_id: plain() });
const applicationSessionSchema = object({
	application_id: id,
	session_id: id,
	created_at: time(),
	expires_at: time(),
});
const directoryRecordSchema = object({
	user_name_key: plain("`userName` in lower case."),
	display_name_key: plain(),
	attributes: anyObject("As the directory sent them."),
	created_at: time(),
	updated_at: time(),
});
const directoryEventSchema = object({
	at: time(),
	method: plain({ examples: ["PATCH"] }),
	path: plain(),
	sent: plain("JSON, truncated."),
});
const ownAccessRequestSchema = object({
	id,
	status,
	applicant_name: plain(),
	email: plain(),
	company: plain(),
	project_name: plain(),
	purpose: plain(),
	review_note: plain(),
	reviewed_at: nullable(time()),
	created_at: time(),
});
const joinedRequestSchema = object({
	id,
	url: plain({ description: "The URL of the program.", examples: ["https://agent.example/client.json"] }),
	status,
	reason: plain("As the user wrote it."),
	review_note: plain(),
	reviewed_at: nullable(time()),
	created_at: time("When the user joined the request."),
});
const mailSchema = object({ at: time(), subject: plain(), state: choice(MAIL_STATES) });
const linkSchema = object({
	purpose: plain({ examples: ["password_reset"] }),
	email: plain(),
	created_at: time(),
	expires_at: time(),
});
const ownRefusalSchema = object({
	at: time(),
	application_id: nullable(id),
	code: plain(),
	method: plain(),
	path: plain(),
	ip: plain(),
});
const eventSchema = object(
	{
		id,
		at: time(),
		action: plain({ examples: ["user.signed_in"] }),
		actor: plain("`user:<id>` of this user; of others only the kind, e.g. `user` or `cli`."),
		target: plain("`noun:<id>`, or `user` for another user."),
		ip: plain('Of the user\'s own actions; otherwise `""`.'),
		request_id: plain(),
		details: anyObject("Of events about the user; otherwise empty."),
		changes: anyObject("Of events about the user; otherwise empty."),
	},
	{ title: "PersonalEvent" },
);

export const personalDataSchema = object(
	{
		exported_at: time(),
		user: userSchema,
		usernames: list(plain(), { description: "Present and former usernames, in lower case." }),
		second_factors: factorsSchema,
		passkeys: list(passkeySchema),
		sessions: list(sessionSchema, { description: "Live sessions." }),
		support_sessions: list(ownSupportSchema, {
			description: "In which a supporter could read the account, of the last year.",
		}),
		devices: list(deviceSchema, { description: "Devices known from sign-ins of the last 90 days." }),
		third_party_accounts: list(accountSchema),
		third_party_aliases: list(aliasSchema, {
			description: "Further ids of the user at identity providers.",
		}),
		directory: list(directoryRecordSchema, {
			description: "What a directory says about the user; empty without one.",
		}),
		directory_events: list(directoryEventSchema, {
			description: "Requests of the directory about the user, of the last 30 days.",
		}),
		groups: list(userGroupSchema),
		grants: list(heldGrantSchema),
		managed: list(managedSchema, { description: "The applications and groups that the user manages." }),
		actors: list(actorSchema),
		consents: list(consentSchema),
		application_sessions: list(applicationSessionSchema, {
			description: "What applications hold to act for the user.",
		}),
		access_requests: list(ownAccessRequestSchema, {
			description: "With the user's verified email address; empty without one.",
		}),
		program_requests: list(joinedRequestSchema),
		role_requests: list(ownRequestSchema, { description: "For roles of applications." }),
		request_mails: choice(REQUEST_MAIL_FREQUENCIES, {
			description: "When the user is mailed about new requests, as a reviewer.",
		}),
		mails: list(mailSchema, {
			description: "To the user's verified email address, of the last 30 days; empty without one.",
		}),
		links: list(linkSchema, { description: "Mailed links that are still valid, without their tokens." }),
		admin_keys: list(adminKeySchema, { description: "Created by the user; never the keys themselves." }),
		refusals: list(ownRefusalSchema, { description: "Refused calls of the user at gates." }),
		events: list(eventSchema, {
			description: "Audit events about the user, oldest first, then those of the user about something else.",
		}),
	},
	{ title: "PersonalData" },
);
export type PersonalData = Infer<typeof personalDataSchema>;

/** Convert the rows that only this export has. */
export const personalParts = {
	device: toWire(deviceSchema),
	alias: toWire(aliasSchema),
	applicationSession: toWire(applicationSessionSchema),
	directoryRecord: toWire(directoryRecordSchema),
	directoryEvent: toWire(directoryEventSchema),
	accessRequest: toWire(ownAccessRequestSchema),
	programRequest: toWire(joinedRequestSchema),
	mail: toWire(mailSchema),
	link: toWire(linkSchema),
	refusal: toWire(ownRefusalSchema),
};

const toWireForm = toWire(eventSchema);

/** Without what the event says about other users: ids, names, IP addresses, and the details of changes to them. */
export function toPersonalEvent(event: AuditEvent, userId: string): PersonalData["events"][number] {
	const isOther = (ref: unknown): boolean =>
		typeof ref === "string" && ![undefined, userId].includes(userIdIn(ref));
	const self = `user:${userId}`;
	const isOwn = event.actor === self;
	const details = event.target === self ? parseJson(isMembers, event.details) : {};
	return toWireForm({
		id: event.id,
		atMs: event.atMs,
		action: event.action,
		actor: isOwn ? self : kindOf(event.actor),
		target: isOther(event.target) ? "user" : event.target,
		ip: isOwn ? event.ip : "",
		requestId: event.requestId,
		details: Object.fromEntries(Object.entries(details).filter(([, value]) => !isOther(value))),
		changes: event.target === self ? parseJson(isMembers, event.changes) : {},
	});
}

/** `user` of `user:<id>`. */
function kindOf(actor: string): string {
	return actor.split(":", 1)[0] ?? "";
}
