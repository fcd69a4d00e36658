// Tests an identity provider for an administrator: discovery document, keys, and a trial sign-in that creates no session.

import type { Caller } from "../../../domain/caller.ts";
import {
	type IdentityProvider,
	identityProviderNotFound,
	isTrustedFor,
	type SealedIdentityProvider,
} from "../../../domain/identity-provider.ts";
import { ProviderFailure, type ProviderProfile } from "../../../domain/provider-gateway.ts";
import type { ProviderTest, TestStep } from "../../../domain/provider-test.ts";
import { ATTEMPT_SECONDS } from "../../../domain/third-party-attempt.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { mismatch } from "./issuer-url.ts";
import { type AttemptNeeds, openAttempt } from "./start-attempt.ts";

type Needed = AttemptNeeds & Needs<"identityProviders", "isProviderAddress" | "openId">;

type Result = Omit<ProviderTest, "atMs">;

interface StartedTest {
	/** Null if an earlier step failed, and without the use `sign_in`. */
	readonly authorizationUrl: string | null;
	readonly expiresIn: number;
	readonly lastTest: ProviderTest | null;
}

/**
 * Reads document and keys now, without a cache, and starts a trial sign-in in the calling browser. Without the use
 * `sign_in`, the keys are the last step. Stores the result of a step that ends the test; the callback stores that of the
 * sign-in.
 *
 * @throws AppError `identity_provider.not_found`
 */
export async function testProvider(
	needs: Needed,
	id: string,
	browserSecret: string,
	{ tenantId }: Caller,
	returnTo: string,
): Promise<StartedTest> {
	const stored = await needs.db.stores.identityProviders.findById(tenantId, id);
	const provider = found(stored, identityProviderNotFound);
	const signsIn = isTrustedFor(provider, "sign_in");
	const fields = { tenantId, returnTo, linkTo: null, isTest: true };
	const ended = async (result: Result): Promise<StartedTest> => {
		const lastTest = await recordTest(needs, provider, result);
		return { authorizationUrl: null, expiresIn: ATTEMPT_SECONDS, lastTest };
	};
	let step: TestStep = "issuer";
	try {
		if (signsIn) await checkDocument(needs, provider);
		step = "keys";
		if (signsIn) await needs.providers.checkKeys(provider);
		if (provider.uses.some((use) => use !== "sign_in")) await needs.openId.checkIssuerKeys(provider);
		if (!signsIn)
			return await ended({ step, outcome: "passed", message: "", hasEmail: false, emailVerified: false });
		step = "sign_in";
		const authorizationUrl = await openAttempt(needs, provider, { ...fields, browserSecret });
		return { authorizationUrl, expiresIn: ATTEMPT_SECONDS, lastTest: provider.lastTest };
	} catch (error) {
		return await ended(failureOf(step, error));
	}
}

/** @throws ProviderFailure */
async function checkDocument(
	{ providers, isProviderAddress }: Needed,
	{ kind, issuer }: IdentityProvider,
): Promise<void> {
	const named = await providers.checkIssuer({ kind, issuer });
	if (named !== issuer)
		throw new ProviderFailure("misconfigured", `issuer ${mismatch(named, kind, isProviderAddress).message}`);
}

/** The result of a trial sign-in. */
export async function testSignIn(profile: Promise<ProviderProfile>): Promise<Result> {
	try {
		const { email, isEmailVerified: emailVerified, omission: message = "" } = await profile;
		return { step: "sign_in", outcome: "passed", message, hasEmail: email !== null, emailVerified };
	} catch (error) {
		return failureOf("sign_in", error);
	}
}

/** @throws `error` unless it is a failure of the provider. */
function failureOf(step: TestStep, error: unknown): Result {
	if (!(error instanceof ProviderFailure)) throw error;
	const { reason: outcome, message } = error;
	return { step, outcome, message, hasEmail: false, emailVerified: false };
}

/** Of the settings as the test read them: a change since then is not tested. */
export async function recordTest(
	{ db, clock }: Needs<"identityProviders", "clock">,
	provider: SealedIdentityProvider,
	result: Result,
): Promise<ProviderTest> {
	const test = { atMs: clock(), ...result };
	await db.stores.identityProviders.recordTest(provider, test);
	return test;
}
