// The settings as the rest of the service sees them: typed, checked, frozen.

import type { Cidr } from "../kernel/ip.ts";
import type { Mailbox } from "./parse-address.ts";
import type { LogLevel } from "./settings.ts";

/** All paths are absolute; a port is null when its listener is off. Holds secrets: never log it whole. */
export interface Config {
	readonly host: string;
	readonly port: number | null;
	/** At least one of `port` and `httpsPort` is on; no two ports are the same. */
	readonly httpsPort: number | null;
	/** null: the self-signed pair in the data folder. */
	readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
	/** An origin without a slash at the end, e.g. `https://localhost:8443`. */
	readonly publicUrl: string;
	/** The domain of passkeys (the relying party's id), and the pages on it that may use them, `publicUrl` first. */
	readonly passkeys: { readonly rpId: string; readonly origins: readonly string[] };
	readonly dataDir: string;
	/** null: the embedded database. Otherwise a `postgres://` URL, and `masterKey` holds one of the two. */
	readonly databaseUrl: string | null;
	/** null: requests are counted in the process. Otherwise a `redis://` or `rediss://` URL. */
	readonly redisUrl: string | null;
	/** At most one of the two; neither: `master.key` in the data folder. `inline` is comma-separated base64. */
	readonly masterKey: { readonly inline?: string; readonly file?: string };
	/** null: mails become files in the data folder. */
	readonly smtpUrl: string | null;
	readonly mailFrom: Mailbox;
	readonly trustedProxies: readonly Cidr[];
	/** Beside the public Internet. */
	readonly webhookAllowedNetworks: readonly Cidr[];
	/** Where identity providers may be, beside the public Internet. */
	readonly providerAllowedNetworks: readonly Cidr[];
	readonly drainSeconds: number;
	/** Requests in any 60 s; 0 = off. */
	readonly rateLimitPerMinute: number;
	/** Requests of one client address in an hour that send mail; 0 = off. */
	readonly mailsPerHour: number;
	readonly bcryptCost: number;
	/** Path; null: only the bundled list of common passwords is asked. */
	readonly breachedPasswords: string | null;
	/** For the first start; without `passwordPlain` a random one is made. */
	readonly admin: { readonly username: string; readonly email: string; readonly passwordPlain?: string };
	readonly logLevel: LogLevel;
	readonly metricsPort: number | null;
}
