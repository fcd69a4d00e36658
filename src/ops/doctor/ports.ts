// Checks the listeners: each port is free, or a Latchkey service responds on it.

import http from "node:http";
import https from "node:https";
import { type ListeningPort, listeningPorts, startFailure, tryPort } from "../../app/ports.ts";
import { VERSION } from "../../app/version.ts";
import type { Config } from "../../config/config.ts";
import { loopbackOf } from "../../config/public-host.ts";
import { SETTINGS } from "../../config/settings.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { StartError, systemCode } from "../../kernel/start-error.ts";

const RESPONSE_TIMEOUT_MS = 3_000;
const RESPONSE_MAX_LENGTH = 10_000;

export async function examinePorts(config: Config): Promise<InstallationCheck[]> {
	const checks: InstallationCheck[] = [];
	for (const entry of listeningPorts(config)) checks.push(await examinePort(config, entry));
	return checks;
}

async function examinePort(config: Config, entry: ListeningPort): Promise<InstallationCheck> {
	const { port, setting } = entry;
	try {
		await tryPort(config.host, port);
		return check("port.free", { port });
	} catch (error) {
		const refusal = startFailure(config.host, [entry], error);
		if (!(refusal instanceof StartError)) throw error;
		const reason = refusal.message;
		if (systemCode(error) !== "EADDRINUSE") return check("port.unusable", { port, reason });
		if (setting === SETTINGS.metricsPort.name) return check("port.in_use", { port });
		const health = await findHealth(config, entry);
		return health === undefined ? check("port.occupied", { port, reason }) : examineHealth(port, health);
	}
}

interface Health {
	readonly status: string;
	readonly version: string;
}

function examineHealth(port: number, { status, version }: Health): InstallationCheck {
	if (status !== "ok") return check("port.unhealthy", { port, version, health: status });
	if (version !== VERSION) return check("port.other_version", { port, version, own: VERSION });
	return check("port.latchkey", { port, version });
}

/** Undefined when the listener is not Latchkey. */
async function findHealth(config: Config, { setting, port }: ListeningPort): Promise<Health | undefined> {
	const isSecure = setting === SETTINGS.httpsPort.name;
	const host = loopbackOf(config.host);
	try {
		const { data } = JSON.parse(await get(isSecure, { host, port }));
		if (typeof data?.status === "string" && typeof data.version === "string") return data;
	} catch {
		// No HTTP, no JSON or no response in time: another process.
	}
	return undefined;
}

function get(isSecure: boolean, address: { readonly host: string; readonly port: number }): Promise<string> {
	return new Promise((resolve, reject) => {
		// Another check verifies the certificate, and this request sends no secret.
		const options = { ...address, path: "/health", rejectUnauthorized: false };
		const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
		const request = (isSecure ? https : http).get({ ...options, signal, agent: false }, (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (chunk: string) => {
				text += chunk;
				if (text.length > RESPONSE_MAX_LENGTH) request.destroy(new Error("too long"));
			});
			response.on("end", () => resolve(text));
			response.on("error", reject);
		});
		request.on("error", reject);
	});
}
