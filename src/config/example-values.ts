// Refuses the placeholder values of the example files in deploy/.

import type { Config } from "./config.ts";
import { ConfigError } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** Reserved for examples (RFC 2606): no mail is delivered and no server responds there. */
const EXAMPLE_HOST = /(?:^|[.@])example\.(?:com|net|org)$/i;
const EXAMPLE_PASSWORD = /^[a-z+]+:\/\/[^/?#]*:change-me@/;

/**
 * For `serve` only: the example files themselves are valid configurations, which tests read.
 *
 * @throws ConfigError for the first setting that contains a host below example.com, example.net, or example.org, or the
 *   password `change-me`. Shows no secret.
 */
export function refuseExampleValues(config: Config): void {
	const { smtpUrl, databaseUrl, redisUrl } = config;
	refuseHost(SETTINGS.publicUrl.name, new URL(config.publicUrl).hostname);
	if (smtpUrl !== null) refuseHost(SETTINGS.smtpUrl.name, new URL(smtpUrl).hostname);
	refusePassword(SETTINGS.smtpUrl.name, smtpUrl);
	refuseHost(SETTINGS.mailFrom.name, config.mailFrom.address);
	refuseHost(SETTINGS.adminEmail.name, config.admin.email);
	refusePassword(SETTINGS.databaseUrl.name, databaseUrl);
	refusePassword(SETTINGS.redisUrl.name, redisUrl);
}

function refuseHost(name: string, hostOrAddress: string): void {
	if (EXAMPLE_HOST.test(hostOrAddress))
		throw new ConfigError(
			name,
			`still contains the example ${hostOrAddress}; set your own value or remove it`,
		);
}

function refusePassword(name: string, url: string | null): void {
	if (url !== null && EXAMPLE_PASSWORD.test(url))
		throw new ConfigError(name, "still contains the password of the example; set your own");
}
