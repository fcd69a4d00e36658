// Builds the configuration from the environment and, if one is named, a file.

import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { type Environment, GivenValues } from "./given-values.ts";
import { SETTINGS } from "./settings.ts";

/**
 * The frozen configuration. Reads only `env` and the file named by `LATCHKEY_CONFIG`, and writes nothing, so it can run
 * first.
 *
 * @throws ConfigError one line, for the first setting that is unknown, invalid, or in conflict with another.
 */
export function loadConfig(env: Environment): Config {
	const given = new GivenValues(env);
	const config: Config = {
		source: {
			file: given.readOptional(SETTINGS.configFile),
			environment: given.inEnvironment(),
			namesPlace: given.has(SETTINGS.dataDir) || given.has(SETTINGS.databaseUrl),
		},
		host: given.read(SETTINGS.host),
		...readPorts(given),
		tls: readTls(given),
		publicUrl: given.read(SETTINGS.publicUrl),
		passkeys: readPasskeys(given),
		dataDir: given.read(SETTINGS.dataDir),
		databaseUrl: given.readOptional(SETTINGS.databaseUrl),
		redisUrl: given.readOptional(SETTINGS.redisUrl),
		masterKey: readMasterKey(given),
		smtpUrl: given.readOptional(SETTINGS.smtpUrl),
		mailFrom: given.read(SETTINGS.mailFrom),
		trustedProxies: given.readOptional(SETTINGS.trustedProxies) ?? [],
		plainHttpNetworks: given.readOptional(SETTINGS.plainHttpNetworks) ?? [],
		webhookAllowedNetworks: given.readOptional(SETTINGS.webhookAllowedNetworks) ?? [],
		providerAllowedNetworks: given.readOptional(SETTINGS.providerAllowedNetworks) ?? [],
		drainSeconds: given.read(SETTINGS.drainSeconds),
		rateLimitPerMinute: given.read(SETTINGS.rateLimitPerMinute),
		relayLimitPerMinute: given.read(SETTINGS.relayLimitPerMinute),
		maxConnections: given.read(SETTINGS.maxConnections),
		maxConnectionsPerAddress: given.read(SETTINGS.maxConnectionsPerAddress),
		mailsPerHour: given.read(SETTINGS.mailsPerHour),
		bcryptCost: given.read(SETTINGS.bcryptCost),
		breachedPasswords: given.readOptional(SETTINGS.breachedPasswords),
		admin: readAdmin(given),
		logLevel: given.read(SETTINGS.logLevel),
	};
	return freezeAll(config);
}

function readPasskeys(given: GivenValues): Config["passkeys"] {
	const publicUrl = given.read(SETTINGS.publicUrl);
	const host = new URL(publicUrl).hostname;
	const rpId = given.readOptional(SETTINGS.passkeyDomain) ?? host;
	const isOn = (name: string): boolean => name === rpId || name.endsWith(`.${rpId}`);
	if (!isOn(host))
		throw new ConfigError(
			SETTINGS.passkeyDomain.name,
			`is ${rpId}; it must be ${host}, the host of ${SETTINGS.publicUrl.name}, or a domain above it`,
		);
	const others = given.readOptional(SETTINGS.passkeyOrigins) ?? [];
	const stray = others.find((origin) => !isOn(new URL(origin).hostname));
	if (stray !== undefined)
		throw new ConfigError(
			SETTINGS.passkeyOrigins.name,
			`holds ${stray}, which is not on ${rpId} or below it`,
		);
	return { rpId, origins: [publicUrl, ...others] };
}

function readPorts(given: GivenValues): Pick<Config, "port" | "httpsPort" | "metricsPort"> {
	const port = given.read(SETTINGS.port);
	const httpsPort = given.read(SETTINGS.httpsPort);
	const metricsPort = given.read(SETTINGS.metricsPort);
	if (port === null && httpsPort === null) {
		throw new ConfigError(
			SETTINGS.port.name,
			`and ${SETTINGS.httpsPort.name} are both 0 (off); one listener is needed`,
		);
	}
	refuseSamePort(SETTINGS.port.name, port, SETTINGS.httpsPort.name, httpsPort);
	refuseSamePort(SETTINGS.port.name, port, SETTINGS.metricsPort.name, metricsPort);
	refuseSamePort(SETTINGS.httpsPort.name, httpsPort, SETTINGS.metricsPort.name, metricsPort);
	return { port, httpsPort, metricsPort };
}

function refuseSamePort(
	name: string,
	port: number | null,
	otherName: string,
	otherPort: number | null,
): void {
	if (port === null || port !== otherPort) return;
	throw new ConfigError(name, `and ${otherName} are both ${port}; each listener needs a port of its own`);
}

function readTls(given: GivenValues): Config["tls"] {
	const certFile = given.readOptional(SETTINGS.tlsCertificate);
	const keyFile = given.readOptional(SETTINGS.tlsKey);
	if (certFile !== null && keyFile !== null) return { certFile, keyFile };
	if (certFile === null && keyFile === null) return null;
	const [set, missing] =
		certFile === null
			? [SETTINGS.tlsKey, SETTINGS.tlsCertificate]
			: [SETTINGS.tlsCertificate, SETTINGS.tlsKey];
	throw new ConfigError(set.name, `is set without ${missing.name}; set both, or neither`);
}

function readMasterKey(given: GivenValues): Config["masterKey"] {
	const inline = given.readOptional(SETTINGS.masterKey);
	const file = given.readOptional(SETTINGS.masterKeyFile);
	if (inline !== null && file !== null) {
		throw new ConfigError(
			SETTINGS.masterKey.name,
			`and ${SETTINGS.masterKeyFile.name} are both set; set one of them`,
		);
	}
	// Nodes share the database: a key that one node generated for itself would open nothing on the others.
	if (inline === null && file === null && given.readOptional(SETTINGS.databaseUrl) !== null) {
		throw new ConfigError(
			SETTINGS.databaseUrl.name,
			`is set without ${SETTINGS.masterKey.name} or ${SETTINGS.masterKeyFile.name}; all nodes need the same key: openssl rand -base64 32`,
		);
	}
	return { ...(inline !== null && { inline }), ...(file !== null && { file }) };
}

function readAdmin(given: GivenValues): Config["admin"] {
	const passwordPlain = given.readOptional(SETTINGS.adminPassword);
	return {
		username: given.read(SETTINGS.adminUsername),
		email: given.read(SETTINGS.adminEmail),
		...(passwordPlain !== null && { passwordPlain }),
	};
}

/** Freezes nested plain objects and arrays too. */
function freezeAll<T extends object>(value: T): T {
	for (const part of Object.values(value)) if (typeof part === "object" && part !== null) freezeAll(part);
	return Object.freeze(value);
}
