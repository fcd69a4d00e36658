// The known answers that every package is tested with.

import vectorFile from "../../docs/signing-vectors.json" with { type: "json" };

export const VECTORS = vectorFile.vectors;
export const KEYS = vectorFile.ed25519;
export const PERMITS = vectorFile.permits;

export interface AskedVector {
	readonly id: string;
	readonly comment: string;
	readonly method: string;
	readonly target: string;
	readonly scheme: string;
	readonly ip: string;
	readonly headers: readonly (readonly string[])[];
	readonly body_base64: string;
	/** The body of the request to the gate. */
	readonly sent: {
		readonly target: string;
		readonly headers: Readonly<Record<string, string>>;
		readonly body_sha256: string;
	};
}

/** Has either `caller` or `refusal`. */
export interface DecidedVector {
	readonly id: string;
	readonly comment: string;
	readonly response: {
		readonly status: number;
		readonly headers: Readonly<Record<string, string>>;
		readonly body: string;
	};
	readonly caller?: Readonly<Record<string, unknown>> & { readonly is_test: boolean };
	readonly refusal?: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
}

export const GATE = vectorFile.gate as unknown as {
	readonly asked: readonly AskedVector[];
	readonly decided: readonly DecidedVector[];
};

const { tenant_id, app_id, api_key, secret } = vectorFile.client;
export const KNOWN_CLIENT = {
	url: "https://auth.example.com",
	tenantId: tenant_id,
	appId: app_id,
	apiKey: api_key,
	secret,
};
