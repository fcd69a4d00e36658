// Calls the identity providers, with one client per kind.

import type { ProviderKind } from "../../domain/identity-provider.ts";
import type { ProviderGateway } from "../../domain/provider-gateway.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { ResolveHost } from "../outbound.ts";
import { createHostResolver } from "../resolve-host.ts";
import { type ProviderCalls, startCalls } from "./bounded-fetch.ts";
import { providerFailure } from "./failure.ts";
import { apple } from "./kinds/apple.ts";
import { dingtalk } from "./kinds/dingtalk.ts";
import { feishu } from "./kinds/feishu.ts";
import { github } from "./kinds/github.ts";
import { gitlab } from "./kinds/gitlab.ts";
import { google } from "./kinds/google.ts";
import { microsoft } from "./kinds/microsoft.ts";
import { oidc } from "./kinds/oidc.ts";
import { wechat } from "./kinds/wechat.ts";
import { createOpenIdClient } from "./open-id.ts";
import type { Issued, ProviderClient } from "./provider-client.ts";

const TIMEOUT_MS = 5_000;

export interface ProviderGatewayOptions {
	/** Checked for every IP address of a provider's host name; one refused address refuses the name. */
	readonly isAllowed: (ip: IpAddress) => boolean;
	readonly resolve?: ResolveHost;
	/** For all calls of one step of a sign-in, including name resolution. Default 5 s. */
	readonly timeoutMs?: number;
	/** For URLs without a port. Default 443; tests cannot listen there. */
	readonly defaultPort?: number;
	/** For the times in ID tokens. Providers use real time. */
	readonly clock?: Clock;
}

/**
 * Trusts the certificate authorities of Node (`NODE_EXTRA_CA_CERTS` adds more). Refuses redirects and responses over
 * 256 KiB. Caches discovery documents and keys for 5 minutes, at most 64 issuers per kind.
 */
export function createProviderGateway(options: ProviderGatewayOptions): ProviderGateway {
	const { isAllowed, resolve = createHostResolver(), timeoutMs = TIMEOUT_MS, defaultPort = 443 } = options;
	const clients = createClients(options.clock ?? systemClock);
	const run = async <T>(
		{ kind }: Issued,
		task: (client: ProviderClient, calls: ProviderCalls) => Promise<T>,
	): Promise<T> => {
		try {
			return await task(clients[kind], startCalls({ isAllowed, resolve, timeoutMs, defaultPort }));
		} catch (error) {
			throw providerFailure(error);
		}
	};
	return {
		checkIssuer: (connection) =>
			run(connection, async (client, calls) =>
				connection.issuer === null
					? null
					: ((await client.checkIssuer?.(calls, connection)) ?? connection.issuer),
			),
		checkKeys: (connection) =>
			run(connection, async (client, calls) => await client.checkKeys?.(calls, connection)),
		authorizationUrl: (connection, attempt) =>
			run(connection, (client, calls) => client.authorizationUrl(calls, connection, attempt)),
		fetchProfile: (connection, attempt, parameters) =>
			run(connection, (client, calls) => client.fetchProfile(calls, connection, attempt, parameters)),
	};
}

function createClients(clock: Clock): Record<ProviderKind, ProviderClient> {
	return {
		oidc: createOpenIdClient(oidc, clock),
		google: createOpenIdClient(google, clock),
		microsoft: createOpenIdClient(microsoft, clock),
		apple: createOpenIdClient(apple, clock),
		gitlab: createOpenIdClient(gitlab, clock),
		github,
		wechat,
		feishu,
		dingtalk,
	};
}
