// The known answers that every package is tested with.

import vectorFile from "../../docs/signing-vectors.json" with { type: "json" };

export const VECTORS = vectorFile.vectors;
export const PERMITS = vectorFile.permits;

const { tenant_id, app_id, api_key, secret } = vectorFile.client;
export const KNOWN_CLIENT = {
	url: "https://auth.example.com",
	tenantId: tenant_id,
	appId: app_id,
	apiKey: api_key,
	secret,
};
