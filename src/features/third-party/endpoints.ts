// Third-party accounts of a user, as the user and as an administrator see them.

import { data, empty, endpoint, page } from "../../http/endpoint.ts";
import { object, plain, type Schema, text, time } from "../../http/schema.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { SignedIn } from "../auth/model.ts";
import { userNotFound } from "../users/model.ts";
import { type LinkAccountDeps, linkAccount } from "./link-account.ts";
import { PROVIDER, PROVIDER_USER_ID_MAX, type ThirdPartyAccount } from "./model.ts";
import { type UnlinkAccountDeps, unlinkAccount } from "./unlink-account.ts";

export type ThirdPartyDeps = LinkAccountDeps & UnlinkAccountDeps;

const accountSchema = object(
	{
		id: plain({ format: "uuid" }),
		provider: plain({ description: "Slug of the provider, e.g. `wechat`." }),
		provider_user_id: plain({ description: "The provider's own id of the person." }),
		linked_at: time(),
	},
	{ title: "ThirdPartyAccount" },
);

/** Not trimmed like other text: an outside system compares it byte by byte. */
const providerUserId: Schema<string> = {
	type: "string",
	minLength: 1,
	maxLength: PROVIDER_USER_ID_MAX,
	description: "The provider's own stable id of the person, kept and compared exactly as sent.",
};

export function thirdPartyEndpoints(deps: ThirdPartyDeps) {
	const { db } = deps;
	const listOf = async (tenantId: string, userId: string, asked: PageQuery) =>
		toWirePage(await db.stores.thirdPartyAccounts.list(tenantId, userId, asked));
	return {
		listMine: endpoint<SignedIn>()({
			name: "listMyThirdPartyAccounts",
			summary: "List the current user's third-party accounts",
			answer: page(accountSchema, "Linked accounts, the latest link first."),
			handle: ({ caller, page: asked }) => listOf(caller.tenantId, caller.user.id, asked),
		}),

		unlinkMine: endpoint<SignedIn>()({
			name: "unlinkMyThirdPartyAccount",
			summary: "Unlink one of the current user's third-party accounts",
			description:
				"Sessions that were begun with it live on. The last way to sign in cannot be unlinked (409): set a password or link another account first.",
			ids: { id: "third_party_account.not_found" },
			answer: empty(204, "The account is no longer linked."),
			errors: ["third_party_account.not_found", "third_party_account.last_way"],
			handle: ({ caller, ids, request }) =>
				unlinkAccount(deps, caller.user.id, ids.id as string, { actor: caller.user, origin: request }),
		}),

		list: endpoint<SignedIn>()({
			name: "listThirdPartyAccounts",
			summary: "List a user's third-party accounts",
			ids: { id: "user.not_found" },
			answer: page(accountSchema, "Linked accounts, the latest link first."),
			errors: ["user.not_found"],
			async handle({ caller, ids, page: asked }) {
				const user = await db.stores.users.findById(caller.tenantId, ids.id as string);
				if (user === undefined) throw userNotFound();
				return listOf(caller.tenantId, user.id, asked);
			},
		}),

		link: endpoint<SignedIn>()({
			name: "linkThirdPartyAccount",
			summary: "Link a third-party account to a user",
			description:
				"Whoever signs in with this account at the provider becomes this user, so the accounts of a platform_admin are linked and unlinked by platform admins only (403).",
			ids: { id: "user.not_found" },
			body: object({
				provider: text({ max: 64, pattern: PROVIDER.source, description: "Slug of the provider." }),
				provider_user_id: providerUserId,
			}),
			answer: data(201, accountSchema, "The linked account."),
			errors: ["user.not_found", "role.required", "third_party_account.linked"],
			async handle({ caller, ids, body, request }) {
				const wanted = {
					userId: ids.id as string,
					provider: body.provider,
					providerUserId: body.provider_user_id,
				};
				return toWireAccount(await linkAccount(deps, wanted, { actor: caller.user, origin: request }));
			},
		}),

		unlink: endpoint<SignedIn>()({
			name: "unlinkThirdPartyAccount",
			summary: "Unlink a third-party account of a user",
			ids: { id: "user.not_found", account_id: "third_party_account.not_found" },
			answer: empty(204, "The account is no longer linked."),
			errors: [
				"user.not_found",
				"role.required",
				"third_party_account.not_found",
				"third_party_account.last_way",
			],
			handle: ({ caller, ids, request }) =>
				unlinkAccount(deps, ids.id as string, ids.account_id as string, {
					actor: caller.user,
					origin: request,
				}),
		}),
	};
}

function toWirePage({ items, total }: Page<ThirdPartyAccount>) {
	return { items: items.map(toWireAccount), total };
}

function toWireAccount(account: ThirdPartyAccount) {
	return {
		id: account.id,
		provider: account.provider,
		provider_user_id: account.providerUserId,
		linked_at: isoTime(account.linkedAtMs),
	};
}
