// The installation's root of derived keys: made by whichever node needs it first, the same for all from then on.

import { createKeyDerivation, type KeyDerivation } from "../crypto/derived-keys.ts";
import { randomBytes32 } from "../crypto/random.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import { type DerivationRootStore, derivationRootContext } from "../features/auth/model.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Persistence } from "../kernel/transaction.ts";
import { openOrRefuse } from "./signing-keys.ts";

/** There is one; the name leaves room for another. */
const ROOT = "sign-in";

export interface DerivationDeps {
	readonly db: Persistence<{ readonly derivationRoots: DerivationRootStore }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
}

/** @throws StartError when the master key does not open it. */
export async function openDerivation({ db, secretBox, clock }: DerivationDeps): Promise<KeyDerivation> {
	const { derivationRoots } = db.stores;
	const context = derivationRootContext(ROOT);
	if ((await derivationRoots.find(ROOT)) === undefined) {
		const sealed = secretBox.seal(randomBytes32().toString("base64"), context);
		await derivationRoots.insertOnce(ROOT, sealed, clock());
	}
	const stored = await derivationRoots.find(ROOT);
	if (stored === undefined) throw new Error("the derivation root just written is not there");
	return createKeyDerivation(Buffer.from(openOrRefuse(secretBox, stored, context), "base64"));
}
