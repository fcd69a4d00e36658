// The networks that webhooks may call: read at startup, and again on request.

import type { Config } from "../config/config.ts";
import { createAddressRule } from "../kernel/address-rule.ts";
import type { IpAddress } from "../kernel/ip.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";

export interface WebhookNetworks {
	/** The rule of every delivery, with the networks read last. */
	isAllowed(ip: IpAddress): boolean;
	/** A failure of `readConfig` is logged and keeps the current networks. */
	reload(readConfig: () => Config): void;
}

export function openWebhookNetworks(config: Config, log: Log): WebhookNetworks {
	let isAllowed = createAddressRule(config.webhookAllowedNetworks);
	return {
		isAllowed: (ip) => isAllowed(ip),
		reload(readConfig) {
			try {
				isAllowed = createAddressRule(readConfig().webhookAllowedNetworks);
				log.info({}, "webhook networks reloaded");
			} catch (error) {
				const fields = error instanceof StartError ? { error: error.message } : { err: error };
				log.error(fields, "webhook networks not reloaded, the current ones stay in use");
			}
		},
	};
}
