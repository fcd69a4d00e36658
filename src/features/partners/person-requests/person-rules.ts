// Decides requests of people for roles: an approval creates a grant with an end, and the person is mailed.

import { applicationNotFound } from "../../../domain/application.ts";
import { userTarget } from "../../../domain/audit.ts";
import { giveGrant } from "../../../domain/give-grant.ts";
import type { Grant } from "../../../domain/grant.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { MailMessage } from "../../../domain/mail-message.ts";
import { notRequestable, personRequestTarget, tooLong } from "../../../domain/person-request.ts";
import { getUser } from "../../../domain/user.ts";
import { isoTime, MINUTE_MS } from "../../../kernel/clock.ts";
import { AppError, found, invalidEntries } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { Deciding, Mailing, RequestRules } from "../requests/request-rules.ts";
import { userMail } from "../steps/address-mail.ts";

export const personRules: RequestRules<"person"> = {
	actions: {
		approved: "person_request.approved",
		rejected: "person_request.rejected",
		resent: "person_request.approval_resent",
	},
	target: (request) => personRequestTarget(request, request.appName ?? ""),
	details: ({ appId, userId, ...asked }, { roles = asked.roles, untilMs = asked.untilMs }) => ({
		app_id: appId,
		user_id: userId,
		roles,
		until: isoTime(untilMs),
	}),

	/** Through an admin key, too: its actor names the key, and a user lists their own. @throws AppError `request.own`. */
	async checkDecides({ stores, request: { tenantId, userId }, caller }) {
		const isOwnKey = async () => {
			if (!caller.isKey) return false;
			const keys = await stores.adminKeys.listOf(tenantId, userId);
			return keys.some(({ id }) => caller.actor === `key:${id}`);
		};
		if (caller.userId === userId || (await isOwnKey()))
			throw new AppError("request.own", "this is your own request: another reviewer decides it");
	},

	/**
	 * Gives the grant, or replaces roles and end of one that ends: with the roles of both, an end would be longer than some
	 * reviewer decided.
	 *
	 * @throws AppError `request.too_long`, `request.invalid` (`roles.<index>` was not requested or is no role),
	 * `request.not_requestable` (the person has a grant without an end).
	 */
	async approve(deciding, { roles = deciding.request.roles, untilMs = deciding.request.untilMs }) {
		const granted = await createGrant(deciding, roles, untilMs);
		return await mailPerson(deciding, approvalOf(deciding.request, granted.roles, untilMs));
	},

	reject: (mailing) => mailPerson(mailing, rejectionOf(mailing.request)),
	preview: (mailing, status) =>
		mailPerson(mailing, status === "rejected" ? rejectionOf(mailing.request) : approvalOf(mailing.request)),

	/** As granted, if the grant still exists. */
	async resend(mailing) {
		const { id, tenantId, appId, userId, roles, untilMs } = mailing.request;
		const held = await mailing.stores.grants.find(tenantId, appId, { kind: "user", id: userId });
		const granted = held?.requestId === id ? held : undefined;
		const approval = approvalOf(mailing.request, granted?.roles ?? roles, granted?.expiresAtMs ?? untilMs);
		return await mailPerson(mailing, approval);
	},
};

type Request = Mailing<"person">["request"];

async function createGrant(
	{ stores, request, caller, nowMs }: Deciding<"person">,
	roles: readonly string[],
	untilMs: number,
): Promise<Grant> {
	const { id: requestId, tenantId, userId, appId, reason } = request;
	if (untilMs < nowMs + MINUTE_MS || untilMs > request.untilMs) throw tooLong(request.untilMs);
	const defined = await stores.applicationRoles.listAll(tenantId, appId);
	const requested = defined.filter(({ name }) => request.roles.includes(name));
	const added = [...roles.entries()].filter(
		([, role]) => !requested.some(({ id, name }) => [id, name].includes(role)),
	);
	if (added.length > 0)
		throw invalidEntries(
			"roles",
			added.map(([index]) => ({ index, problem: problem("not_requested") })),
		);
	const subject = { kind: "user", id: userId } as const;
	if ((await stores.grants.find(tenantId, appId, subject))?.expiresAtMs === null) throw notRequestable();
	const { grant } = await giveGrant(
		stores,
		{
			application: found(await stores.applications.findById(tenantId, appId), applicationNotFound),
			subject,
			target: userTarget(await getUser(stores.users, tenantId, userId)),
			roles,
			terms: { expiresAtMs: untilMs, reason, requestId },
		},
		caller,
		nowMs,
	);
	return grant;
}

function approvalOf(
	{ appName, reviewNote, ...requested }: Request,
	roles = requested.roles,
	untilMs = requested.untilMs,
): MailMessage {
	const names = { applicationName: appName ?? "", roles: roles.join(", ") };
	return { kind: "person_request_approved", ...names, endsAt: isoTime(untilMs), reviewNote };
}

function rejectionOf({ appName, reviewNote }: Request): MailMessage {
	return { kind: "person_request_rejected", applicationName: appName ?? "", reviewNote };
}

/** None if the person cannot sign in. */
async function mailPerson(
	{ stores, request: { tenantId, userId } }: Mailing<"person">,
	message: MailMessage,
): Promise<NewMail[]> {
	const person = await stores.users.findById(tenantId, userId);
	return person?.status === "active" ? [userMail(person, message)] : [];
}
