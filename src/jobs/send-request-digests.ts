// Mails reviewers who chose a digest what waits for their decision.

import type { RequestKind } from "../domain/request.ts";
import type { ReviewedRequest } from "../domain/request-queue.ts";
import type { User } from "../domain/user.ts";
import { mailNames } from "../features/partners/programs/program-mails.ts";
import { reviewUrl, userMail } from "../features/partners/steps/address-mail.ts";
import type { Needs } from "../features/platform.ts";
import { isoTime } from "../kernel/clock.ts";

type Needed = Needs<"requestMails" | "requests" | "mail" | "users", "clock" | "publicUrl" | "wakeMail">;
type Stores = Needed["db"]["stores"];

const BATCH = 100;
/** Requests of one kind that a mail lists, oldest first; it counts all. */
const LISTED_MAX = 20;

/**
 * Claims a digest and writes its mail in one transaction, so that it is sent once: on several nodes, and after a crash.
 *
 * @returns the number of digests that were due
 */
export async function sendRequestDigests({ db, clock, publicUrl, wakeMail }: Needed): Promise<number> {
	let sent = 0;
	for (;;) {
		const nowMs = clock();
		const due = await db.stores.requestMails.listDue(nowMs, BATCH);
		for (const one of due)
			await db.transaction(async (stores) => {
				if (!(await stores.requestMails.claim(one, nowMs))) return;
				sent += 1;
				const user = await stores.users.findById(one.tenantId, one.userId);
				if (user?.status === "active") await sendDigest(stores, user, publicUrl);
			});
		if (due.length < BATCH) break;
	}
	if (sent > 0) wakeMail();
	return sent;
}

/** Lists only what the user may decide now: roles and groups may have changed since the requests. */
async function sendDigest(stores: Stores, user: User, publicUrl: string): Promise<void> {
	const { id, tenantId, roles } = user;
	const hasRole = roles.includes("reviewer") || roles.includes("admin");
	const scope = { tenantId, memberId: hasRole ? null : id };
	let count = 0;
	const list = async (kind: RequestKind): Promise<string> => {
		if (!hasRole && kind !== "person") return "";
		const query = { ...scope, kind, status: "pending", sort: "oldest" } as const;
		const { items, total } = await stores.requests.list(query, { page: 1, pageSize: LISTED_MAX });
		// No one decides their own request.
		const others = items.filter((request) => request.kind !== "person" || request.userId !== id);
		count += total - items.length + others.length;
		return others.map((request) => `${titleOf(request)} ${reviewUrl(publicUrl, request)}`).join("\n");
	};
	const links = {
		partnerLinks: await list("partner"),
		programLinks: await list("program"),
		personLinks: await list("person"),
	};
	if (count === 0) return;
	const queueUrl = `${publicUrl}/console/requests`;
	await stores.mail.put(userMail(user, { kind: "request_digest", count, ...links, queueUrl }));
}

/** One line. */
function titleOf(request: ReviewedRequest): string {
	const day = isoTime(request.createdAtMs).slice(0, 10);
	return `${namesOf(request)}, ${day} (UTC)`.replace(/\s+/gu, " ");
}

function namesOf(request: ReviewedRequest): string {
	switch (request.kind) {
		case "partner":
			return `${request.applicantName}, ${request.projectName}`;
		case "program":
			return Object.values(mailNames(request)).join(", ");
		case "person":
			return `${request.username ?? "–"}, ${[request.appName ?? "–", ...request.roles].join(", ")}`;
	}
}
