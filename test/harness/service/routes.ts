// The route map without a running service, for tests that compare documents with it.

import { createEndpoints, createGuards } from "../../../src/app/features.ts";
import { gate } from "../../../src/app/map.ts";
import { createPlatform } from "../../../src/app/platform.ts";
import { createRoutes } from "../../../src/app/routes.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { generateSigningKey } from "../../../src/crypto/access-token.ts";
import { createPasswordHasher } from "../../../src/crypto/password.ts";
import type { Platform } from "../../../src/features/platform.ts";
import type { Route } from "../../../src/http/describe/guard.ts";
import type { Mount } from "../../../src/http/run/mount.ts";
import type { Log } from "../../../src/kernel/log.ts";
import { openTestDatabase } from "../databases/database.ts";

const nothing = (): void => undefined;
const silent: Log = { isDebug: false, debug: nothing, info: nothing, warn: nothing, error: nothing };

const unreachable = (): Promise<never> => Promise.reject(new Error("no provider is called here"));

const recorders = {
	uses: { record: nothing },
	keyUses: { note: nothing },
	testCalls: { limit: unreachable, record: nothing },
};

/** Every row of `src/app/routes.ts`. The routes can be read, not called. */
export async function mapOfRoutes(): Promise<readonly Route[]> {
	return await withPlatform((platform) =>
		createRoutes(createEndpoints(platform), createGuards(platform, recorders)),
	);
}

/** Every route below `/gate`. */
export async function gatePaths(): Promise<readonly Pick<Mount, "method" | "path">[]> {
	const limits = { gates: undefined, gateRefusals: undefined, gateKeys: undefined };
	const { uses, testCalls } = recorders;
	const options = { limits, uses, testCalls, meter: undefined, monotonicMs: () => 0 };
	return await withPlatform((platform) => gate(platform, options));
}

async function withPlatform<T>(work: (platform: Platform) => T): Promise<T> {
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
		providers: {
			checkIssuer: unreachable,
			checkKeys: unreachable,
			authorizationUrl: unreachable,
			fetchProfile: unreachable,
		},
		programDocuments: { read: unreachable },
		checks: [],
		isStopping: () => false,
		wakeMail: nothing,
		previewMail: unreachable,
		signIns: { note: nothing },
		actors: { note: nothing },
		statistics: { count: nothing, countFor: nothing },
		refusals: { record: nothing },
		isWebhookAddress: () => false,
	});
	const made = work(platform);
	await close();
	return made;
}
