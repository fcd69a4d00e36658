// People ask for a program that names itself by a URL and was not reviewed: what they see, and the request.

import type { Allowance } from "../../../domain/address-allowance.ts";
import { isInUse, type Program } from "../../../domain/program.ts";
import { listsRedirectUri, type ProgramDocument } from "../../../domain/program-document.ts";
import {
	type AskedProgram,
	PENDING_PROGRAM_REQUESTS_MAX,
	PROGRAM_REQUESTS_PER_HOUR,
	type ProgramRequest,
	programRequestTarget,
} from "../../../domain/program-request.ts";
import { requestNotFound, UNDECIDED } from "../../../domain/request.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { HOUR_MS, secondsUntil } from "../../../kernel/clock.ts";
import { AppError, found, tooMany } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { mailNewRequest, reviewUrl } from "../steps/address-mail.ts";
import { mailNames } from "./program-mails.ts";
import { readDocument } from "./read-document.ts";

type Asking = Needs<
	"tenants" | "users" | "programs" | "programRequests" | "allowances" | "mail" | "requestMails" | "audit",
	"clock" | "openId" | "publicUrl" | "programDocuments" | "wakeMail"
>;

const ALLOWANCE: Allowance = { kind: "program", count: PROGRAM_REQUESTS_PER_HOUR, windowMs: HOUR_MS };

/** `unknown`: no user requested it, or the program was removed. */
export const ASKED_STATES = ["unknown", "pending", "approved", "rejected", "suspended"] as const;

interface SeenProgram {
	readonly asked: AskedProgram;
	readonly state: (typeof ASKED_STATES)[number];
	/** As read for the latest request; null before anything was read. */
	readonly document: ProgramDocument | null;
	readonly reviewNote: string;
	readonly takesRequests: boolean;
	/** Whether the caller asked for it, and the request is pending. */
	readonly hasAsked: boolean;
	/** Names of the APIs that the program requests. */
	readonly apis: readonly string[];
	/** The authorization request, once the program is approved. */
	readonly continueUrl: string | null;
	/** Returns `access_denied`: only to a redirect URI that the document lists. */
	readonly denyUrl: string | null;
}

/** Reads stored rows only. @throws AppError `request.not_found`. */
export async function viewAskedProgram(
	needs: Needs<"tenants" | "programs" | "programRequests" | "oauthClients", "clock" | "openId" | "publicUrl">,
	id: string,
	{ tenantId, userId }: SignedIn,
): Promise<SeenProgram> {
	const { tenants, programs, programRequests, oauthClients } = needs.db.stores;
	const asked = await getAsked(needs, id);
	const program = await programs.findByUrl(tenantId, asked.url);
	const latest = await programRequests.findLatest(tenantId, asked.url);
	const state = stateOf(program, latest, needs.clock());
	const document = program?.document ?? latest?.document ?? null;
	const askers = state === "pending" && latest ? await programRequests.listAskers(tenantId, latest.id) : [];
	const apis = [];
	for (const resource of asked.resources)
		apis.push((await oauthClients.findByResource(tenantId, resource))?.application.name ?? resource);
	const mayDeny = state !== "approved" && document !== null && listsRedirectUri(document, asked.redirectUri);
	return {
		asked,
		state,
		document,
		reviewNote: state === "rejected" ? (latest?.reviewNote ?? "") : "",
		takesRequests: (await tenants.findById(tenantId))?.programRequests ?? false,
		hasAsked: askers.some((asker) => asker.userId === userId),
		apis,
		continueUrl: state === "approved" ? `${needs.publicUrl}/oauth/authorize?${asked.query}` : null,
		denyUrl: mayDeny ? denyUrl(asked, needs.publicUrl) : null,
	};
}

/**
 * Reads the document, unless the program has a pending request, which the caller joins.
 *
 * @throws AppError `request.not_found`, `program_request.not_taken`, `program_request.too_many`,
 * `program_request.queue_full`, `program.document`, `application.token`.
 */
export async function askForProgram(
	needs: Asking,
	id: string,
	reason: string,
	caller: SignedIn,
): Promise<void> {
	checkInPerson(caller, "request access for a program");
	const { tenantId } = caller;
	const { tenants, programs, programRequests } = needs.db.stores;
	const asked = await getAsked(needs, id);
	if ((await tenants.findById(tenantId))?.programRequests !== true)
		throw new AppError("program_request.not_taken", "this tenant accepts no requests for programs");
	if ((await programs.findByUrl(tenantId, asked.url)) !== undefined) return;
	await takeAllowance(needs, caller);
	const latest = await programRequests.findLatest(tenantId, asked.url);
	if (latest?.status === "pending" && (await join(needs, latest, reason, caller))) return;
	const document = await readDocument(needs, asked.url);
	const request = newRequest(asked, document, tenantId, needs.clock());
	await submit(needs, request, reason, caller);
	needs.wakeMail();
}

async function submit(
	{ db, publicUrl }: Asking,
	request: ProgramRequest,
	reason: string,
	caller: SignedIn,
): Promise<void> {
	const { id: requestId, tenantId, createdAtMs } = request;
	const asker = { tenantId, userId: caller.userId, reason, createdAtMs };
	await db.transaction(async (stores) => {
		const { programRequests, audit } = stores;
		if ((await programRequests.countPending(tenantId)) >= PENDING_PROGRAM_REQUESTS_MAX)
			throw new AppError(
				"program_request.queue_full",
				`${PENDING_PROGRAM_REQUESTS_MAX} program requests are pending: try again after reviewers have decided`,
			);
		if (!(await programRequests.insert(request))) {
			const first = found(await programRequests.findLatest(tenantId, request.url), requestNotFound);
			await programRequests.join({ ...asker, requestId: first.id });
			return;
		}
		await programRequests.join({ ...asker, requestId });
		await audit.append(caller, "program.requested", programRequestTarget(request), {
			client_id: request.url,
		});
		await mailNewRequest(stores, request, {
			kind: "program_request_notice",
			...mailNames(request),
			username: caller.user.username,
			reason,
			reviewUrl: reviewUrl(publicUrl, request),
		});
	});
}

/** @returns false if the request was decided in the meantime. */
async function join(
	{ db, clock }: Asking,
	{ id: requestId, tenantId, url }: ProgramRequest,
	reason: string,
	{ userId }: SignedIn,
): Promise<boolean> {
	const asker = { requestId, tenantId, userId, reason, createdAtMs: clock() };
	return await db.transaction(async ({ programRequests }) => {
		if (await programRequests.join(asker)) return true;
		return (await programRequests.findLatest(tenantId, url))?.status === "pending";
	});
}

async function takeAllowance({ db, clock }: Asking, { userId }: SignedIn): Promise<void> {
	const now = clock();
	const nextMs = await db.transaction(({ allowances }) => allowances.take(ALLOWANCE, userId, now));
	if (nextMs !== undefined)
		throw tooMany("program_request.too_many", "you requested too many programs", {
			limit: PROGRAM_REQUESTS_PER_HOUR,
			seconds: secondsUntil(nextMs, now),
		});
}

async function getAsked({ openId }: Needs<never, "openId">, id: string): Promise<AskedProgram> {
	const isUsed = await openId.isUsed();
	return found(isUsed ? await openId.findAskedProgram(id) : undefined, requestNotFound);
}

function stateOf(
	program: Program | undefined,
	latest: ProgramRequest | undefined,
	nowMs: number,
): SeenProgram["state"] {
	if (program !== undefined) return isInUse(program, nowMs) ? "approved" : "suspended";
	return latest?.status === "pending" || latest?.status === "rejected" ? latest.status : "unknown";
}

/** RFC 6749, section 4.1.2.1, and RFC 9207. */
function denyUrl({ redirectUri, state }: AskedProgram, issuer: string): string {
	const url = new URL(redirectUri);
	url.searchParams.set("error", "access_denied");
	if (state !== null) url.searchParams.set("state", state);
	url.searchParams.set("iss", issuer);
	return url.href;
}

function newRequest(
	{ url, redirectUri, resources }: AskedProgram,
	document: ProgramDocument,
	tenantId: string,
	nowMs: number,
): ProgramRequest {
	return {
		id: newId(nowMs),
		tenantId,
		...UNDECIDED,
		isChange: false,
		url,
		document,
		redirectUri,
		resources,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	};
}
