// Mails people whose access ends in a week, and those who may extend it, one digest each.

import { type EndingAccess, NOTICE_COVERS_MS, NOTICE_DUE_MS } from "../domain/end-notice.ts";
import type { MailMessage } from "../domain/mail-message.ts";
import { getUser, type User } from "../domain/user.ts";
import { getApplication } from "../features/access/applications/manage-application.ts";
import { findSubject } from "../features/access/applications/manage-grant.ts";
import { getGroup } from "../features/access/groups/manage-group.ts";
import { userMail } from "../features/partners/steps/address-mail.ts";
import type { Needs } from "../features/platform.ts";
import { isoTime } from "../kernel/clock.ts";

type Needed = Needs<
	"apiClients" | "applications" | "endNotices" | "groups" | "mail" | "users",
	"clock" | "publicUrl" | "wakeMail"
>;
type Stores = Needed["db"]["stores"];

/** Ends in one transaction, and therefore in one mail to a reviewer. */
const BATCH = 500;
/** Ends that a mail lists; it counts all. */
const LISTED_MAX = 20;

/**
 * The ends are claimed and the mails written in one transaction, so each end is announced once: on several nodes, and after
 * a crash.
 *
 * @returns the number of ends that were announced
 */
export async function notifyEnds({ db, clock, publicUrl, wakeMail }: Needed): Promise<number> {
	let announced = 0;
	for (const tenantId of await db.stores.endNotices.listTenants(clock(), NOTICE_DUE_MS))
		for (;;) {
			const count = await db.transaction((stores) => announce(stores, tenantId, publicUrl, clock()));
			announced += count;
			if (count < BATCH) break;
		}
	if (announced > 0) wakeMail();
	return announced;
}

async function announce(stores: Stores, tenantId: string, publicUrl: string, nowMs: number): Promise<number> {
	const ends = await stores.endNotices.claim(tenantId, nowMs, NOTICE_COVERS_MS, BATCH);
	const digests = new Map<string, Digest>();
	const reviewersOf = reviewerFinder(stores, tenantId, nowMs);
	for (const end of ends.toSorted((one, other) => one.expiresAtMs - other.expiresAtMs)) {
		const { place, subject, holder, reviewers } = await describe(stores, tenantId, end, reviewersOf);
		// Readable in every language. A colon in a time would look like that of a URL.
		const at = `${isoTime(end.expiresAtMs).slice(0, 10)} (UTC)`;
		if (holder !== undefined) addLine(digests, "access_ends", holder, `${place}: ${at}`);
		for (const reviewer of reviewers)
			addLine(digests, "access_ends_notice", reviewer, `${place}, ${subject}: ${at}`);
	}
	for (const digest of digests.values())
		if (digest.user.status === "active")
			await stores.mail.put(userMail(digest.user, messageOf(digest, publicUrl)));
	return ends.length;
}

async function describe(
	stores: Stores,
	tenantId: string,
	{ kind, subjectId, placeId }: EndingAccess,
	reviewersOf: (groupId: string | null) => Promise<readonly User[]>,
) {
	if (kind === "member") {
		const { name: place } = await getGroup(stores.groups, tenantId, placeId);
		const holder = await getUser(stores.users, tenantId, subjectId);
		return { place, subject: holder.username, holder, reviewers: await reviewersOf(null) };
	}
	const { name: place, requestableReviewers } = await getApplication(stores.applications, tenantId, placeId);
	const holder = kind === "user" ? await getUser(stores.users, tenantId, subjectId) : undefined;
	const subject =
		holder?.username ?? (await findSubject(stores, tenantId, placeId, { kind, id: subjectId })).name;
	return { place, subject, holder, reviewers: await reviewersOf(requestableReviewers) };
}

/** As for requests: the members of the group of the application, or else the reviewers. */
function reviewerFinder({ users }: Stores, tenantId: string, nowMs: number) {
	const known = new Map<string | null, Promise<readonly User[]>>();
	const find = async (groupId: string | null): Promise<readonly User[]> => {
		const members = groupId === null ? [] : await users.listActiveMembers(tenantId, groupId, nowMs);
		return members.length > 0 ? members : await users.listReviewers(tenantId);
	};
	return (groupId: string | null) => {
		const found = known.get(groupId) ?? find(groupId);
		known.set(groupId, found);
		return found;
	};
}

interface Digest {
	readonly kind: "access_ends" | "access_ends_notice";
	readonly user: User;
	readonly lines: string[];
}

function addLine(digests: Map<string, Digest>, kind: Digest["kind"], user: User, line: string): void {
	const key = `${kind} ${user.id}`;
	const digest = digests.get(key) ?? { kind, user, lines: [] };
	digest.lines.push(line);
	digests.set(key, digest);
}

function messageOf({ kind, lines }: Digest, publicUrl: string): MailMessage {
	const more = Math.max(0, lines.length - LISTED_MAX);
	const ends = [...lines.slice(0, LISTED_MAX), ...(more > 0 ? [`… + ${more}`] : [])].join("\n");
	return kind === "access_ends"
		? { kind, ends, accessUrl: `${publicUrl}/account/access` }
		: { kind, count: lines.length, ends };
}
