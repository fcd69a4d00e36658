// The open APIs: endpoints for signed requests from external systems.

import { DECISION_REASONS, LISTED_MAX } from "../../../domain/access.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
import { checkProviderUserId } from "../../../domain/third-party-account.ts";
import { USER_STATUSES, userNotFound } from "../../../domain/user.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import {
	boolean,
	choice,
	exactText,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
	time,
	uuid,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { apiClientSchema, toWireApiClient } from "../api-clients/api-client-wire.ts";
import { checkAccess } from "./check-access.ts";
import { createRecordsFor } from "./signed-records.ts";

const basicUser = {
	id: uuid(),
	username: plain(),
	display_name: plain(),
	email: plain({ format: "email" }),
	avatar_url: plain(),
	status: choice(USER_STATUSES),
	created_at: time(),
};
const basicUserSchema = object(basicUser, { title: "BasicUser" });
const toBasicUser = toWire(basicUserSchema);

const accountSchema = object({ provider: plain(), provider_user_id: plain(), linked_at: time() });
const toWireAccount = toWire(accountSchema);
const linkedUserSchema = object(
	{ ...basicUser, third_party_account: accountSchema },
	{ title: "UserWithThirdPartyAccount" },
);

const whoAmISchema = object(
	{ client: apiClientSchema, ip: plain(), scheme: plain(), server_time: time() },
	{ title: "WhoAmI" },
);

const accessSchema = object(
	{
		allowed: boolean(),
		reason: choice(DECISION_REASONS),
		user_id: uuid(),
		app_id: uuid(),
		permission: nullable(plain()),
		roles: list(plain()),
		permissions: list(plain()),
		truncated: optional(
			boolean(
				"Present and `true` if the lists are incomplete. The decision considers all roles and permissions.",
			),
		),
	},
	{ title: "AccessDecision" },
);

const questionSchema = object({
	user_id: uuid(),
	app_id: optional(uuid()),
	permission: optional(text({ max: 128, description: "Such as `orders:read`." })),
});

const toQuestion = fromWire(questionSchema);

export function externalEndpoints(platform: Platform) {
	const { db, clock } = platform;
	const of = createRecordsFor(platform);
	// Also of a test client: its own record.
	const { apiClients } = db.stores;
	return {
		getUser: endpoint<SignedCaller>()({
			name: "getExternalUser",
			summary: "Get basic user information",
			ids: { id: "user.not_found" },
			response: data(200, basicUserSchema, "The user."),
			errors: ["user.not_found"],
			handle: async ({ caller, ids }) =>
				toBasicUser(found(await of(caller).users.findById(caller.tenantId, ids.id), userNotFound)),
		}),

		checkAccess: endpoint<SignedCaller>()({
			name: "checkAccess",
			summary: "Check whether a user can access an application",
			description: `A denial is not an error: it returns 200 with \`allowed: false\` and the reason. \`app_id\` defaults to the client's own application; any other application requires the scope \`access:check:tenant\`. Lists at most ${LISTED_MAX} roles and ${LISTED_MAX} permissions.`,
			body: questionSchema,
			response: data(200, accessSchema, "The decision."),
			errors: ["scope.missing"],
			handle: ({ caller, body }) => checkAccess(of(caller).accessFacts, caller, toQuestion(body)),
		}),

		findUser: endpoint<SignedCaller>()({
			name: "findUserByThirdPartyAccount",
			summary: "Find a user by third-party account",
			body: object({
				provider: text({ max: 64, description: "The slug of the provider, such as `wechat`." }),
				provider_user_id: exactText({
					max: 255,
					description: "The user's id at the provider, compared exactly.",
				}),
			}),
			response: data(200, linkedUserSchema, "The user that the account is linked to."),
			errors: ["user.not_found"],
			async handle({ caller, body }) {
				checkProviderUserId(body.provider_user_id);
				const { thirdPartyAccounts } = of(caller);
				const linked = await thirdPartyAccounts.findUser(
					caller.tenantId,
					body.provider,
					body.provider_user_id,
				);
				if (linked === undefined)
					throw new AppError("user.not_found", "no user has this third-party account");
				return { ...toBasicUser(linked.user), third_party_account: toWireAccount(linked.account) };
			},
		}),

		whoami: endpoint<SignedCaller>()({
			name: "whoami",
			summary: "Show the calling client",
			description:
				"Call this endpoint first in a new integration: it verifies your signature and shows the IP address to put on the allowlist.",
			response: data(200, whoAmISchema, "The client, and the IP address, scheme, and time of this call."),
			async handle({ caller, request }) {
				const client = await apiClients.findById(caller.tenantId, caller.id);
				if (client === undefined)
					throw new AppError("signature.invalid", "signature or credentials are not valid");
				const { ip, scheme } = request;
				return { client: toWireApiClient(client, clock()), ip, scheme, server_time: isoTime(clock()) };
			},
		}),
	};
}
