// The open APIs: what partners' systems ask with signed requests.

import { data, endpoint } from "../../http/endpoint.ts";
import {
	boolean,
	choice,
	exactText,
	type Infer,
	list,
	nullable,
	object,
	optional,
	plain,
	type Schema,
	text,
	uuid,
} from "../../http/schema.ts";
import { type Clock, isoTime } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { ApiClient, ApiClientStore } from "../api-clients/model.ts";
import { type AccessFactStore, BATCH_MAX, DECISION_REASONS } from "../authorization/model.ts";
import { checkProviderUserId, type ThirdPartyAccountStore } from "../third-party/model.ts";
import type { User, UserStore } from "../users/model.ts";
import { type AccessQuestion, checkAccess, checkAccessBatch } from "./check-access.ts";
import type { CallingClient } from "./model.ts";

export interface ExternalDeps {
	readonly db: Persistence<{
		users: UserStore;
		thirdPartyAccounts: ThirdPartyAccountStore;
		accessFacts: AccessFactStore;
		apiClients: ApiClientStore;
	}>;
	readonly clock: Clock;
	/** The wire form of an API client, without its Secret. */
	readonly clientWire: {
		readonly schema: Schema<unknown>;
		readonly toWire: (client: ApiClient, nowMs: number) => unknown;
	};
}

const basicUser = {
	id: uuid(),
	username: plain(),
	display_name: plain(),
	email: plain({ format: "email" }),
	avatar_url: plain(),
	status: choice(["active", "disabled"]),
	created_at: plain({ format: "date-time" }),
};

const accessSchema = object(
	{
		allowed: boolean(),
		reason: choice(DECISION_REASONS),
		user_id: uuid(),
		app_id: uuid(),
		permission: nullable(plain()),
		roles: list(plain()),
		permissions: list(plain()),
	},
	{ title: "AccessDecision" },
);

const questionSchema = object({
	user_id: uuid(),
	app_id: optional(uuid()),
	permission: optional(text({ max: 128, description: "e.g. `orders:read`" })),
});

function toQuestion({ user_id, app_id, permission }: Infer<typeof questionSchema>): AccessQuestion {
	return { userId: user_id, appId: app_id, permission };
}

export function externalEndpoints({ db, clock, clientWire }: ExternalDeps) {
	return {
		getUser: endpoint<CallingClient>()({
			name: "getExternalUser",
			summary: "Get basic user information",
			ids: { id: "user.not_found" },
			answer: data(200, object(basicUser, { title: "BasicUser" }), "The user."),
			errors: ["user.not_found"],
			async handle({ caller, ids }) {
				const user = await db.stores.users.findById(caller.tenantId, ids.id as string);
				if (user === undefined) throw new AppError("user.not_found", "no such user");
				return toBasicUser(user);
			},
		}),

		checkAccess: endpoint<CallingClient>()({
			name: "checkAccess",
			summary: "Check whether a user can access an application",
			description:
				"A denial is an answer, not an error: 200 with `allowed: false` and the reason. `app_id` is the client's own application unless given; another one needs the scope `access:check:tenant`.",
			body: questionSchema,
			answer: data(200, accessSchema, "The decision."),
			errors: ["scope.missing"],
			handle: ({ caller, body }) => checkAccess(db.stores.accessFacts, caller, toQuestion(body)),
		}),

		checkAccessBatch: endpoint<CallingClient>()({
			name: "checkAccessBatch",
			summary: "Check many accesses at once",
			description: `Up to ${BATCH_MAX} questions, answered in their order and from one moment, each as \`check-access\` would. One question about an application the client may not ask about refuses all.`,
			body: object({ checks: list(questionSchema, { min: 1, max: BATCH_MAX }) }),
			answer: data(200, list(accessSchema), "The decisions, in the order of the questions."),
			errors: ["scope.missing"],
			handle: ({ caller, body }) =>
				checkAccessBatch(db.stores.accessFacts, caller, body.checks.map(toQuestion)),
		}),

		findUser: endpoint<CallingClient>()({
			name: "findUserByThirdPartyAccount",
			summary: "Find a user by third-party account",
			body: object({
				provider: text({ max: 64, description: "Slug of the provider, e.g. `wechat`." }),
				provider_user_id: exactText({
					max: 255,
					description: "The provider's own id of the person, compared exactly.",
				}),
			}),
			answer: data(
				200,
				object(
					{
						...basicUser,
						third_party_account: object({
							provider: plain(),
							provider_user_id: plain(),
							linked_at: plain({ format: "date-time" }),
						}),
					},
					{ title: "UserWithThirdPartyAccount" },
				),
				"The user who has this account linked.",
			),
			errors: ["user.not_found"],
			async handle({ caller, body }) {
				checkProviderUserId(body.provider_user_id);
				const found = await db.stores.thirdPartyAccounts.findUser(
					caller.tenantId,
					body.provider,
					body.provider_user_id,
				);
				if (found === undefined) throw new AppError("user.not_found", "no user has this third-party account");
				const { provider, providerUserId, linkedAtMs } = found.account;
				return {
					...toBasicUser(found.user),
					third_party_account: { provider, provider_user_id: providerUserId, linked_at: isoTime(linkedAtMs) },
				};
			},
		}),

		whoami: endpoint<CallingClient>()({
			name: "whoami",
			summary: "See the calling client as the service sees it",
			description:
				"The first call of a new integration: proves the signature and shows the address an allowlist would have to name.",
			answer: data(
				200,
				object(
					{
						client: clientWire.schema,
						ip: plain(),
						scheme: plain(),
						server_time: plain({ format: "date-time" }),
					},
					{ title: "WhoAmI" },
				),
				"The client and the circumstances of this call.",
			),
			async handle({ caller, request }) {
				const client = await db.stores.apiClients.findById(caller.tenantId, caller.id);
				if (client === undefined)
					throw new AppError("signature.invalid", "signature or credentials are not valid");
				return {
					client: clientWire.toWire(client, clock()),
					ip: request.ip,
					scheme: request.scheme,
					server_time: isoTime(clock()),
				};
			},
		}),
	};
}

function toBasicUser(user: User) {
	return {
		id: user.id,
		username: user.username,
		display_name: user.displayName,
		email: user.email,
		avatar_url: user.avatarUrl,
		status: user.status,
		created_at: isoTime(user.createdAtMs),
	};
}
