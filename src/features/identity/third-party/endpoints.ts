// The third-party accounts of a user, for the user and for administrators.

import type { Administrator } from "../../../domain/caller.ts";
import { PROVIDER } from "../../../domain/identity-provider.ts";
import { checkInPerson, type InPerson, type SignedIn } from "../../../domain/session.ts";
import { PROVIDER_USER_ID_MAX } from "../../../domain/third-party-account.ts";
import { getUser } from "../../../domain/user.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { object, plain, text } from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { mapPage, type PageQuery } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { accountSchema, toWireAccount } from "./account-wire.ts";
import { linkAccount, unlinkAccount } from "./link-account.ts";

/** Not trimmed: the provider's value is compared exactly. */
const providerUserId = plain({
	minLength: 1,
	maxLength: PROVIDER_USER_ID_MAX,
	description: "The user's stable id at the provider. Stored and compared exactly as sent.",
});
const linkBody = object({
	provider: text({ max: 64, pattern: PROVIDER.source, description: "Slug of the provider." }),
	provider_user_id: providerUserId,
});
const fromLink = fromWire(linkBody);

export function thirdPartyEndpoints(platform: Platform) {
	const { thirdPartyAccounts, users } = platform.db.stores;
	const list = async (tenantId: string, userId: string, page: PageQuery) =>
		mapPage(await thirdPartyAccounts.list(tenantId, userId, page), toWireAccount);
	return {
		listMine: endpoint<SignedIn>()({
			name: "listMyThirdPartyAccounts",
			summary: "List the current user's third-party accounts",
			response: page(accountSchema, "Linked accounts, newest first."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "list accounts of its user");
				return await list(caller.tenantId, caller.userId, page);
			},
		}),

		unlinkMine: endpoint<SignedIn>()({
			name: "unlinkMyThirdPartyAccount",
			summary: "Unlink one of the current user's third-party accounts",
			description:
				"Sessions that began with the account continue. The user's last way to sign in cannot be unlinked (409): set a password or link another account first.",
			ids: { id: "third_party_account.not_found" },
			response: empty(204, "The account is no longer linked."),
			errors: ["application.token", "third_party_account.last_way", "user.of_directory"],
			handle({ caller, ids }) {
				checkInPerson(caller, "unlink accounts of its user");
				return unlinkAccount(platform, caller.userId, ids.id, caller);
			},
		}),

		list: endpoint<Administrator>()({
			name: "listThirdPartyAccounts",
			summary: "List a user's third-party accounts",
			ids: { id: "user.not_found" },
			response: page(accountSchema, "Linked accounts, newest first."),
			async handle({ caller: { tenantId }, ids, page }) {
				await getUser(users, tenantId, ids.id);
				return list(tenantId, ids.id, page);
			},
		}),

		link: endpoint<InPerson>()({
			name: "linkThirdPartyAccount",
			summary: "Link a third-party account to a user",
			description:
				"Anyone who signs in with this account signs in as the user. Only a platform_admin may link and unlink accounts of a platform_admin (403).",
			ids: { id: "user.not_found" },
			body: linkBody,
			response: data(201, accountSchema, "The linked account."),
			errors: ["role.required", "third_party_account.linked"],
			handle: async ({ caller, ids, body }) =>
				toWireAccount(await linkAccount(platform, { userId: ids.id, ...fromLink(body) }, caller)),
		}),

		unlink: endpoint<InPerson>()({
			name: "unlinkThirdPartyAccount",
			summary: "Unlink a third-party account of a user",
			ids: { id: "user.not_found", account_id: "third_party_account.not_found" },
			response: empty(204, "The account is no longer linked."),
			errors: ["role.required", "third_party_account.last_way", "user.of_directory"],
			handle: ({ caller, ids }) => unlinkAccount(platform, ids.id, ids.account_id, caller),
		}),
	};
}
