// Chromium's virtual authenticator of the device: it verifies the user and stores passkeys.

import type { CDPSession, Page } from "playwright-core";

/** @param options change its defaults, see the domain `WebAuthn` of the DevTools protocol. */
export async function addVirtualAuthenticator(
	page: Page,
	options: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("WebAuthn.enable");
	const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
		options: {
			protocol: "ctap2",
			transport: "internal",
			hasResidentKey: true,
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
			...options,
		} as never,
	});
	return { cdp, authenticatorId };
}
