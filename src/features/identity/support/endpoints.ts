// `/support-sessions`: a supporter reads what a person sees.

import type { KeyCaller } from "../../../domain/admin-key.ts";
import { checkInPerson, type InPerson, type SignedIn } from "../../../domain/session.ts";
import {
	SUPPORT_MINUTES_MAX,
	SUPPORT_MINUTES_MIN,
	SUPPORT_OPEN_MAX,
	SUPPORT_REASON_MAX,
	SUPPORT_REASON_MIN,
	SUPPORT_TICKET_MAX,
} from "../../../domain/support-session.ts";
import { coversRole } from "../../../domain/system-role.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import {
	choice,
	integer,
	multilineText,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
	uuid,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { AppError } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { toWireUser, userSchema } from "../users/user-wire.ts";
import { createSupportSession, endSupportSession, openSupportSession } from "./manage-support-session.ts";
import { supportSessionSchema, toWireSupport } from "./support-session-wire.ts";

const TOKEN_MAX = 512;

const createBody = object({
	reason: multilineText({
		min: SUPPORT_REASON_MIN,
		max: SUPPORT_REASON_MAX,
		description: "Why, as the person reads it.",
		examples: ["The invoice of November is missing in the list."],
	}),
	minutes: integer({
		min: SUPPORT_MINUTES_MIN,
		max: SUPPORT_MINUTES_MAX,
		description: "How long, from now.",
		examples: [30],
	}),
	ticket: optional(text({ min: 0, max: SUPPORT_TICKET_MAX, description: "Its number in your help desk." })),
	app_id: optional(
		uuid("The application to read at, in addition to the account. It has `support_sessions`."),
	),
});
const toRequest = fromWire(createBody);

const createdSchema = object(
	{
		id: plain({ format: "uuid" }),
		url: plain("Works once, and only in the browser session that created it."),
		expires_at: time(),
	},
	{ title: "SupportSessionCreated" },
);
const toWireCreated = toWire(createdSchema);

const readSchema = object(
	{
		id: plain({ format: "uuid" }),
		name: plain(),
		resource: nullable(plain("Its API.")),
		access_token: nullable(plain("Reads its API.")),
		url: nullable(plain("Where this browser reads it; null without a `browser_origin`.")),
	},
	{ title: "SupportedApplication" },
);
const toWireRead = toWire(readSchema);

const openedSchema = object(
	{
		id: plain({ format: "uuid" }),
		access_token: plain(
			"Reads the account for the whole time; there is no refresh token. `act.sub` names the supporter.",
		),
		token_type: choice(["Bearer"]),
		expires_in: integer("Seconds until the session ends."),
		user: userSchema,
		supporter_name: plain(),
		reason: plain(),
		expires_at: time(),
		application: nullable(readSchema),
	},
	{ title: "SupportSessionOpened" },
);
const toWireOpened = toWire(openedSchema);

export function supportSessionEndpoints(platform: Platform) {
	const { supportSessions } = platform.db.stores;
	return {
		create: endpoint<SignedIn>()({
			name: "createSupportSession",
			summary: "Create a support session",
			description: `Needs a second factor that was verified in the last 15 minutes. At most ${SUPPORT_OPEN_MAX} are open at a time. Not for users with a system role (403 \`support.subject\`).`,
			ids: { id: "user.not_found" },
			body: createBody,
			response: data(201, createdSchema, "The URL, only in this response."),
			errors: [
				"mfa.required",
				"session.too_old",
				"support.subject",
				"application.not_found",
				"application.access_denied",
				"support_session.too_many",
			],
			secret: true,
			async handle({ caller, ids, body }) {
				const request = { ticket: "", appId: null, ...toRequest(body) };
				return toWireCreated(await createSupportSession(platform, ids.id, request, caller));
			},
		}),

		open: endpoint<SignedIn>()({
			name: "openSupportSession",
			summary: "Open a support session",
			description:
				"Uses the URL up, and notifies the person by mail. The session only reads: other methods are refused (403 `support.read_only`), as is everything about factors, passwords, keys, sessions, consents, and exports. It ends with the supporter's own session and role.",
			body: object({
				token: secretText({ max: TOKEN_MAX, description: "The part of the URL after `#`." }),
			}),
			response: data(200, openedSchema, "What the supporter reads with."),
			errors: ["support_session.not_found", "support.subject", "application.access_denied"],
			secret: true,
			async handle({ caller, body }) {
				const opened = await openSupportSession(platform, body.token, caller);
				const { support, user, accessToken, expiresInSeconds: expiresIn, application } = opened;
				const { id, reason, expiresAtMs } = support;
				return toWireOpened({
					id,
					accessToken,
					tokenType: "Bearer",
					expiresIn,
					user: toWireUser(user),
					supporterName: caller.actorName,
					reason,
					expiresAtMs,
					application: application && toWireRead(application),
				});
			},
		}),

		list: endpoint<InPerson | KeyCaller>()({
			name: "listSupportSessions",
			summary: "List support sessions",
			description:
				"Administrators and auditors see those of the tenant, other users those about themselves. Kept for a year.",
			response: page(supportSessionSchema, "Support sessions, newest first."),
			errors: ["application.token", "role.required"],
			async handle({ caller, page }) {
				if ("sessionId" in caller) checkInPerson(caller, "list support sessions");
				const { tenantId, userId, roles } = caller;
				const seesAll = coversRole(roles, "auditor");
				if (!seesAll && userId === null)
					throw new AppError("role.required", "this needs one of the roles admin, auditor");
				const of = seesAll ? undefined : (userId ?? "");
				return mapPage(await supportSessions.list(tenantId, of, page), toWireSupport);
			},
		}),

		end: endpoint<InPerson | KeyCaller>()({
			name: "endSupportSession",
			summary: "End a support session",
			description: "For its supporter, the person, and administrators. One that is over returns 404.",
			ids: { id: "support_session.not_found" },
			response: empty(204, "The support session ended, with its sessions at applications."),
			errors: ["application.token"],
			handle: ({ caller, ids }) => endSupportSession(platform, ids.id, caller),
		}),
	};
}
