// The installation's root of derived keys: the first node that needs it creates it, and all nodes use the same one.

import { createKeyDerivation, type KeyDerivation } from "../crypto/derived-keys.ts";
import { randomBytes32 } from "../crypto/random.ts";
import { derivationRootContext } from "../domain/derivation-root.ts";
import type { Needs } from "../features/platform.ts";
import { openOrRefuse } from "./signing-keys.ts";

/** The only root so far. */
const ROOT = "sign-in";

/** @throws StartError when the master key does not open it. */
export async function openDerivation({
	db,
	secretBox,
	clock,
}: Needs<"derivationRoots", "clock" | "secretBox">): Promise<KeyDerivation> {
	const { derivationRoots } = db.stores;
	const context = derivationRootContext(ROOT);
	if ((await derivationRoots.find(ROOT)) === undefined) {
		const sealed = secretBox.seal(randomBytes32().toString("base64"), context);
		await derivationRoots.insertOnce(ROOT, sealed, clock());
	}
	const stored = await derivationRoots.find(ROOT);
	if (stored === undefined) throw new Error("the derivation root was written and cannot be found");
	return createKeyDerivation(Buffer.from(openOrRefuse(secretBox, stored, context), "base64"));
}
