// Tables of gates.

import type { CallerKind } from "../../../domain/gate.ts";
import { areGateRules } from "../../../domain/gate-rule.ts";
import { commaList, flag, integer, json, key, nullable, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { keptWith } from "../table-policy.ts";

const KEY_KEPT = "authenticates a proxy, like the Secrets of API clients, which a restore keeps too";

export const gatesWithDigests = table(
	"gates",
	keptWith({ key_digest: KEY_KEPT, previous_key_digest: KEY_KEPT }),
	{
		applicationId: key(text()),
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
);
export const gates = gatesWithDigests.without("keyDigest", "previousKeyDigest");
