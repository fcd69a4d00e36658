// Sign in with Apple.

import { importPKCS8, SignJWT } from "jose";
import { type ProviderConnection, ProviderFailure } from "../../../domain/provider-gateway.ts";
import { claimText, standardProfile } from "../claims.ts";
import type { OpenIdDescription } from "../provider-client.ts";

const ISSUER = "https://appleid.apple.com";
const SECRET_SECONDS = 300;
const ID = /^[A-Z0-9]{10}$/;

/**
 * Source: https://developer.apple.com/documentation/signinwithapplerestapi (generate and validate tokens),
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret and
 * https://developer.apple.com/documentation/signinwithapple/incorporating-sign-in-with-apple-into-other-platforms.
 *
 * Differences: the client's secret is a JWT signed with a key from Apple (`clientSecret` below). The callback is a form
 * post, which the scopes `name` and `email` require. The name is unsigned and sent only at the first sign-in, so it is
 * used only as the initial display name. `email_verified` may be a string. The address may be a relay
 * (`@privaterelay.appleid.com`), verified like any other. There is no userinfo endpoint.
 */
export const apple: OpenIdDescription = {
	issuer: () => ISSUER,
	scope: "openid email name",
	parameters: { response_mode: "form_post" },
	skipsUserinfo: true,
	clientSecret,
	profile: (claims, _connection, parameters) => ({
		...standardProfile(claims),
		username: null,
		displayName: nameIn(parameters.get("user")),
		avatarUrl: null,
	}),
};

/**
 * Issued for each request and valid for five minutes; Apple allows up to six months. The stored secret is a JSON object of
 * `team_id`, `key_id` and `private_key`, the text of the `.p8` file.
 */
async function clientSecret(
	{ clientId, clientSecretPlain }: ProviderConnection,
	nowMs: number,
): Promise<string> {
	const { team_id, key_id, private_key } = parseSecret(clientSecretPlain);
	const key = await importPKCS8(private_key, "ES256").catch(() => {
		throw new ProviderFailure(
			"misconfigured",
			"private_key in Apple's client secret is not a PKCS #8 EC key in PEM",
		);
	});
	const now = Math.floor(nowMs / 1_000);
	return new SignJWT()
		.setProtectedHeader({ alg: "ES256", kid: key_id })
		.setIssuer(team_id)
		.setSubject(clientId)
		.setAudience(ISSUER)
		.setIssuedAt(now)
		.setExpirationTime(now + SECRET_SECONDS)
		.sign(key);
}

function parseSecret(text: string): { team_id: string; key_id: string; private_key: string } {
	let secret: Record<string, unknown> | null = null;
	try {
		secret = JSON.parse(text);
	} catch {
		// Reported below: this error would quote the secret.
	}
	const { team_id, key_id, private_key } = secret ?? {};
	const isGood =
		typeof team_id === "string" &&
		ID.test(team_id) &&
		typeof key_id === "string" &&
		ID.test(key_id) &&
		typeof private_key === "string";
	if (!isGood)
		throw new ProviderFailure(
			"misconfigured",
			"Apple's client secret is not a JSON object of team_id, key_id and private_key",
		);
	return { team_id, key_id, private_key };
}

function nameIn(user: string | null): string | null {
	if (user === null) return null;
	try {
		const { firstName, lastName } = JSON.parse(user).name;
		return claimText([firstName, lastName].filter((part) => typeof part === "string").join(" "));
	} catch {
		return null;
	}
}
