// The outside providers, one client for each kind, behind one port.

import type { ProviderConnection, ProviderGateway, ProviderKind } from "../../features/third-party/model.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { ResolveHost } from "../../kernel/outbound.ts";
import { createHostResolver } from "../../kernel/resolve-host.ts";
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
import type { ProviderClient } from "./provider-client.ts";

const TIMEOUT_MS = 5_000;

export interface ProviderGatewayOptions {
	/** Asked of every address that a provider's host name resolves to; one that is refused refuses the name. */
	readonly isAllowed: (ip: IpAddress) => boolean;
	readonly resolve?: ResolveHost;
	/** For everything that one sign-in asks of its provider in one step, names and answers: 5 s unless told. */
	readonly timeoutMs?: number;
	/** Where a URL without a port leads: 443 unless told. For tests, which may not listen there. */
	readonly defaultPort?: number;
	/** The time ID tokens are judged by; providers live in the real one. */
	readonly clock?: Clock;
}

/**
 * Certificates are checked against the authorities Node trusts (`NODE_EXTRA_CA_CERTS` adds some). Answers of more than
 * 256 KiB and redirects are refused; discovery documents and keys are kept for 5 minutes, 64 issuers a kind.
 */
export function createProviderGateway(options: ProviderGatewayOptions): ProviderGateway {
	const { isAllowed, resolve = createHostResolver(), timeoutMs = TIMEOUT_MS, defaultPort = 443 } = options;
	const clients = createClients(options.clock ?? systemClock);
	const run = async <T>(
		{ kind }: ProviderConnection,
		task: (client: ProviderClient, calls: ProviderCalls) => Promise<T>,
	): Promise<T> => {
		try {
			return await task(clients[kind], startCalls({ isAllowed, resolve, timeoutMs, defaultPort }));
		} catch (error) {
			throw providerFailure(error);
		}
	};
	return {
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
