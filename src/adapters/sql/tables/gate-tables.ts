// Tables of gates.

import type { CallerKind } from "../../../domain/gate.ts";
import { areGateRules } from "../../../domain/gate-rule.ts";
import { commaList, flag, integer, json, nullable, text, timestamps } from "../column.ts";
import { table } from "../table.ts";

const KEY_KEPT = "authenticates a proxy, like the Secrets of API clients, which a restore keeps too";

export const gatesWithDigests = table(
	"gates",
	{
		applicationId: text(),
		tenantId: text(),
		rules: json(areGateRules),
		accept: commaList<CallerKind>(),
		browserOrigin: nullable(text()),
		statement: flag(),
		ownTokens: flag(),
		corsOrigins: commaList(),
		keyDigest: text(),
		keyHint: text(),
		previousKeyDigest: nullable(text()),
		previousKeyExpiresAtMs: nullable(integer()),
		...timestamps,
	},
	{
		key: ["application_id"],
		restore: { rows: "kept", harmless: { key_digest: KEY_KEPT, previous_key_digest: KEY_KEPT } },
	},
);
export const gates = gatesWithDigests.without("keyDigest", "previousKeyDigest");
