// `/api-clients/{id}/allowlist-report`: the IP addresses that an allowlist in report mode would refuse.

import { ALLOWLIST_MISSES_MAX, ALLOWLIST_MODES } from "../../../domain/allowlist.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { choice, integer, list, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { reportAllowlist } from "./report-allowlist.ts";

const addressSchema = object({
	ip: plain(),
	requests: integer(),
	first_seen_at: time(),
	last_seen_at: time(),
});
const reportSchema = object(
	{
		ip_allowlist_mode: choice(ALLOWLIST_MODES),
		ip_allowlist: list(plain()),
		addresses: list(addressSchema, {
			description:
				"IP addresses that the current allowlist would refuse, ordered by their number of requests.",
		}),
		proposed_cidrs: list(object({ cidr: plain(), addresses: integer(), requests: integer() }), {
			description:
				"Entries that would cover these addresses, at most 100, ordered by their number of requests.",
		}),
	},
	{ title: "AllowlistReport" },
);

const toWireAddress = toWire(addressSchema);
const toWireReport = toWire(reportSchema);

export function allowlistEndpoints(platform: Platform) {
	return {
		report: endpoint<Administrator>()({
			name: "getAllowlistReport",
			summary: "List the IP addresses that an allowlist would refuse",
			description: `Counts requests from IP addresses that are not on the list and that were accepted because \`ip_allowlist_mode\` was \`report\`. The first ${ALLOWLIST_MISSES_MAX} addresses of a client are kept, and counts lag by some seconds. Setting the mode to \`report\` resets the report. The service proposes single addresses, the smallest range for three or more addresses in one IPv4 /24, and the /64 for two or more IPv6 addresses in it. Review the entries before you add them: anyone with the Secret may have sent these requests.`,
			ids: { id: "api_client.not_found" },
			response: data(200, reportSchema, "The counted IP addresses and the proposed entries."),
			async handle({ caller, ids: { id } }) {
				const { client, misses, proposals } = await reportAllowlist(platform, caller.tenantId, id);
				return toWireReport({ ...client, addresses: misses.map(toWireAddress), proposedCidrs: proposals });
			},
		}),
	};
}
