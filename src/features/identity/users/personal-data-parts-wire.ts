// Reads the parts of an export of a user's data, each in its wire form.

import type { AuditEvent, AuditQuery, AuditTrail, EventPlace } from "../../../domain/audit.ts";
import type { User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { EXPORTED_AT_ONCE, type Page, type PageQuery } from "../../../kernel/page.ts";
import { toWireHeldGrant, toWireManaged, toWireUserGroup } from "../../access/users/user-access-wire.ts";
import { toWireOwn } from "../../partners/person-requests/person-request-wire.ts";
import type { Platform } from "../../platform.ts";
import { toWireKey } from "../admin-keys/admin-key-wire.ts";
import { toWirePasskey } from "../mfa/passkey-wire.ts";
import { readFactors } from "../mfa/read-factors.ts";
import { toWireFactors } from "../mfa/wire.ts";
import { toWireActor, toWireConsent } from "../oauth/consent-wire.ts";
import { toWireOwnSupport } from "../support/support-session-wire.ts";
import { toWireAccount } from "../third-party/account-wire.ts";
import { type PersonalData, personalParts, toPersonalEvent } from "./personal-data-wire.ts";
import { toWireSession } from "./session-wire.ts";
import type { Readers } from "./stream-json.ts";
import { toWireUser } from "./user-wire.ts";

/** @param currentSession of the caller */
export function readersOf(
	needs: Pick<Platform, "db" | "clock">,
	user: User,
	currentSession: string | null,
): Readers<PersonalData> {
	const { db, clock } = needs;
	const { adminKeys, audit, grants, groups, mail, oauthActors, oauthConsents, passkeys, personalData } =
		db.stores;
	const { managers, personRequests, sessions, supportSessions, thirdPartyAccounts } = db.stores;
	const { tenantId, id, email } = user;
	type Own<T> = (tenantId: string, userId: string, page: PageQuery) => Promise<Page<T>>;
	const own = <Row, T>(list: Own<Row>, convert: (row: Row) => T) =>
		pagesOf((page) => list(tenantId, id, page), convert);
	// Anyone can enter an address: only its owner may learn what was sent to it.
	const ofAddress = <Row, T>(list: (page: PageQuery) => Promise<Page<Row>>, convert: (row: Row) => T) =>
		user.emailVerified ? pagesOf(list, convert) : nothing;
	const startedAtMs = clock();
	return {
		exported_at: () => isoTime(startedAtMs),
		user: () => toWireUser(user),
		usernames: own(personalData.listUsernames, ({ name }) => name),
		second_factors: async () => toWireFactors(await readFactors(needs, tenantId, id)),
		passkeys: own(passkeys.list, toWirePasskey),
		sessions: pagesOf(
			(page) => sessions.list(tenantId, id, startedAtMs, page),
			(session) => toWireSession(session, currentSession),
		),
		support_sessions: own(supportSessions.list, toWireOwnSupport),
		devices: own(personalData.listDevices, personalParts.device),
		third_party_accounts: own(thirdPartyAccounts.list, toWireAccount),
		third_party_aliases: own(personalData.listAliases, personalParts.alias),
		async *directory() {
			const person = await db.stores.directoryPeople.findOfUser(tenantId, id);
			yield person === undefined ? [] : [personalParts.directoryRecord(person)];
		},
		directory_events: own(db.stores.directories.listEventsOf, personalParts.directoryEvent),
		groups: own(groups.listOfUser, toWireUserGroup),
		grants: own(grants.listHeld, toWireHeldGrant),
		managed: own(managers.listOfUser, toWireManaged),
		actors: pagesOf((page) => oauthActors.list(tenantId, id, startedAtMs, page), toWireActor),
		consents: own(oauthConsents.list, toWireConsent),
		application_sessions: own(personalData.listApplicationSessions, ({ clientId, ...held }) =>
			personalParts.applicationSession({ ...held, applicationId: clientId }),
		),
		access_requests: ofAddress(
			(page) => personalData.listAccessRequests(tenantId, email, page),
			personalParts.accessRequest,
		),
		role_requests: own(personRequests.list, toWireOwn),
		program_requests: own(personalData.listProgramRequests, personalParts.programRequest),
		request_mails: () => db.stores.requestMails.frequencyOf(tenantId, id),
		mails: ofAddress((page) => mail.list(tenantId, { to: email }, page), personalParts.mail),
		links: own(personalData.listLinks, personalParts.link),
		async *admin_keys() {
			yield (await adminKeys.listOf(tenantId, id)).map(toWireKey);
		},
		refusals: own(personalData.listRefusals, personalParts.refusal),
		async *events() {
			const self = `user:${id}`;
			const toWire = (event: AuditEvent) => toPersonalEvent(event, id);
			for await (const about of eventsOf(audit, { tenantId, target: self })) yield about.map(toWire);
			for await (const by of eventsOf(audit, { tenantId, actor: self }))
				yield by.filter(({ target }) => target !== self).map(toWire);
		},
	};
}

async function* nothing(): AsyncGenerator<never[]> {
	// Nothing is the user's.
}

/** Reads a list to its end. */
function pagesOf<Row, T>(list: (page: PageQuery) => Promise<Page<Row>>, convert: (row: Row) => T) {
	return async function* (): AsyncGenerator<T[]> {
		for (let page = 1; ; page++) {
			const { items } = await list({ page, pageSize: EXPORTED_AT_ONCE });
			yield items.map((row) => convert(row));
			if (items.length < EXPORTED_AT_ONCE) return;
		}
	};
}

/** The matching events up to the present end of the trail, oldest first. */
async function* eventsOf(audit: AuditTrail, query: AuditQuery): AsyncGenerator<readonly AuditEvent[]> {
	const upTo = (await audit.findHead(query.tenantId))?.sequence ?? 0;
	for (let after: EventPlace = { atMs: 0, sequence: 0 }; ; ) {
		const events = await audit.listMatching(query, { after, upTo }, EXPORTED_AT_ONCE);
		yield events;
		const last = events.at(-1);
		if (last === undefined || events.length < EXPORTED_AT_ONCE) return;
		after = last;
	}
}
