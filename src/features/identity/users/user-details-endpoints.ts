// `GET /users/{id}`: a user, and on request what other endpoints say about it, in one response.

import type { KeyCaller } from "../../../domain/admin-key.ts";
import { type InPerson, sessionOf } from "../../../domain/session.ts";
import { accountSubject, totpAttempt } from "../../../domain/sign-in-attempt.ts";
import { getUser } from "../../../domain/user.ts";
import { data, endpoint, pageBody, pageSchema } from "../../../http/describe/endpoint.ts";
import { someOf } from "../../../http/describe/query-parameters.ts";
import { allOf, boolean, type Infer, list, object, optional } from "../../../http/describe/schema.ts";
import { mapPage, type Page, type PageQuery } from "../../../kernel/page.ts";
import {
	heldGrantSchema,
	toWireHeldGrant,
	toWireUserGroup,
	userGroupSchema,
} from "../../access/users/user-access-wire.ts";
import type { Platform } from "../../platform.ts";
import { auditEventSchema, toWireEvent } from "../../record/audit/audit-event-wire.ts";
import { readFactors } from "../mfa/read-factors.ts";
import { factorsSchema, toWireFactors } from "../mfa/wire.ts";
import { accountSchema, toWireAccount } from "../third-party/account-wire.ts";
import { sessionSchema, toWireSession } from "./session-wire.ts";
import { toWireUser, userSchema } from "./user-wire.ts";

const RECENT_EVENTS = 10;

const includedSchema = object({
	locked: optional(
		boolean("Whether password or authenticator codes are refused after 100 consecutive failures."),
	),
	second_factors: optional(factorsSchema),
	third_party_accounts: optional(pageSchema(accountSchema)),
	groups: optional(pageSchema(userGroupSchema)),
	grants: optional(pageSchema(heldGrantSchema)),
	sessions: optional(pageSchema(sessionSchema)),
	recent_events: optional(
		list(auditEventSchema, {
			description: `The ${RECENT_EVENTS} newest audit events about the user or by the user, newest first.`,
		}),
	),
});
const userDetailsSchema = { ...allOf(userSchema, includedSchema), title: "UserDetails" };

type Included = Infer<typeof includedSchema>;
type Part = keyof Included;
type Readers = { readonly [P in Part]: (id: string, caller: InPerson | KeyCaller) => Promise<Included[P]> };

const PARTS = Object.keys(includedSchema.properties) as readonly Part[];
const FIRST_PAGE: PageQuery = { page: 1, pageSize: 20 };

export function userDetailsEndpoints(platform: Platform) {
	const { users } = platform.db.stores;
	const readers = readersOf(platform);
	return {
		get: endpoint<InPerson | KeyCaller>()({
			name: "getUser",
			summary: "Get a user",
			description:
				"`include` adds parts, so that one request reads what a page about the user shows. `second_factors`, `third_party_accounts`, `groups`, `grants`, and `sessions` are what the endpoints below `/users/{id}` return, lists with their first 20 rows; of `groups` and `grants`, the ones that end first.",
			ids: { id: "user.not_found" },
			query: { include: someOf(PARTS, "Adds these parts, separated by commas.") },
			response: data(200, userDetailsSchema, "The user."),
			async handle({ caller, ids: { id }, query: { include } }) {
				const user = toWireUser(await getUser(users, caller.tenantId, id));
				const parts = PARTS.filter((part) => include?.has(part));
				const read = parts.map(async (part) => [part, await readers[part](id, caller)]);
				return { ...user, ...(Object.fromEntries(await Promise.all(read)) as Included) };
			},
		}),
	};
}

function readersOf(platform: Platform): Readers {
	const { audit, grants, groups, loginFailures, sessions, thirdPartyAccounts } = platform.db.stores;
	const firstOf = async <Row, T>(rows: Promise<Page<Row>>, convert: (row: Row) => T) =>
		pageBody(mapPage(await rows, convert), FIRST_PAGE);
	return {
		locked: (id, { tenantId }) =>
			loginFailures.isAnyLocked(tenantId, [accountSubject(id), totpAttempt(tenantId, id).account]),
		second_factors: async (id, { tenantId }) => toWireFactors(await readFactors(platform, tenantId, id)),
		third_party_accounts: (id, { tenantId }) =>
			firstOf(thirdPartyAccounts.list(tenantId, id, FIRST_PAGE), toWireAccount),
		groups: (id, { tenantId }) =>
			firstOf(groups.listOfUser(tenantId, id, FIRST_PAGE, "expires_at"), toWireUserGroup),
		grants: (id, { tenantId }) =>
			firstOf(grants.listHeld(tenantId, id, FIRST_PAGE, { sort: "expires_at" }), toWireHeldGrant),
		sessions: (id, caller) =>
			firstOf(sessions.list(caller.tenantId, id, platform.clock(), FIRST_PAGE), (session) =>
				toWireSession(session, sessionOf(caller)),
			),
		async recent_events(id, { tenantId }) {
			const user = `user:${id}`;
			const newest = { page: 1, pageSize: RECENT_EVENTS };
			const found = await Promise.all([
				audit.list({ tenantId, target: user }, newest),
				audit.list({ tenantId, actor: user }, newest),
			]);
			// An event by a user about themselves is in both lists.
			const bySequence = new Map(found.flatMap(({ items }) => items.map((event) => [event.sequence, event])));
			return [...bySequence.values()]
				.toSorted((one, other) => other.sequence - one.sequence)
				.slice(0, RECENT_EVENTS)
				.map(toWireEvent);
		},
	};
}
