// A warning at the start when plain HTTP is open to machines whose requests will be refused.

import type { Config } from "../config/config.ts";
import { addressOfHost } from "../kernel/address-rule.ts";
import { isThisMachine } from "../kernel/ip.ts";
import type { Log } from "../kernel/log.ts";

/** No warning with trusted proxies or allowed networks, which make plain HTTP usable. `httpPort`: null while HTTP is off. */
export function warnOfPlainHttp(config: Config, httpPort: number | null, log: Log): void {
	if (httpPort === null || config.trustedProxies.length > 0 || config.plainHttpNetworks.length > 0) return;
	const address = addressOfHost(config.host);
	if (address !== undefined && isThisMachine(address)) return;
	log.warn(
		{ host: config.host, port: httpPort },
		"the API answers 426 over plain HTTP to other machines: use HTTPS, or name the proxy that ends TLS in LATCHKEY_TRUSTED_PROXIES",
	);
}
