// The wire form of the test of an identity provider.

import type { Caller } from "../../../domain/caller.ts";
import { type ProviderTest, TEST_OUTCOMES, TEST_STEPS } from "../../../domain/provider-test.ts";
import { boolean, choice, integer, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { browserCookie, browserSecretOf } from "./browser-secret-wire.ts";
import { testProvider } from "./test-provider.ts";

export const testSchema = object(
	{
		at: time(),
		step: choice(TEST_STEPS, {
			description:
				"The last step that was tried: reading the discovery document, reading the keys, or a sign-in. A failed step ends the test; without the use `sign_in`, the keys are the last step.",
		}),
		outcome: choice(TEST_OUTCOMES, {
			description: "`passed`, or why the step failed, as in the log of a failed sign-in.",
		}),
		message: plain(
			"What is wrong. After `passed`: which optional part of the response was left out, if any.",
		),
		has_email: boolean("Whether the provider sent an email address."),
		email_verified: boolean("Whether the address counts as verified."),
	},
	{ title: "ProviderTest", description: "The result of the last test; null before the first one." },
);
export const startedTestSchema = object(
	{
		authorization_url: nullable(
			plain(
				"The provider's URL for the trial sign-in. Open it in this browser as a top-level page. Null if an earlier step failed, and for an issuer without the use `sign_in`.",
			),
		),
		expires_in: integer("Seconds until the trial sign-in expires."),
		last_test: nullable(testSchema),
	},
	{ title: "StartedProviderTest" },
);
const toWireStarted = toWire(startedTestSchema);
const toWireTest = toWire(testSchema);
export const toWireLastTest = ({ lastTest }: { readonly lastTest: ProviderTest | null }) => ({
	lastTest: lastTest && toWireTest(lastTest),
});

/** Tests the provider in the browser of the request, which a cookie identifies. */
export async function startTest(
	needs: Parameters<typeof testProvider>[0],
	id: string,
	caller: Caller,
	returnTo: string,
	request: Incoming,
) {
	const browserSecret = browserSecretOf(request);
	const started = await testProvider(needs, id, browserSecret, caller, returnTo);
	const wire = toWireStarted({ ...started, ...toWireLastTest(started) });
	return { ...wire, cookie: browserCookie(browserSecret) };
}
