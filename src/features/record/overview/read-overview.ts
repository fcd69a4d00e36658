// What needs the attention of a caller, and what is still to be set up.

import { EXPIRES_SOON_MS } from "../../../domain/api-client.ts";
import { setTexts } from "../../../domain/brand.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { Reviewer } from "../../../domain/request-queue.ts";
import { coversRole } from "../../../domain/system-role.ts";
import { isFailing } from "../../../domain/webhook.ts";
import type { Page, PageQuery } from "../../../kernel/page.ts";
import type { Needs } from "../../platform.ts";

/** For lists of which only the total matters. */
const ONE: PageQuery = { page: 1, pageSize: 1 };
const BRAND_PARTS = ["productName", "logoUrl", "logoDarkUrl", "iconUrl", "accentColor"] as const;
/** The name of an installation whose operator set none. */
const NO_NAME = "Latchkey";

type OverviewNeeds = Needs<
	"requests" | "apiClients" | "brands" | "firstSteps" | "mail" | "users" | "webhooks",
	"brand" | "clock" | "hasMailServer"
>;

/** Null is what the roles of the caller do not allow to list. */
export async function readOverview(needs: OverviewNeeds, caller: Reviewer) {
	const { requests, apiClients, users, webhooks, mail } = needs.db.stores;
	const { tenantId, memberId, roles } = caller;
	const readers = coversRole(roles, "auditor");
	const admins = coversRole(roles, "admin");
	const now = needs.clock();
	const totalOf = async (list: () => Promise<Page<unknown>>) => (await list()).total;
	const failingWebhooks = async () =>
		(await webhooks.listAll({ tenantId })).filter((webhook) => isFailing(webhook, now)).length;
	const [pending, expiring, locked, failing, failed, waiting, firstSteps] = await Promise.all([
		totalOf(() => requests.list({ tenantId, memberId, status: "pending" }, ONE)),
		readers ? apiClients.countExpiring(tenantId, now, now + EXPIRES_SOON_MS) : null,
		readers ? totalOf(() => users.list({ tenantId, isLocked: true }, ONE)) : null,
		readers ? failingWebhooks() : null,
		admins ? totalOf(() => mail.list(tenantId, { state: "failed" }, ONE)) : null,
		admins ? totalOf(() => mail.list(tenantId, { state: "waiting" }, ONE)) : null,
		admins ? readFirstSteps(needs, caller) : null,
	]);
	return {
		pendingRequests: pending,
		expiringApiClients: expiring,
		lockedUsers: locked,
		failingWebhooks: failing,
		failedMails: failed,
		waitingMails: waiting,
		writesMailsToFiles: admins ? !needs.hasMailServer : null,
		firstSteps,
	};
}

async function readFirstSteps(
	{ db, brand, hasMailServer }: OverviewNeeds,
	{ tenantId, userId, roles }: Administrator,
) {
	const { brands, firstSteps, users } = db.stores;
	const [stored, texts, user] = await Promise.all([
		firstSteps.find(tenantId),
		brands.find(tenantId),
		userId === null ? undefined : users.findById(tenantId, userId),
	]);
	const own = setTexts(texts);
	return {
		...stored,
		hasBrand: brand.productName !== NO_NAME || BRAND_PARTS.some((part) => own[part] !== undefined),
		hasSecondFactor: user?.mfaEnabled ?? null,
		hasMailServer: roles.includes("platform_admin") ? hasMailServer : null,
	};
}
