// Checks the listeners: each port is free, or a Latchkey service responds on it.

import http from "node:http";
import https from "node:https";
import { type ListeningPort, listeningPorts, startFailure, tryPort } from "../../app/ports.ts";
import { VERSION } from "../../app/version.ts";
import type { Config } from "../../config/config.ts";
import { SETTINGS } from "../../config/settings.ts";
import { StartError } from "../../kernel/start-error.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { isLocal, publicHost } from "./public-host.ts";

const ANSWER_TIMEOUT_MS = 3_000;
const ANSWER_MAX_LENGTH = 10_000;
const EVERY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export async function examinePorts(config: Config): Promise<Finding[]> {
	const findings: Finding[] = [];
	for (const entry of listeningPorts(config)) findings.push(await examinePort(config, entry));
	if (isLocal(publicHost(config)) && !isLocal(config.host))
		findings.push(
			warn(
				"public url",
				`${config.publicUrl} leads others nowhere: set LATCHKEY_PUBLIC_URL to what people type`,
			),
		);
	return findings;
}

async function examinePort(config: Config, entry: ListeningPort): Promise<Finding> {
	const about = `port ${entry.port}`;
	try {
		await tryPort(config.host, entry.port);
		return ok(about, "is free");
	} catch (error) {
		const refusal = startFailure(config.host, [entry], error);
		if (!(refusal instanceof StartError)) throw error;
		if (!(error instanceof Error) || !("code" in error) || error.code !== "EADDRINUSE")
			return fail(about, refusal.message);
		if (entry.setting === SETTINGS.metricsPort.name)
			return warn(about, "is in use, as it is while the service runs");
		return examineAnswer(about, refusal.message, await findHealth(config, entry));
	}
}

interface Health {
	readonly status: string;
	readonly version: string;
}

function examineAnswer(about: string, refusal: string, health: Health | undefined): Finding {
	if (health === undefined) return fail(about, `${refusal}: stop that, or choose another port`);
	const text = `latchkey ${health.version} answers`;
	if (health.status !== "ok") return fail(about, `${text}, but its health is "${health.status}"`);
	if (health.version !== VERSION) return warn(about, `${text}; this is ${VERSION}: restart it`);
	return ok(about, text);
}

/** Undefined when the listener is not Latchkey. */
async function findHealth(config: Config, { setting, port }: ListeningPort): Promise<Health | undefined> {
	const isSecure = setting === SETTINGS.httpsPort.name;
	const host = EVERY_ADDRESS[config.host] ?? config.host;
	try {
		const { data } = JSON.parse(await get({ isSecure, host, port }));
		if (typeof data?.status === "string" && typeof data.version === "string") return data;
	} catch {
		// No HTTP, no JSON or no response in time: another process.
	}
	return undefined;
}

function get(from: {
	readonly isSecure: boolean;
	readonly host: string;
	readonly port: number;
}): Promise<string> {
	return new Promise((resolve, reject) => {
		// Another check verifies the certificate, and this request sends no secret.
		const options = { host: from.host, port: from.port, path: "/health", rejectUnauthorized: false };
		const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
		const request = (from.isSecure ? https : http).get({ ...options, signal, agent: false }, (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (chunk: string) => {
				text += chunk;
				if (text.length > ANSWER_MAX_LENGTH) request.destroy(new Error("too long"));
			});
			response.on("end", () => resolve(text));
			response.on("error", reject);
		});
		request.on("error", reject);
	});
}
