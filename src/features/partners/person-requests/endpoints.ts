// `/users/me/requests`: what people request, and what they may request.

import { ROLE_NAME_MAX } from "../../../domain/application-role.ts";
import { GRANT_ROLES_MAX } from "../../../domain/grant.ts";
import {
	PERSON_REASON_MAX,
	PERSON_REASON_MIN,
	type RequestableApplication,
} from "../../../domain/person-request.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { data, endpoint, page } from "../../../http/describe/endpoint.ts";
import {
	list,
	multilineText,
	nullable,
	object,
	plain,
	text,
	timeInput,
	uuid,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { ownRequestSchema, toWireOwn } from "./person-request-wire.ts";
import { findRequestableRoles, requestRoles, withdrawRequest } from "./request-roles.ts";

const requestableSchema = object(
	{
		app_id: plain({ format: "uuid" }),
		name: plain(),
		description: plain(),
		homepage_url: plain(),
		logo_url: plain(),
		roles: list(object({ name: plain(), description: plain() }), {
			description: "Those that you lack; empty: you may request access without a role.",
		}),
		longest: plain({
			description: "The latest end from now, an ISO 8601 duration of days or hours.",
			examples: ["P30D"],
		}),
		pending_request_id: nullable(plain({ format: "uuid", description: "Your request that waits." })),
	},
	{ title: "RequestableApplication" },
);
const toWireRequestable = toWire(requestableSchema);

const requestBody = object({
	app_id: uuid(),
	roles: list(text({ max: ROLE_NAME_MAX }), {
		max: GRANT_ROLES_MAX,
		description: "Names of roles that you may request; empty only if the application offers none.",
		examples: [["editor"]],
	}),
	reason: multilineText({
		min: PERSON_REASON_MIN,
		max: PERSON_REASON_MAX,
		description: "Why you need the roles, for the reviewers.",
		examples: ["To close the books of November."],
	}),
	until: timeInput("When you no longer need the roles."),
});
const toRequest = fromWire(requestBody);

export function personRequestEndpoints(platform: Platform) {
	const { stores } = platform.db;
	const toWireOne = async (userId: string, application: RequestableApplication) => {
		const { requestableLongest: longest, id: appId, ...shown } = application;
		const found = (await findRequestableRoles(stores, application, userId)) ?? [];
		const roles = found.map(({ name, description }) => ({ name, description }));
		return toWireRequestable({ ...shown, appId, longest: longest ?? "", roles });
	};
	return {
		listRequestable: endpoint<SignedIn>()({
			name: "listRequestable",
			summary: "List what the current user may request",
			description:
				"Lists active applications that let users request roles, if the user lacks one. A user with a grant of their own without an end lacks none.",
			response: page(requestableSchema, "Applications, by name."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "read what its user may request");
				const { tenantId, userId } = caller;
				const { items, ...total } = await stores.personRequests.listRequestable(tenantId, userId, page);
				return { ...total, items: await Promise.all(items.map((one) => toWireOne(userId, one))) };
			},
		}),

		listMine: endpoint<SignedIn>()({
			name: "listMyRequests",
			summary: "List the current user's requests for access",
			response: page(ownRequestSchema, "Requests, newest first."),
			errors: ["application.token"],
			async handle({ caller, page }) {
				checkInPerson(caller, "read requests of its user");
				return mapPage(await stores.personRequests.list(caller.tenantId, caller.userId, page), toWireOwn);
			},
		}),

		request: endpoint<SignedIn>()({
			name: "requestAccess",
			summary: "Request roles of an application",
			description:
				"Reviewers decide, and the service mails the result. An approval creates a grant that ends at `until` or before; it replaces a grant of your own that ends. One request for each application, and 20 in all, can wait.",
			body: requestBody,
			response: data(201, ownRequestSchema, "The request."),
			errors: [
				"application.token",
				"request.not_requestable",
				"request.too_long",
				"request.pending_exists",
				"request.queue_full",
			],
			handle: async ({ caller, body }) => toWireOwn(await requestRoles(platform, toRequest(body), caller)),
		}),

		withdraw: endpoint<SignedIn>()({
			name: "withdrawMyRequest",
			summary: "Withdraw a request for access",
			ids: { id: "request.not_found" },
			response: data(200, ownRequestSchema, "The withdrawn request."),
			errors: ["application.token", "request.already_decided"],
			handle: async ({ caller, ids: { id } }) => toWireOwn(await withdrawRequest(platform, id, caller)),
		}),
	};
}
