// Builds the configuration from the environment and an optional file.

import { addressOfHost } from "../kernel/address-rule.ts";
import { freezeAll } from "../kernel/per-shared.ts";
import type { Config } from "./config.ts";
import { type Environment, readSettings, type SettingValues } from "./read-settings.ts";
import { ConfigError, type Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/**
 * The frozen configuration. Reads only `env` and the file in `LATCHKEY_CONFIG`, writes nothing, and so can run first.
 *
 * @throws ConfigError one line, for the first setting that is unknown, invalid, or in conflict with another.
 */
export function loadConfig(env: Environment): Config {
	const { values, environment, isSet } = readSettings(env);
	const {
		configFile,
		tls,
		tlsCertificate,
		tlsKey,
		acmeDirectory,
		acmeEmail,
		passkeyDomain,
		passkeyOrigins,
		masterKeyFile,
		brandName,
		brandLogoUrl,
		brandColor,
		supportEmail,
		otlpEndpoint,
		otlpHeaders,
		otlpTracePercent: tracePercent,
		...others
	} = values;
	const { adminUsername: username, adminEmail: email, adminPassword: passwordPlain, ...plain } = others;
	checkPorts(values);
	return freezeAll({
		...plain,
		source: {
			file: configFile,
			environment,
			isLocationSet: isSet(SETTINGS.dataDir) || isSet(SETTINGS.databaseUrl),
			isPublicUrlSet: isSet(SETTINGS.publicUrl),
		},
		acme: acmeOf(values, isSet),
		tls: tlsFiles(tlsCertificate, tlsKey),
		passkeys: passkeysOf(values.publicUrl, passkeyDomain, passkeyOrigins ?? []),
		masterKey: masterKeyOf(values),
		brand: {
			productName: brandName,
			logoUrl: brandLogoUrl ?? "",
			accentColor: brandColor,
			supportEmail: supportEmail ?? "",
		},
		otlp: otlpOf(otlpEndpoint, otlpHeaders, tracePercent),
		trustedProxies: values.trustedProxies ?? [],
		plainHttpNetworks: values.plainHttpNetworks ?? [],
		webhookAllowedNetworks: values.webhookAllowedNetworks ?? [],
		providerAllowedNetworks: values.providerAllowedNetworks ?? [],
		admin: { username, email, ...(passwordPlain !== null && { passwordPlain }) },
	});
}

function passkeysOf(
	publicUrl: string,
	domain: string | null,
	otherOrigins: readonly string[],
): Config["passkeys"] {
	const host = new URL(publicUrl).hostname;
	const rpId = domain ?? host;
	const isOn = (name: string): boolean => name === rpId || name.endsWith(`.${rpId}`);
	if (!isOn(host))
		throw new ConfigError(
			SETTINGS.passkeyDomain.name,
			`is ${rpId}; it must be ${host}, the host of ${SETTINGS.publicUrl.name}, or a domain above it`,
		);
	const stray = otherOrigins.find((origin) => !isOn(new URL(origin).hostname));
	if (stray !== undefined)
		throw new ConfigError(
			SETTINGS.passkeyOrigins.name,
			`contains ${stray}, which is not on ${rpId} or below it`,
		);
	return { rpId, origins: [publicUrl, ...otherOrigins] };
}

const LISTENER_PAIRS = [
	["port", "httpsPort"],
	["port", "metricsPort"],
	["httpsPort", "metricsPort"],
] as const;

function checkPorts(values: SettingValues): void {
	if (values.port === null && values.httpsPort === null)
		throw new ConfigError(
			SETTINGS.port.name,
			`and ${SETTINGS.httpsPort.name} are both 0 (off); one listener is needed`,
		);
	for (const [one, other] of LISTENER_PAIRS)
		if (values[one] !== null && values[one] === values[other])
			throw new ConfigError(
				SETTINGS[one].name,
				`and ${SETTINGS[other].name} are both ${values[one]}; each listener needs a port of its own`,
			);
}

function tlsFiles(certFile: string | null, keyFile: string | null): Config["tls"] {
	if (certFile !== null && keyFile !== null) return { certFile, keyFile };
	if (certFile === null && keyFile === null) return null;
	const { tlsCertificate, tlsKey } = SETTINGS;
	const [set, missing] = certFile === null ? [tlsKey, tlsCertificate] : [tlsCertificate, tlsKey];
	throw new ConfigError(set.name, `is set without ${missing.name}; set both, or neither`);
}

function acmeOf(values: SettingValues, isSet: (setting: Setting<unknown>) => boolean): Config["acme"] {
	const { tls, acmeDirectory, acmeEmail, tlsCertificate, publicUrl, httpsPort } = SETTINGS;
	if (values.tls === "files") {
		const stray = [acmeDirectory, acmeEmail].find(isSet);
		if (stray !== undefined) throw new ConfigError(stray.name, `is set without ${tls.name}=acme`);
		return null;
	}
	const { hostname, protocol } = new URL(values.publicUrl);
	const refuse = (reason: string): never => {
		throw new ConfigError(tls.name, `is acme; ${reason}`);
	};
	if (isSet(tlsCertificate)) refuse(`unset ${tlsCertificate.name}`);
	if (values.httpsPort === null) refuse(`turn HTTPS on with ${httpsPort.name}`);
	if (protocol !== "https:" || addressOfHost(hostname) !== undefined || !hostname.includes("."))
		refuse(`${publicUrl.name} must be https and a domain name, and is ${values.publicUrl}`);
	return {
		domain: hostname,
		directory: values.acmeDirectory,
		email: values.acmeEmail ?? refuse(`set ${acmeEmail.name}`),
		challengeType: values.port === null ? "tls-alpn-01" : "http-01",
	};
}

function masterKeyOf({
	masterKey: inline,
	masterKeyFile: file,
	databaseUrl,
}: SettingValues): Config["masterKey"] {
	const names = { inline: SETTINGS.masterKey.name, file: SETTINGS.masterKeyFile.name };
	if (inline !== null && file !== null)
		throw new ConfigError(names.inline, `and ${names.file} are both set; set one of them`);
	// Nodes share the database: a key that one node generated for itself would decrypt nothing on the others.
	if (inline === null && file === null && databaseUrl !== null)
		throw new ConfigError(
			SETTINGS.databaseUrl.name,
			`is set without ${names.inline} or ${names.file}; all nodes need the same key: openssl rand -base64 32`,
		);
	return { ...(inline !== null && { inline }), ...(file !== null && { file }) };
}

function otlpOf(
	endpoint: string | null,
	headers: Readonly<Record<string, string>> | null,
	tracePercent: number,
): Config["otlp"] {
	if (endpoint !== null) return { endpoint, headers: headers ?? {}, tracePercent };
	if (headers !== null)
		throw new ConfigError(SETTINGS.otlpHeaders.name, `is set without ${SETTINGS.otlpEndpoint.name}`);
	return null;
}
