// The wire form of applications, their roles and their grants.

import {
	ACCESS_POLICIES,
	APPLICATION_KINDS,
	APPLICATION_STATUSES,
	type Application,
	SIGN_IN_WAYS,
	USAGE_COUNT_MAX,
} from "../../../domain/application.ts";
import {
	boolean,
	choice,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { managedBy } from "../configuration/rows-wire.ts";
import { requestableSchema } from "./requestable-wire.ts";

const COUNT_MAX = `at most ${USAGE_COUNT_MAX}; larger counts are returned as this number`;
const usageSchema = object(
	{
		sign_in: choice(SIGN_IN_WAYS, {
			description:
				"`openid`: with its OAuth client; `gate`: at its gate, which has a `browser_origin`; `none`: no user signs in to it.",
		}),
		users: integer(`Users with a grant, own or through a group: ${COUNT_MAX}.`),
		api_clients: integer(`Its API clients: ${COUNT_MAX}.`),
	},
	{ title: "ApplicationUsage", description: "In lists with `include=usage`." },
);
export const toWireUsage = toWire(usageSchema);

export const applicationSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		kind: choice(APPLICATION_KINDS, { description: "A `program` is managed under `/programs`." }),
		name: plain(),
		slug: plain("Unique within the tenant."),
		description: plain(),
		homepage_url: plain('Empty (`""`) when unset.'),
		logo_url: plain('Empty (`""`) when unset.'),
		redirect_uris: list(plain(), { description: "Where sign-in may redirect to; compared exactly." }),
		access_policy: choice(ACCESS_POLICIES, {
			description: "`open`: every active user of the tenant may use it; `assigned`: only users with a grant.",
		}),
		status: choice(APPLICATION_STATUSES),
		require_mfa: boolean("Whether signing in to it requires a second factor."),
		support_sessions: boolean(
			"Whether supporters may read at it, in a support session, what a user sees there.",
		),
		created_at: time(),
		updated_at: time(),
		access_request_id: optional(
			nullable(
				plain({
					format: "uuid",
					description:
						"The access request whose approval created it; null if an administrator did. Absent for callers who see only the applications that they may use.",
				}),
			),
		),
		managed_by: optional(managedBy),
		usage: optional(usageSchema),
		has_oauth_client: optional(boolean("Only for one application, as the next field.")),
		has_gate: optional(boolean()),
		requestable: optional(nullable(requestableSchema)),
		last_sign_in_at: optional(
			nullable(
				time(
					"When a user last signed in to it, with a delay of a few seconds. Absent for callers who see only the applications that they may use.",
				),
			),
		),
	},
	{ title: "Application" },
);

export const toWireApplication = toWire(applicationSchema);

/** For a user who may use the application: without what others do there. */
export function toWireUsable({
	lastSignInAtMs: _,
	accessRequestId: __,
	managedBy: ___,
	...application
}: Application) {
	return toWireApplication(application);
}

export const applicationRoleSchema = object(
	{
		id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		name: plain(),
		description: plain(),
		permissions: list(plain(), { examples: [["orders:read", "invoices:*"]] }),
		permission_descriptions: list(object({ permission: plain(), en: plain(), zh: plain() })),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "ApplicationRole" },
);

export const toWireRole = toWire(applicationRoleSchema);
