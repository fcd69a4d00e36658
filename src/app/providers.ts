// The identity providers, loaded at the first use: their libraries take 0.2 s.

import type { ProviderGateway } from "../domain/provider-gateway.ts";
import { createAddressRule } from "../kernel/address-rule.ts";
import type { Cidr } from "../kernel/ip.ts";

/** Calls addresses of the public Internet and of `allowedNetworks`. */
export function createProviders(allowedNetworks: readonly Cidr[]): ProviderGateway {
	let gateway: Promise<ProviderGateway> | undefined;
	const load = (): Promise<ProviderGateway> => {
		gateway ??= import("../adapters/providers/gateway.ts").then(({ createProviderGateway }) =>
			createProviderGateway({ isAllowed: createAddressRule(allowedNetworks) }),
		);
		return gateway;
	};
	return {
		authorizationUrl: async (...args) => (await load()).authorizationUrl(...args),
		fetchProfile: async (...args) => (await load()).fetchProfile(...args),
	};
}
