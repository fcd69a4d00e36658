// The providers people sign in with, read from disk only when somebody does: their libraries take a fifth of a second.

import type { ProviderGateway } from "../features/third-party/model.ts";
import { createAddressRule } from "../kernel/address-rule.ts";
import type { Cidr } from "../kernel/ip.ts";

/** Reaches the public Internet and `allowedNetworks`. */
export function createProviders(allowedNetworks: readonly Cidr[]): ProviderGateway {
	let gateway: Promise<ProviderGateway> | undefined;
	const load = (): Promise<ProviderGateway> => {
		gateway ??= import("../adapters/providers/gateway.ts").then(({ createProviderGateway }) =>
			createProviderGateway({ isAllowed: createAddressRule(allowedNetworks) }),
		);
		return gateway;
	};
	return {
		authorizationUrl: async (...asked) => (await load()).authorizationUrl(...asked),
		fetchProfile: async (...asked) => (await load()).fetchProfile(...asked),
	};
}
