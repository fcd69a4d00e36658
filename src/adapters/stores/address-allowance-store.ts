// Allowances of IP addresses in SQL: one conditional upsert counts a use and decides whether it is allowed.

import type { AddressAllowanceStore, Allowance } from "../../domain/address-allowance.ts";
import { CLOCKS_APART_MS } from "../../kernel/clock.ts";
import type { Queries } from "../sql/queries.ts";
import { addressAllowances } from "../sql/tables/sign-in-tables.ts";

/**
 * Each use moves `earned_at` ahead by one interval `{1}`, at most to the end of the window `{2}`. A time beyond `{3}` was
 * written before the clock was set back, or by a node whose clock is ahead: one use is allowed and fills the window, so that
 * two such nodes do not clear what each other counted.
 */
const take = addressAllowances.insertWith({
	onConflict: `(kind, ip) DO UPDATE SET earned_at =
			CASE WHEN address_allowances.earned_at > {3} THEN {2}
				WHEN address_allowances.earned_at >= {0} THEN address_allowances.earned_at + {1} ELSE {0} + {1} END
		WHERE address_allowances.earned_at + {1} <= {2} OR address_allowances.earned_at > {3}`,
});

const GIVE_BACK = "UPDATE address_allowances SET earned_at = earned_at - $3 WHERE kind = $1 AND ip = $2";

export function createAddressAllowanceStore(queries: Queries): AddressAllowanceStore {
	return {
		async take(allowance, ip, nowMs) {
			const { kind, count } = allowance;
			const intervalMs = intervalOf(allowance);
			const windowMs = intervalMs * count;
			const first = { kind, ip, earnedAtMs: nowMs + intervalMs };
			const limits = [nowMs, intervalMs, nowMs + windowMs, nowMs + windowMs + CLOCKS_APART_MS];
			if ((await take(queries, first, ...limits)) === 1) return undefined;
			const row = await addressAllowances.find(queries, { kind, ip });
			return (row?.earnedAtMs ?? nowMs) + intervalMs - windowMs;
		},
		async giveBack(allowance, ip, nowMs) {
			const { kind } = allowance;
			const intervalMs = intervalOf(allowance);
			// An unused one leaves no time that a clock set back would turn into uses.
			const unused = "kind = $1 AND ip = $2 AND earned_at <= $3";
			if (await addressAllowances.deleteOne(queries, unused, kind, ip, nowMs + intervalMs)) return;
			await queries.run(GIVE_BACK, kind, ip, intervalMs);
		},
		purge: (nowMs, limit) => addressAllowances.purge(queries, "earned_at <= $1", nowMs, limit),
	};
}

function intervalOf({ count, windowMs }: Allowance): number {
	return Math.ceil(windowMs / count);
}
