// The tour of the gate: a partner and a leaving employee call an API that knows nothing about signatures, sessions, or directories.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createGate } from "../../packages/client/src/gate.ts";
import { ordersApi } from "../../packages/demo/src/orders-api.ts";
import { leave } from "./leaver.ts";
import type { Setting } from "./perform.ts";
import type { Variable } from "./words.ts";

const API = "/api/v1";
const ORDER = '{"item":"pen"}';
const REPLAYS = 50;
const RULES = [
	{ path: "/status", needs: "public" },
	{ path: "/orders/*", needs: "orders:write" },
];

/** The environment of `latchkey sign`, with the API in place of the service. */
type Credentials = Readonly<
	Record<"LK_BASE_URL" | "LK_TENANT_ID" | "LK_APP_ID" | "LK_API_KEY" | "LK_SECRET", string>
>;

/** @throws Error naming the step that failed. */
export async function guard(setting: Setting): Promise<void> {
	const { stage, dataDir, env: settings } = setting;
	const { application, gateKey, token } = await putGate(setting);
	stage.step("An API of ten lines asks the gate about each request");
	const url = `http://127.0.0.1:${settings.LATCHKEY_PORT}`;
	const report = (): void => undefined;
	const gate = createGate({ url, applicationId: application.value, gateKey: gateKey.value, report });
	const api = ordersApi(gate, {
		cert: readFileSync(join(dataDir, "tls-cert.pem")),
		key: readFileSync(join(dataDir, "tls-key.pem")),
	});
	await once(api.listen(0, "127.0.0.1"), "listening");
	try {
		const origin = `https://localhost:${(api.address() as AddressInfo).port}`;
		stage.say(`packages/demo/src/orders-api.ts listens at ${origin}`);
		const partner = await addPartner(setting, application, token, origin);
		await call(setting, partner);
		await leave(setting, { application, token, origin });
		await replay(setting, partner);
	} finally {
		api.closeAllConnections();
		api.close();
	}
}

async function putGate({ stage, adminPassword }: Setting) {
	stage.step("An administrator puts a gate in front of an application");
	const password = { name: "PASSWORD", value: adminPassword };
	const signIn = { username: "admin", password: adminPassword };
	const shown = { json: signIn, hide: [password], show: ["access_token"] };
	const login = await stage.curl("POST", `${API}/auth/login`, shown, 200);
	const token = stage.set("TOKEN", login.data.access_token);
	const created = { token, json: { name: "Orders" }, show: ["id", "name"] };
	const { data } = await stage.curl("POST", `${API}/applications`, created, 201);
	const application = stage.set("APP", data.id);
	const path = `${API}/applications/${application.value}`;
	const role = { token, json: { name: "writer", permissions: ["orders:write"] }, hide: [application] };
	await stage.curl("POST", `${path}/roles`, { ...role, show: ["name", "permissions"] }, 201);
	const rules = { token, json: { rules: RULES }, hide: [application], show: ["gate_key", "key_hint"] };
	const gate = await stage.curl("PUT", `${path}/gate`, rules, 201);
	return { application, gateKey: stage.set("GATE_KEY", gate.data.gate_key), token };
}

async function addPartner(
	{ stage }: Setting,
	application: Variable,
	token: Variable,
	origin: string,
): Promise<Credentials> {
	stage.step("A partner gets an API client, and a role of the application");
	const json = { app_id: application.value, name: "Acme" };
	const created = { token, json, hide: [application], show: ["id", "name", "api_key"] };
	const { data } = await stage.curl("POST", `${API}/api-clients`, created, 201);
	const client = stage.set("CLIENT", data.id);
	const path = `${API}/applications/${application.value}/grants/api-clients/${client.value}`;
	const grant = { token, json: { roles: ["writer"] }, hide: [application, client], show: ["roles"] };
	await stage.curl("PUT", path, grant, 201);
	return {
		LK_BASE_URL: origin,
		LK_TENANT_ID: data.tenant_id,
		LK_APP_ID: application.value,
		LK_API_KEY: data.api_key,
		LK_SECRET: data.secret,
	};
}

async function call({ stage }: Setting, env: Credentials): Promise<void> {
	stage.step("The partner's signed call reaches the API");
	const { caller } = await stage.sign("/orders/7", { env, json: { item: "pen" } }, 200);
	if (caller !== "Acme") stage.fail(`the API names ${caller}`);
}

async function replay({ stage, crash }: Setting, env: Credentials): Promise<void> {
	stage.step("The same call again is a replay, and another body is not what was signed: both are refused");
	const headers = await stage.signedHeaders("/orders/7", env, ORDER);
	const send = (body: string) => sendOrder(`${env.LK_BASE_URL}/orders/7`, headers, body);
	const expect = async (what: string, body: string, status: number): Promise<void> => {
		const seen = await send(body);
		stage.say(`${what}: ${seen}`);
		if (seen !== status) stage.fail(`expected ${status}, got ${seen}`);
	};
	await expect("with a changed body", '{"item":"gun"}', 401);
	await expect("as signed", ORDER, 200);
	await expect("again", ORDER, 401);

	stage.step(`The service is killed with SIGKILL and started again: ${REPLAYS} replays are refused`);
	const accepted = { count: 0 };
	const replays = async (status: number): Promise<void> => {
		const seen = await Promise.all(Array.from({ length: REPLAYS }, () => send(ORDER)));
		accepted.count += seen.filter((one) => one < 400).length;
		const others = seen.filter((one) => one !== status);
		if (others.length > 0) stage.fail(`${others.length} calls returned ${others[0]} instead of ${status}`);
	};
	await crash(() => replays(503));
	stage.say(`while it is down: ${REPLAYS} times 503`);
	await replays(401);
	stage.say(`after the start: ${REPLAYS} replays, ${accepted.count} accepted`);
	await stage.sign("/orders/8", { env, json: { item: "pen" } }, 200);
}

/** Sends a signed order, whose headers are those of another body if it was changed. @returns the status */
function sendOrder(url: string, headers: readonly Variable[], body: string): Promise<number> {
	return new Promise((resolve, reject) => {
		const sent = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
		const options = { method: "POST", headers: sent, rejectUnauthorized: false, agent: false };
		const request = https.request(url, options, (response) => {
			response.resume().on("end", () => resolve(response.statusCode ?? 0));
		});
		request.on("error", reject);
		request.end(body);
	});
}
