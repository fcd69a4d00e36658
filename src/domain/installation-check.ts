// The checks of an installation: the closed list of codes, each with its status, its English text, and its parameters.

import { fillTemplate, type ParametersIn } from "../kernel/message-template.ts";

export const CHECK_STATUSES = ["ok", "warn", "fail"] as const;
type Status = (typeof CHECK_STATUSES)[number];

/** By code, `<subject>.<result>`. Codes are stable once released. `reason` is the English text of an error. */
export const CHECKS = {
	"settings.valid": ["ok", "valid"],
	"settings.invalid": ["fail", "{reason}"],
	"installation.missing": ["fail", "{file} does not exist yet; start the service once first"],
	"installation.unnamed": [
		"fail",
		"{file} does not exist yet; start the service once first, or name the installation with LATCHKEY_CONFIG, LATCHKEY_DATA_DIR or LATCHKEY_DATABASE_URL",
	],
	"installation.empty": ["fail", "the database is empty; start the service once first"],
	"installation.unusable": ["fail", "{reason}"],
	"node.supported": ["ok", "v{version}"],
	"node.unsupported": [
		"fail",
		"v{version} is too old; version {min} or later is required, and npm start brings its own",
	],
	"descriptors.enough": ["ok", "{limit} file descriptors, enough for {connections} connections"],
	"descriptors.few": [
		"warn",
		"{limit} file descriptors allow {connections} connections, not the configured {configured}: raise the limit (LimitNOFILE, ulimit -n)",
	],
	"disk.free": ["ok", "{megabytes} MB free at {path}"],
	"disk.low": ["warn", "{megabytes} MB free at {path}: free up space"],
	"disk.full": ["fail", "{megabytes} MB free at {path}: free up space, or writes will soon be refused"],
	"data_directory.missing": ["ok", "{path} will be created by the first start"],
	"data_directory.unused": ["ok", "{path} is not in use"],
	"data_directory.in_use": ["ok", "{path} is in use by a running latchkey"],
	"data_directory.unused_open": [
		"warn",
		"{path} is not in use, and is open to other users (mode {mode}): close it with chmod 700",
	],
	"data_directory.in_use_open": [
		"warn",
		"{path} is in use by a running latchkey, and is open to other users (mode {mode}): close it with chmod 700",
	],
	"data_directory.unusable": ["fail", "{reason}"],
	"master_key.configured": ["ok", "configured"],
	"master_key.generated": ["ok", "{file}; make sure that your backups include it"],
	"master_key.unusable": ["fail", "{reason}"],
	"database.reachable": ["ok", "the server responds"],
	"database.two_servers": [
		"fail",
		"two servers accept writes: {servers}; stop the one that was replaced, on the lower timeline, before a node uses it",
	],
	"database.outdated": [
		"fail",
		"the server {current} is on an earlier timeline than {accepted}, which was used last: stop it, and connect to its successor",
	],
	"database.other_server": [
		"fail",
		"the server {current} does not continue {accepted}, which was used last: compare the data, then run latchkey fence --accept-server",
	],
	"database.no_timeline": [
		"warn",
		"the server does not report its timeline, so a failover that loses writes cannot be noticed: run latchkey fence after one",
	],
	"database.commits_local": [
		"warn",
		"synchronous_commit is local: commits do not wait for a standby, which loses them if it is promoted",
	],
	"database.standby_unset": [
		"warn",
		"LATCHKEY_DATABASE_STANDBY is synchronous, but synchronous_standby_names of the server is empty: a promoted standby would accept calls twice",
	],
	"database.other_owner": [
		"warn",
		"the role {role} does not own {tables}, so changes will be refused when a month begins: run ALTER TABLE … OWNER TO {role} for each",
	],
	"database.checking": ["ok", "{file} has been checked since {since}: the result is not available yet"],
	"database.intact": ["ok", "{file} is intact, checked at {at}"],
	"database.damaged": ["fail", "{file} is damaged ({problems}), checked at {at}: restore a backup"],
	"database.unusable": ["fail", "{reason}"],
	"schema.current": ["ok", "version {version}"],
	"schema.older": [
		"warn",
		"version {version} is older than {supported}: the next start or latchkey migrate updates it",
	],
	"schema.newer": [
		"fail",
		"version {version} is newer than this version of latchkey supports ({supported}): use the newer version",
	],
	"secrets.none": ["ok", "none stored yet"],
	"secrets.readable": ["ok", "the master key decrypts them"],
	"secrets.other_key": [
		"warn",
		"some are encrypted with a master key other than the first: run latchkey rekey",
	],
	"secrets.unreadable": ["fail", "{reason}: provide the correct master key"],
	"secrets.unusable": ["fail", "{reason}"],
	"oauth_clients.pkce_off": [
		"warn",
		"{applications}: pkce is off, so only the state and the client secret protect a code; set it to required or optional if the program permits",
	],
	"clock.plausible": ["ok", "{now}"],
	"clock.early": ["fail", "{now} cannot be the current time: set the clock"],
	"clock.behind": ["fail", "{now} is earlier than the latest record, {latest}: set the clock"],
	"clock.differs": [
		"fail",
		"{now} differs from the clock of {server} by {seconds} s: synchronize both with NTP",
	],
	"certificate.missing": ["ok", "the first start will create a self-signed one"],
	"certificate.valid": ["ok", "{file}, valid to {until}"],
	"certificate.self_signed": [
		"warn",
		"{file}, valid to {until}, is self-signed: set LATCHKEY_TLS_CERT to one that clients trust",
	],
	"certificate.other_host": [
		"warn",
		"{file}, valid to {until}, does not name {host} (LATCHKEY_PUBLIC_URL): clients will refuse it",
	],
	"certificate.expiring": ["warn", "{file}, valid to {until}: replace it soon"],
	"certificate.not_served": [
		"warn",
		"port {port} serves another certificate than {file}, valid to {until}: send SIGHUP to the service, and read its log if that does not help",
	],
	"certificate.issued": ["ok", "for {domain}, from the ACME server, valid to {until}"],
	"certificate.pending": ["ok", "the service will order one for {domain} from {directory}"],
	"certificate.not_issued": [
		"warn",
		"{directory} did not issue one, and the service will ask again; the current one is valid to {until}: {reason}",
	],
	"certificate.expired": ["fail", "for {domain}, valid to {until}: start the service, and read its log"],
	"certificate.invalid": ["fail", "{reason}: replace it"],
	"certificate.unusable": ["fail", "{reason}"],
	"port.free": ["ok", "available"],
	"port.latchkey": ["ok", "latchkey {version} responds"],
	"port.in_use": ["warn", "is in use, which is normal while the service runs"],
	"port.other_version": ["warn", "latchkey {version} responds, but this is {own}: restart it"],
	"port.unhealthy": ["fail", 'latchkey {version} responds, but its health is "{health}"'],
	"port.occupied": ["fail", "{reason}: stop that program, or choose another port"],
	"port.unusable": ["fail", "{reason}"],
	"public_url.local": [
		"warn",
		"{url} works only on this machine: set LATCHKEY_PUBLIC_URL to the URL that users open",
	],
	"public_url.no_https": [
		"warn",
		"{url} is https, but LATCHKEY_HTTPS_PORT is 0 and LATCHKEY_TRUSTED_PROXIES is empty: set one of them",
	],
	"public_url.other_port": [
		"warn",
		"{url} leads to port {port}, and the service listens on {https_port}: forward the port, change LATCHKEY_HTTPS_PORT, or name the proxy in LATCHKEY_TRUSTED_PROXIES",
	],
	"public_url.plain": [
		"warn",
		"{url} sends passwords and tokens in clear text: set LATCHKEY_PUBLIC_URL to an https URL",
	],
	"redis.unset": ["ok", "not set: each process counts requests separately"],
	"redis.advised": [
		"warn",
		"not set: each process counts requests separately; set LATCHKEY_REDIS_URL for several nodes",
	],
	"redis.counting": ["ok", "{server} counts requests, in {milliseconds} ms"],
	"redis.unusable": ["fail", "{server} does not count requests ({reason}): check LATCHKEY_REDIS_URL"],
	"mail.undelivered": [
		"warn",
		"no mail server is set, emails are written to files in {path} and no one receives them: set LATCHKEY_SMTP_URL",
	],
	"mail.accepted": ["ok", "the mail server accepts the connection"],
	"mail.refused": [
		"fail",
		"the mail server does not accept the connection ({reason}): check LATCHKEY_SMTP_URL",
	],
	"mail.texts_invalid": ["fail", "{reason}"],
	"breached_passwords.usable": ["ok", "new passwords are looked up in {file}"],
	"breached_passwords.unusable": ["fail", "{reason}"],
} as const satisfies Readonly<Record<string, readonly [Status, string]>>;

/** The names of subjects that differ from the first part of their codes. */
const NAMES = {
	data_directory: "data directory",
	master_key: "master key",
	public_url: "public url",
	oauth_clients: "oauth clients",
	breached_passwords: "breached passwords",
	port: "port {port}",
} as const;

export type CheckCode = keyof typeof CHECKS;
type TextOf<Code extends CheckCode> = (typeof CHECKS)[Code][1];
type NameOf<Code> = Code extends `${infer Subject extends keyof typeof NAMES}.${string}`
	? (typeof NAMES)[Subject]
	: "";
type Value = string | number;

/** The codes that report only an error. */
export type ErrorCheckCode = Exclude<
	{ [Code in CheckCode]: TextOf<Code> extends "{reason}" ? Code : never }[CheckCode],
	`port.${string}`
>;

export interface InstallationCheck {
	/** The subject, one or two words. */
	readonly name: string;
	/** `warn`: works, but needs attention. `fail`: the service cannot run. */
	readonly status: Status;
	readonly code: CheckCode;
	readonly params: Readonly<Record<string, Value>>;
	/** One line in English: the result and, unless the status is `ok`, what to do. */
	readonly detail: string;
}

/** `check("schema.current", { version: 7 })`. */
export function check<const Code extends CheckCode>(
	code: Code,
	...parameters: ParametersIn<`${NameOf<Code>}${TextOf<Code>}`, Value>
): InstallationCheck {
	const params: InstallationCheck["params"] = parameters[0] ?? {};
	const [status, text] = CHECKS[code];
	const [subject = ""] = code.split(".");
	const names: Readonly<Record<string, string>> = NAMES;
	return {
		name: fillTemplate(names[subject] ?? subject, params),
		status,
		code,
		params,
		detail: fillTemplate(text, params),
	};
}

/** Checks the installation that this process serves; takes seconds. Changes nothing. */
export type InspectInstallation = () => Promise<readonly InstallationCheck[]>;
