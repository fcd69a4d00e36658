// The wire form of an admin key, without the key itself.

import type { AdminKey } from "../../../domain/admin-key.ts";
import { SYSTEM_ROLES } from "../../../domain/system-role.ts";
import { choice, list, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { toWireWorkloads, workloadSchema } from "../../access/oauth-clients/workload-wire.ts";

export const adminKeyFields = {
	id: plain({ format: "uuid" }),
	tenant_id: plain({ format: "uuid" }),
	name: plain(),
	roles: list(choice(SYSTEM_ROLES), { description: "What the key may do; never more than its creator may." }),
	ip_allowlist: list(plain(), {
		description: "Canonical IP addresses and CIDRs; empty means any IP address.",
	}),
	workloads: list(workloadSchema, {
		description: "Whose tokens are sent with its id instead of a secret; empty for a key that is a secret.",
	}),
	expires_at: time(),
	last_used_at: nullable(time("Time of the last accepted request. It lags by a few seconds.")),
	last_used_ip: plain('Empty (`""`) before the first request.'),
	created_by: nullable(
		plain({
			format: "uuid",
			description:
				"The user whose roles the key acts with; null if it was created on the machine of the service.",
		}),
	),
	created_at: time(),
};

export const adminKeySchema = object(adminKeyFields, { title: "AdminKey" });

const toWireFields = toWire(adminKeySchema);

export function toWireKey(key: AdminKey) {
	return { ...toWireFields({ ...key, workloads: toWireWorkloads(key.workloads) }) };
}
