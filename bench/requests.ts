// The requests of each scenario as bytes, built before a round so that the generator only sends them.

import { createHmac, createPrivateKey, createSecretKey, hash, randomBytes, sign } from "node:crypto";

/** An API client in the form of the service's response. */
export interface Credentials {
	readonly tenant_id: string;
	readonly app_id: string;
	readonly api_key: string;
	readonly secret: string;
	/** PEM: the client signs with it instead of the Secret. */
	readonly private_key?: string;
}

export interface Gate {
	readonly application_id: string;
	readonly gate_key: string;
}

/** Describes the requests, as plain data for messages between processes. */
export type Plan =
	| { readonly kind: "me"; readonly tokens: readonly string[] }
	| { readonly kind: "signed"; readonly credentials: Credentials; readonly userId: string }
	/** One request in ten has a wrong signature. */
	| { readonly kind: "signed-refused"; readonly credentials: Credentials; readonly userId: string }
	| { readonly kind: "whoami"; readonly credentials: Credentials }
	/** Asks a gate like a proxy; requests take turns with the proofs. */
	| {
			readonly kind: "gate";
			readonly gate: Gate;
			readonly proofs: readonly Readonly<Record<string, string>>[];
	  }
	| { readonly kind: "gate-signed"; readonly gate: Gate; readonly credentials: Credentials }
	| { readonly kind: "access-request" }
	/** Changes descriptions in turn, each with the token of an administrator. */
	| { readonly kind: "change"; readonly targets: readonly Readonly<Record<"path" | "token", string>>[] }
	| { readonly kind: "read"; readonly path: string; readonly headers: Readonly<Record<string, string>> }
	| {
			readonly kind: "login";
			readonly people: readonly { readonly username: string; readonly password: string }[];
	  };

export const EXPECTED_STATUSES: Readonly<Record<Plan["kind"], readonly number[]>> = {
	me: [200],
	signed: [200],
	"signed-refused": [200, 401],
	whoami: [200],
	gate: [200],
	"gate-signed": [200],
	"access-request": [201],
	change: [200],
	read: [200],
	login: [200],
};

/** What callers request from the application. */
const BEHIND_GATE = "/orders/17?expand=lines";
const REFUSED_EVERY = 10;
/** Below the default limit of 100 a minute: the limit is active but refuses no request. */
const REQUESTS_AN_ADDRESS = 50;

/** Counts all requests of this process, so that each IP address, email address and nonce is unique. */
let made = 0;

export function makeRequests(plan: Plan, count: number): Buffer[] {
	const write = writerOf(plan);
	return Array.from({ length: count }, () => write(made++));
}

function writerOf(plan: Plan): (number: number) => Buffer {
	switch (plan.kind) {
		case "me":
			return (number) => {
				const token = plan.tokens[number % plan.tokens.length];
				return request("GET", "/api/v1/users/me", number, `Authorization: Bearer ${token}\r\n`);
			};
		case "signed":
			return signedWriter(plan.credentials, plan.userId);
		case "signed-refused": {
			const write = signedWriter(plan.credentials, plan.userId);
			const wrong = { ...plan.credentials, secret: "sk_of_somebody_else" };
			const refused = signedWriter(wrong, plan.userId);
			return (number) => (number % REFUSED_EVERY === 0 ? refused(number) : write(number));
		}
		case "whoami": {
			const sign = signer(plan.credentials, "GET", "/api/v1/external/whoami");
			return (number) => request("GET", "/api/v1/external/whoami", number, linesOf(sign()));
		}
		case "gate":
			return (number) => askGate(plan.gate, number, plan.proofs[number % plan.proofs.length] ?? {});
		case "gate-signed": {
			const sign = signer(plan.credentials, "GET", BEHIND_GATE);
			return (number) => askGate(plan.gate, number, sign());
		}
		case "access-request":
			return (number) => {
				const run = randomBytes(4).toString("hex");
				const body = JSON.stringify({
					applicant_name: "Ada Lovelace",
					email: `applicant-${run}-${number}@partner.example`,
					company: "Engines Ltd",
					project_name: `Engine ${number}`,
					purpose: "To look up our employees' access to the reporting application once a night.",
				});
				return request("POST", "/api/v1/access-requests", number, "", body);
			};
		case "change":
			return (number) => {
				const { path = "", token } = plan.targets[number % plan.targets.length] ?? {};
				const body = JSON.stringify({ description: `Change ${number}` });
				return request("PATCH", path, number, `Authorization: Bearer ${token}\r\n`, body);
			};
		case "read": {
			const lines = linesOf(plan.headers);
			return (number) => request("GET", plan.path, number, lines);
		}
		case "login":
			return (number) => {
				const person = plan.people[number % plan.people.length];
				return request("POST", "/api/v1/auth/login", number, "", JSON.stringify(person));
			};
	}
}

function signedWriter(client: Credentials, userId: string): (number: number) => Buffer {
	const sign = signedCalls(client, userId);
	return (number) => {
		const { target, headers, body } = sign();
		return request("POST", target, number, linesOf(headers), body);
	};
}

function askGate(
	{ application_id, gate_key }: Gate,
	number: number,
	proof: Readonly<Record<string, string>>,
): Buffer {
	const described = { "X-Gate-Key": gate_key, "X-Original-Method": "GET", "X-Original-URI": BEHIND_GATE };
	return request("GET", `/gate/${application_id}`, number, linesOf({ ...described, ...proof }));
}

function linesOf(headers: Readonly<Record<string, string>>): string {
	return Object.entries(headers)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join("");
}

interface SignedCall {
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** Check-access requests of one user. */
export function signedCalls(client: Credentials, userId: string): () => SignedCall {
	const target = "/api/v1/external/users/check-access";
	const body = JSON.stringify({ user_id: userId, permission: "orders:read" });
	const sign = signer(client, "POST", target, body);
	return () => ({ target, headers: sign(), body });
}

/** Signs the nine lines of the string to sign, each part exactly as it is sent. */
function signer(
	{ tenant_id: tenant, app_id: app, api_key: apiKey, secret, private_key }: Credentials,
	method: string,
	target: string,
	body = "",
): () => SignedCall["headers"] {
	const key = private_key === undefined ? createSecretKey(secret, "utf8") : createPrivateKey(private_key);
	const scheme = private_key === undefined ? "V1-HMAC-SHA256" : "V1-ED25519";
	const digest = hash("sha256", body, "hex");
	return () => {
		const timestamp = Math.floor(Date.now() / 1000);
		const nonce = randomBytes(16).toString("base64url");
		const text = [scheme, method, target, tenant, app, apiKey, timestamp, nonce, digest].join("\n");
		return {
			"X-Tenant-ID": tenant,
			"X-App-ID": app,
			"X-API-Key": apiKey,
			"X-Timestamp": String(timestamp),
			"X-Nonce": nonce,
			"X-Signature":
				key.type === "private"
					? sign(null, Buffer.from(text), key).toString("hex")
					: createHmac("sha256", key).update(text).digest("hex"),
		};
	};
}

/** A request as a load balancer forwards it: plain HTTP, with the client's IP address and scheme. */
function request(method: string, target: string, number: number, headers: string, body = ""): Buffer {
	const content =
		body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
	return Buffer.from(
		`${method} ${target} HTTP/1.1\r\nHost: auth.example.com\r\nUser-Agent: bench\r\nAccept: application/json\r\n` +
			`X-Forwarded-For: ${addressOf(number)}\r\nX-Forwarded-Proto: https\r\n${headers}${content}\r\n${body}`,
		"latin1",
	);
}

/** 10.0.0.0/8 has more addresses than a run uses. */
export function addressOf(number: number): string {
	const caller = Math.floor(number / REQUESTS_AN_ADDRESS);
	return `10.${(caller >> 16) & 255}.${(caller >> 8) & 255}.${caller & 255}`;
}
