// The configuration as the service uses it: typed, validated, frozen.

import type { Cidr } from "../kernel/ip.ts";
import type { Mailbox } from "./parse-address.ts";
import type { DatabaseStandby, LogLevel } from "./settings.ts";

/** All paths are absolute; a port is null when its listener is off. Contains secrets: never log it as a whole. */
export interface Config {
	readonly source: {
		/** The file named by `LATCHKEY_CONFIG`. */
		readonly file: string | null;
		/** Names of the settings set in the environment. */
		readonly environment: readonly string[];
		/** Whether the data directory or the database is configured. */
		readonly isLocationSet: boolean;
		/** Whether the public URL is configured. */
		readonly isPublicUrlSet: boolean;
	};
	readonly host: string;
	readonly port: number | null;
	/** At least one of `port` and `httpsPort` is on; all ports differ. */
	readonly httpsPort: number | null;
	/** null: certificates do not come from an ACME server. */
	readonly acme: AcmeSettings | null;
	/** null: the self-signed pair in the data directory, or `acme`. */
	readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
	/** An origin without a trailing slash, e.g. `https://localhost:8443`. */
	readonly publicUrl: string;
	/** The domain of passkeys (the relying party id), and the origins on it that may use them, `publicUrl` first. */
	readonly passkeys: { readonly rpId: string; readonly origins: readonly string[] };
	readonly dataDir: string;
	/** null: the embedded database. Otherwise a `postgres://` URL; then one of the two forms of `masterKey` is set. */
	readonly databaseUrl: string | null;
	/** Whether a failover of that database loses nothing. */
	readonly databaseStandby: DatabaseStandby;
	/** null: rate limits are counted in the process. Otherwise the URL of a server, of Sentinels, or of a cluster. */
	readonly redisUrl: string | null;
	/** At most one of the two; with neither, `master.key` in the data directory. `inline` is comma-separated base64. */
	readonly masterKey: { readonly inline?: string; readonly file?: string };
	/** null: mails are written to files in the data directory. */
	readonly smtpUrl: string | null;
	readonly mailFrom: Mailbox;
	/** The brand of the installation; `""` for none. */
	readonly brand: {
		readonly productName: string;
		readonly logoUrl: string;
		readonly accentColor: string;
		readonly supportEmail: string;
	};
	/** A directory of texts that override the built-in ones; null: none. */
	readonly mailTexts: string | null;
	readonly trustedProxies: readonly Cidr[];
	/** Networks that may use the API over plain HTTP, in addition to this machine. */
	readonly plainHttpNetworks: readonly Cidr[];
	/** Networks allowed in addition to the public Internet. */
	readonly webhookAllowedNetworks: readonly Cidr[];
	/** Networks where identity providers may be, in addition to the public Internet. */
	readonly providerAllowedNetworks: readonly Cidr[];
	readonly drainSeconds: number;
	/** Requests per 60 s; 0 = off. */
	readonly rateLimitPerMinute: number;
	/** Requests of one OAuth client at the token, introspection, and revocation endpoints per 60 s; 0 = off. */
	readonly clientLimitPerMinute: number;
	/** Requests to one gate per 60 s; 0 = off. */
	readonly gateLimitPerMinute: number;
	/** Whether a node keeps a sample of the requests that a gate let pass. */
	readonly gateSample: "on" | "off";
	/** Open connections, in total and per IP address; 0 = no limit. */
	readonly maxConnections: number;
	readonly maxConnectionsPerAddress: number;
	/** Requests per client IP address and hour that send mail; 0 = off. */
	readonly mailsPerHour: number;
	readonly bcryptCost: number;
	/** Whether queued password verifications share a thread. */
	readonly hashLanes: "on" | "off";
	/** Path; null: only the bundled list of common passwords is checked. */
	readonly breachedPasswords: string | null;
	/** For the first start; without `passwordPlain`, a random password is generated. */
	readonly admin: { readonly username: string; readonly email: string; readonly passwordPlain?: string };
	readonly logLevel: LogLevel;
	readonly metricsPort: number | null;
	/** null: neither traces nor metrics are sent. */
	readonly otlp: {
		/** Without a trailing slash. */
		readonly endpoint: string;
		readonly headers: Readonly<Record<string, string>>;
		readonly tracePercent: number;
	} | null;
}

/** A certificate for the host of the public URL (RFC 8555). */
export interface AcmeSettings {
	readonly domain: string;
	/** The URL of the directory. */
	readonly directory: string;
	readonly email: string;
	/** Over HTTP where that listener is open. */
	readonly challengeType: "http-01" | "tls-alpn-01";
}
