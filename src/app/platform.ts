// What every feature is built from: the database, the keys, the clock. Made once by the service or a command.

import type { Stores } from "../adapters/sql/stores.ts";
import type { Config } from "../config/config.ts";
import type { AccessTokens } from "../crypto/access-token.ts";
import type { KeyDerivation } from "../crypto/derived-keys.ts";
import type { PasswordHasher } from "../crypto/password.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import type { HealthCheck } from "../features/health/model.ts";
import type { ProviderGateway } from "../features/third-party/model.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Persistence } from "../kernel/transaction.ts";

export interface Platform {
	readonly config: Config;
	readonly version: string;
	readonly clock: Clock;
	readonly log: Log;
	readonly db: Persistence<Stores>;
	readonly secretBox: SecretBox;
	/** Keys for keyed digests, from the root in the database. */
	readonly derivation: KeyDerivation;
	readonly passwords: PasswordHasher;
	readonly accessTokens: AccessTokens;
	/** Speaks to the providers people sign in with. */
	readonly providers: ProviderGateway;
	/** What `/health` looks at. */
	readonly checks: readonly HealthCheck[];
	/** Whether this process was asked to stop. */
	readonly isStopping: () => boolean;
	/** Tells the mail job, after a commit, that something waits in the outbox. */
	readonly wakeMail: () => void;
}
