// `/applications/{id}/managers` and `/groups/{id}/managers`: users who decide about access there without a system role.

import type { Administrator } from "../../../domain/caller.ts";
import type { ManagedKind } from "../../../domain/manager.ts";
import type { InPerson } from "../../../domain/session.ts";
import { USER_STATUSES } from "../../../domain/user.ts";
import { empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { choice, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { addManager, detailsOf, removeManager } from "./change-managers.ts";

const managerSchema = object(
	{
		user_id: plain({ format: "uuid" }),
		username: plain(),
		display_name: plain(),
		email: plain({ format: "email" }),
		status: choice(USER_STATUSES),
		added_at: time(),
	},
	{ title: "Manager" },
);
const toWireManager = toWire(managerSchema);

const MAY = {
	application:
		"A manager may read the application, its roles, and its grants, grant it to users other than themselves, and read and decide the requests of users for it, without any system role. The application must allow requests for that (`requestable`). Idempotent.",
	group:
		"A manager may read the group, its members, and its grants, and add users other than themselves, without any system role. Idempotent.",
} as const;

export function managersEndpoints(platform: Platform) {
	const application = managersOf(platform, "application", "Application");
	const group = managersOf(platform, "group", "Group");
	return {
		listOfApplication: application.list,
		putOfApplication: application.put,
		removeOfApplication: application.remove,
		listOfGroup: group.list,
		putOfGroup: group.put,
		removeOfGroup: group.remove,
	};
}

function managersOf(platform: Platform, kind: ManagedKind, noun: "Application" | "Group") {
	const { managers } = platform.db.stores;
	const article = kind === "application" ? "an" : "a";
	const id = `${kind}.not_found` as const;
	return {
		list: endpoint<Administrator>()({
			name: `list${noun}Managers`,
			summary: `List the managers of ${article} ${kind}`,
			ids: { id },
			response: page(managerSchema, "Managers, most recently added first."),
			async handle({ caller: { tenantId }, ids, page: pageQuery }) {
				await detailsOf(platform.db.stores, tenantId, { kind, id: ids.id });
				return mapPage(await managers.list(tenantId, { kind, id: ids.id }, pageQuery), toWireManager);
			},
		}),

		put: endpoint<InPerson>()({
			name: `put${noun}Manager`,
			summary: `Make a user a manager of ${article} ${kind}`,
			description: MAY[kind],
			ids: { id, user_id: "user.not_found" },
			response: empty(204, `The user manages the ${kind}.`),
			handle: ({ caller, ids }) => addManager(platform, { kind, id: ids.id }, ids.user_id, caller),
		}),

		remove: endpoint<InPerson>()({
			name: `remove${noun}Manager`,
			summary: `Remove a manager of ${article} ${kind}`,
			description: "Applies from the next request. Grants and decisions of the manager remain.",
			ids: { id, user_id: "manager.not_found" },
			response: empty(204, `The user no longer manages the ${kind}.`),
			handle: ({ caller, ids }) => removeManager(platform, { kind, id: ids.id }, ids.user_id, caller),
		}),
	};
}
