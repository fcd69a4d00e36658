// The route map without a running service, for tests that compare documents with it.

import { createEndpoints, createGuards } from "../../src/app/features.ts";
import { createPlatform } from "../../src/app/platform.ts";
import { createRoutes } from "../../src/app/routes.ts";
import { loadConfig } from "../../src/config/load.ts";
import { generateSigningKey } from "../../src/crypto/access-token.ts";
import { createPasswordHasher } from "../../src/crypto/password.ts";
import type { Route } from "../../src/http/guard.ts";
import type { Log } from "../../src/kernel/log.ts";
import { openTestDatabase } from "./database.ts";

const nothing = (): void => undefined;
const silent: Log = { isDebug: false, debug: nothing, info: nothing, warn: nothing, error: nothing };

const unreachable = (): Promise<never> => Promise.reject(new Error("no provider is called here"));

/** Every row of `src/app/routes.ts`. The routes can be read, not called. */
export async function mapOfRoutes(): Promise<readonly Route[]> {
	const { db, secretBox, clock, close } = await openTestDatabase();
	const key = await generateSigningKey();
	const platform = await createPlatform(loadConfig({}), {
		clock: clock.now,
		log: silent,
		db,
		secretBox,
		passwords: createPasswordHasher({ cost: 10, threads: 1 }),
		signingKeys: { current: () => [key], freshen: () => undefined, seek: () => Promise.resolve() },
		idTokenKeyRing: { current: () => [], freshen: () => undefined, read: () => Promise.resolve() },
		providers: { authorizationUrl: unreachable, fetchProfile: unreachable },
		programDocuments: { read: unreachable },
		checks: [],
		isStopping: () => false,
		wakeMail: nothing,
		previewMail: unreachable,
		signIns: { note: nothing },
		statistics: { count: nothing, countFor: nothing },
		isWebhookAddress: () => false,
	});
	const routes = createRoutes(
		createEndpoints(platform),
		createGuards(platform, {
			uses: { record: nothing },
			keyUses: { note: nothing },
			refusals: { record: nothing },
			testCalls: { limit: unreachable, record: nothing },
		}),
	);
	await close();
	return routes;
}
