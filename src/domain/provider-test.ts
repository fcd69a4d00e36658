// What the last test of an identity provider found.

import { isBoolean, isNumber, isText, type Members, objectOf, oneOf, type Shape } from "../kernel/shape.ts";

/** In the order in which they are tried. */
export const TEST_STEPS = ["issuer", "keys", "sign_in"] as const;
export type TestStep = (typeof TEST_STEPS)[number];

/** `passed` with a message: an optional part of the response was left out. */
export const TEST_OUTCOMES = ["passed", "denied", "invalid_answer", "unreachable", "misconfigured"] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

/** Contains nothing about the user who signed in for the test, except which facts the provider sent. */
export interface ProviderTest {
	readonly atMs: number;
	/** The last step that was tried; a failed one ends the test. */
	readonly step: TestStep;
	readonly outcome: TestOutcome;
	/** In English, for an administrator; `""` for none. */
	readonly message: string;
	readonly hasEmail: boolean;
	readonly emailVerified: boolean;
}

export const isProviderTest: Shape<ProviderTest & Members> = objectOf<ProviderTest>({
	atMs: isNumber,
	step: oneOf(TEST_STEPS),
	outcome: oneOf(TEST_OUTCOMES),
	message: isText,
	hasEmail: isBoolean,
	emailVerified: isBoolean,
});
