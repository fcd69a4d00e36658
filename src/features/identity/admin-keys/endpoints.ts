// `/admin-keys`: keys with which clients administer the tenant. Only users can manage keys.

import { KEY_LIFE_MAX_DAYS, KEY_NAME_MAX } from "../../../domain/admin-key.ts";
import { ALLOWLIST_MAX, CIDR_TEXT_MAX } from "../../../domain/allowlist.ts";
import type { InPerson } from "../../../domain/session.ts";
import { SYSTEM_ROLES } from "../../../domain/system-role.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import {
	choice,
	list,
	nameText,
	object,
	optional,
	plain,
	text,
	timeInput,
} from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { DAY_MS, isoTime } from "../../../kernel/clock.ts";
import { mapPage } from "../../../kernel/page.ts";
import { givenWorkloads, toWorkloads } from "../../access/oauth-clients/workload-wire.ts";
import type { Platform } from "../../platform.ts";
import { adminKeyFields, adminKeySchema, toWireKey } from "./admin-key-wire.ts";
import { createAdminKey, deleteAdminKey } from "./manage-admin-key.ts";

const withKeySchema = object(
	{
		...adminKeyFields,
		key: plain(
			"`lk_…`, returned only in this response. Send it as `Authorization: Bearer lk_…`. With `workloads`, it is no secret: append the token of the platform to it.",
		),
	},
	{ title: "AdminKeyWithKey" },
);

/** The example expires half a year after the start of the service, so that it can be sent as it is. */
function createBodyAt(nowMs: number) {
	const expiryMs = Math.floor(nowMs / DAY_MS + KEY_LIFE_MAX_DAYS / 2) * DAY_MS;
	return object({
		name: nameText({ max: KEY_NAME_MAX, description: "The purpose of the key." }),
		roles: list(choice(SYSTEM_ROLES), {
			min: 1,
			unique: true,
			description:
				"Roles that you hold, or that your roles include: an admin can also grant `auditor` and `reviewer`.",
		}),
		ip_allowlist: optional(
			list(text({ max: CIDR_TEXT_MAX }), {
				max: ALLOWLIST_MAX,
				description:
					"IP addresses and CIDRs from which the key may be used; empty means any. Host bits must be zero. `::ffff:a.b.c.d` is `a.b.c.d`.",
				examples: [["203.0.113.7", "2001:db8::/32"]],
			}),
		),
		workloads: optional({
			...givenWorkloads,
			minItems: 1,
			description:
				"Instead of a secret: the workloads, such as the jobs of a repository, whose platform's token is sent after `lk_<id>.`, with the id of the key. Such a key cannot have the role `platform_admin`.",
		}),
		expires_at: timeInput({
			description: `In the future, at most ${KEY_LIFE_MAX_DAYS} days away.`,
			examples: [isoTime(expiryMs)],
		}),
	});
}

export function adminKeysEndpoints(platform: Platform) {
	const { adminKeys } = platform.db.stores;
	const createBody = createBodyAt(platform.clock());
	const toFields = fromWire(createBody);
	return {
		list: endpoint<InPerson>()({
			name: "listAdminKeys",
			summary: "List admin keys",
			description: "Lists expired keys for another 30 days. Keys that ended in any other way are deleted.",
			response: page(adminKeySchema, "Admin keys of the tenant, newest first; never the keys themselves."),
			handle: async ({ caller, page }) => mapPage(await adminKeys.list(caller.tenantId, page), toWireKey),
		}),

		create: endpoint<InPerson>()({
			name: "createAdminKey",
			summary: "Create an admin key",
			description:
				"Only this response contains the key. The key ends when it expires or is deleted, and when its creator is disabled, is deleted, or loses a role that the key needs. A key that was created on the machine of the service has no creator.",
			body: createBody,
			response: data(201, withKeySchema, "The new admin key."),
			secret: true,
			async handle({ caller, body }) {
				const { key, keyPlain } = await createAdminKey(
					platform,
					{ ipAllowlist: [], ...toFields(body), workloads: toWorkloads(body.workloads) ?? [] },
					caller,
				);
				return { ...toWireKey(key), key: keyPlain };
			},
		}),

		remove: endpoint<InPerson>()({
			name: "deleteAdminKey",
			summary: "Delete an admin key",
			description: "Its requests are refused immediately. This cannot be undone.",
			ids: { id: "admin_key.not_found" },
			response: empty(204, "The admin key is deleted."),
			handle: ({ caller, ids: { id } }) => deleteAdminKey(platform, id, caller),
		}),
	};
}
