// `/api-clients/{id}/allowlist-report`: what an allowlist in report mode has seen.

import { data, endpoint } from "../../http/endpoint.ts";
import { choice, integer, list, object, plain, time } from "../../http/schema.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { SignedIn } from "../auth/model.ts";
import { ALLOWLIST_MISSES_MAX, ALLOWLIST_MODES } from "./model.ts";
import { type ReportAllowlistDeps, reportAllowlist } from "./report-allowlist.ts";

const reportSchema = object(
	{
		ip_allowlist_mode: choice(ALLOWLIST_MODES),
		ip_allowlist: list(plain()),
		addresses: list(
			object({
				ip: plain(),
				requests: integer(),
				first_seen_at: time(),
				last_seen_at: time(),
			}),
			{ description: "Those the allowlist would refuse as it is now, the busiest first." },
		),
		proposed_cidrs: list(object({ cidr: plain(), addresses: integer(), requests: integer() }), {
			description: "Entries that would cover them, at most 100, the busiest first.",
		}),
	},
	{ title: "AllowlistReport" },
);

export function allowlistEndpoints(deps: ReportAllowlistDeps) {
	return {
		report: endpoint<SignedIn>()({
			name: "getAllowlistReport",
			summary: "See which addresses an allowlist would refuse",
			description: `Requests accepted while \`ip_allowlist_mode\` was \`report\` from addresses that are not on the list, counted by address; the first ${ALLOWLIST_MISSES_MAX} addresses of a client are kept, and counts are some seconds late. Setting the mode to \`report\` begins anew. Proposed: an address by itself, the smallest range of three or more in one IPv4 /24, the /64 of two or more IPv6 addresses in it. Look at them before you add them: whoever holds the Secret made these requests.`,
			ids: { id: "api_client.not_found" },
			answer: data(200, reportSchema, "What was counted, and what could be added."),
			async handle({ caller, ids: { id } }) {
				const { client, misses, proposals } = await reportAllowlist(deps, caller.tenantId, id as string);
				return {
					ip_allowlist_mode: client.ipAllowlistMode,
					ip_allowlist: [...client.ipAllowlist],
					addresses: misses.map(({ ip, requests, firstSeenAtMs, lastSeenAtMs }) => ({
						ip,
						requests,
						first_seen_at: isoTime(firstSeenAtMs),
						last_seen_at: isoTime(lastSeenAtMs),
					})),
					proposed_cidrs: proposals.map((proposal) => ({ ...proposal })),
				};
			},
		}),
	};
}
