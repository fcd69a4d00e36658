// The six headers of a signed request, for the API reference.

import { NONCE, SIGNATURE } from "../../../crypto/request-signature.ts";
import { API_KEY } from "../../../domain/api-client.ts";
import type { HeaderParameter } from "../../../http/guard.ts";
import { plain, type Schema } from "../../../http/schema.ts";

const required = (schema: Schema<string>): HeaderParameter => ({ isRequired: true, schema });
const matching = (pattern: RegExp, description: string, example: string): HeaderParameter =>
	required(plain({ pattern: pattern.source, description, examples: [example] }));

export const SIGNATURE_HEADERS: Readonly<Record<string, HeaderParameter>> = {
	"X-Tenant-ID": required(plain({ format: "uuid", description: "The client's `tenant_id`." })),
	"X-App-ID": required(plain({ format: "uuid", description: "The client's `app_id`." })),
	"X-API-Key": matching(API_KEY, "The client's `api_key`.", "ak_7d1fZ0x9Qm4vK2sT8bYc3LwN"),
	"X-Timestamp": matching(
		/^[0-9]{10}$/,
		"Unix time in seconds, at most 300 from the service's.",
		"1795161600",
	),
	"X-Nonce": matching(NONCE, "Used once for each attempt.", "0199f3a0-5c11-7d7e-9d2b-1f0c6f6f7a10"),
	"X-Signature": matching(
		SIGNATURE,
		"Hex HMAC-SHA256 of the string to sign; the key is the Secret as shown.",
		"7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069",
	),
};
