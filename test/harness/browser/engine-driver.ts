// Drives Firefox by Marionette, its own protocol, and WebKitGTK by its driver: both have the commands of W3C WebDriver.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../processes/program.ts";
import { findProgram, skippedWithout, startServerProcess } from "../processes/server-process.ts";

export const ENGINES = ["Firefox", "WebKit"] as const;
export type EngineName = (typeof ENGINES)[number];

/** `false`, or the reason to skip tests with the engine. With `CI` set, a missing program is a failure. */
export const ENGINE_SKIPPED: Readonly<Record<EngineName, false | string>> = {
	Firefox: skippedWithout("firefox-esr"),
	WebKit: skippedWithout("WebKitWebDriver", "Xvfb"),
};

/** The local port of an HTTP proxy for TLS, and for Firefox further preferences. */
export interface EngineOptions {
	readonly proxyPort: number;
	readonly preferences?: Readonly<Record<string, boolean | number | string>>;
}

/** A command of W3C WebDriver by the name that Marionette has for it, with its parameters. */
export interface EngineDriver extends AsyncDisposable {
	command(name: CommandName, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
	/** Adds a device that verifies its user and stores passkeys. Only in Firefox. */
	addAuthenticator(): Promise<void>;
}

export type CommandName = keyof typeof WEBDRIVER_PATHS;

/** Where the driver of WebKit has these commands; `{id}` is an element. */
const WEBDRIVER_PATHS = {
	Navigate: "url",
	ExecuteScript: "execute/sync",
	ElementClick: "element/{id}/click",
	ElementSendKeys: "element/{id}/value",
	PerformActions: "actions",
	SetWindowRect: "window/rect",
} as const;

export function startEngine(name: EngineName, options: EngineOptions): Promise<EngineDriver> {
	return name === "Firefox" ? startFirefox(options) : startWebKit(options);
}

const FIREFOX_PREFERENCES = {
	"network.proxy.type": 1,
	"network.proxy.ssl": "127.0.0.1",
	"ui.prefersReducedMotion": 1,
	"intl.accept_languages": "en",
	// No calls of its own.
	"app.normandy.enabled": false,
	"services.settings.server": "data:,",
	"network.captive-portal-service.enabled": false,
	"network.connectivity-service.enabled": false,
	"browser.shell.checkDefaultBrowser": false,
	// Passkeys of the virtual authenticator, also with a certificate that no authority has signed.
	"security.webauthn.allow_with_certificate_override": true,
	"security.webauth.webauthn_enable_softtoken": true,
	"security.webauth.webauthn_enable_usbtoken": false,
};

async function startFirefox({ proxyPort, preferences = {} }: EngineOptions): Promise<EngineDriver> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-firefox-"));
	const [port = 0] = await freePorts(1);
	const all = {
		...FIREFOX_PREFERENCES,
		"network.proxy.ssl_port": proxyPort,
		"marionette.port": port,
		...preferences,
	};
	const lines = Object.entries(all).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
	writeFileSync(join(folder, "user.js"), lines.join("\n"));
	const args = ["--headless", "--no-remote", "--marionette", "--profile", folder, "about:blank"];
	const env = { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: "1" };
	const browser = await startServerProcess("firefox-esr", args, { port, env });
	const marionette = await connectMarionette(port);
	await marionette.send("WebDriver:NewSession", { acceptInsecureCerts: true });
	return {
		async command(name, parameters = {}) {
			const result = await marionette.send(`WebDriver:${name}`, parameters);
			return (result as { readonly value?: unknown } | null)?.value;
		},
		async addAuthenticator() {
			await marionette.send("WebAuthn:AddVirtualAuthenticator", {
				protocol: "ctap2",
				transport: "internal",
				hasResidentKey: true,
				hasUserVerification: true,
				isUserConsenting: true,
				isUserVerified: true,
			});
		},
		async [Symbol.asyncDispose]() {
			marionette.close();
			browser.signal("SIGKILL");
			await browser.exited;
			rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** One request at a time, in frames `LENGTH:JSON`. */
async function connectMarionette(port: number) {
	const socket = connect(port, "127.0.0.1");
	await once(socket, "connect");
	let received = Buffer.alloc(0);
	let waiting = Promise.withResolvers<unknown>();
	socket.on("data", (chunk: Buffer) => {
		received = Buffer.concat([received, chunk]);
		const colon = received.indexOf(":");
		const end = colon + 1 + Number(received.subarray(0, colon).toString());
		if (colon === -1 || received.length < end) return;
		const message = JSON.parse(received.subarray(colon + 1, end).toString());
		received = received.subarray(end);
		waiting.resolve(message);
	});
	socket.on("close", () => waiting.reject(new Error("Firefox closed the connection")));
	// Its greeting.
	await waiting.promise;
	let id = 0;
	return {
		async send(name: string, parameters: object): Promise<unknown> {
			waiting = Promise.withResolvers();
			const text = JSON.stringify([0, ++id, name, parameters]);
			socket.write(`${Buffer.byteLength(text)}:${text}`);
			const [, , error, result] = (await waiting.promise) as [number, number, object | null, unknown];
			if (error !== null) throw new Error(`${name}: ${JSON.stringify(error).slice(0, 500)}`);
			return result;
		},
		close() {
			waiting.promise.catch(() => undefined);
			socket.destroy();
		},
	};
}

async function startWebKit({ proxyPort }: EngineOptions): Promise<EngineDriver> {
	const display = await startDisplay();
	const [port = 0] = await freePorts(1);
	const env = {
		...process.env,
		DISPLAY: display.name,
		LANG: "en_US.UTF-8",
		// Its own setting takes the proxy for one that speaks TLS.
		https_proxy: `http://127.0.0.1:${proxyPort}`,
	};
	const driver = await startServerProcess("WebKitWebDriver", [`--port=${port}`], { port, env });
	const send = async (method: string, path: string, body?: object): Promise<unknown> => {
		const response = await fetch(`http://127.0.0.1:${port}/session${path}`, {
			method,
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const { value } = (await response.json()) as { readonly value: unknown };
		if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value).slice(0, 500)}`);
		return value;
	};
	const opened = await send("POST", "", { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
	const { sessionId } = opened as { readonly sessionId: string };
	return {
		command(name, { id, ...parameters } = {}) {
			const path = WEBDRIVER_PATHS[name].replace("{id}", String(id));
			return send("POST", `/${sessionId}/${path}`, parameters);
		},
		addAuthenticator: () => Promise.reject(new Error("WebKitGTK has no passkeys")),
		async [Symbol.asyncDispose]() {
			await send("DELETE", `/${sessionId}`).catch(() => undefined);
			await driver.end();
			await display.end();
		},
	};
}

/** A virtual screen under a free number. */
async function startDisplay() {
	const program = findProgram("Xvfb") ?? "Xvfb";
	const args = ["-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"];
	const child = spawn(program, args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
	const exited = once(child, "exit");
	const output = child.stdio[3];
	if (output === null || output === undefined) throw new Error("Xvfb has no output");
	const [number] = (await once(output, "data")) as [Buffer];
	return {
		name: `:${number.toString().trim()}`,
		async end() {
			child.kill("SIGTERM");
			await exited;
		},
	};
}
