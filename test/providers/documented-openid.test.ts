// Google, Microsoft, Apple, and GitLab, against a server that responds as their documentation describes.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import type { ProviderAttempt, ProviderConnection } from "../../src/domain/provider-gateway.ts";
import type { Json } from "../harness/providers/bad-provider.ts";
import { openIdResponses, startDocumentedProvider } from "../harness/providers/documented-provider.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { CALLBACK, fails, loopbackGateway, newAttempt } from "./attempt.ts";

const CLIENT = { clientId: "the.client", clientSecretPlain: "a secret of the client" };
const HOSTS = [
	"accounts.google.com",
	"oauth2.googleapis.com",
	"openidconnect.googleapis.com",
	"www.googleapis.com",
	"login.microsoftonline.com",
	"graph.microsoft.com",
	"appleid.apple.com",
	"gitlab.com",
	"git.example.com",
];

describe("a provider as it is documented", () => {
	const provider = fixture(() => startDocumentedProvider(HOSTS));
	after(() => provider.close());

	/** The provider redirects with a code, the state, and the parameters in `more`. */
	const complete = async (
		connection: ProviderConnection,
		claims: Json,
		described: { issuer: string; document: Json; userinfo?: Json },
		more: Readonly<Record<string, string>> = {},
	) => {
		const gateway = loopbackGateway(provider.options);
		const attempt: ProviderAttempt = newAttempt();
		provider.response(
			await openIdResponses({
				...described,
				claims: () => ({ aud: connection.clientId, nonce: attempt.nonce, ...claims }),
			}),
		);
		const authorization = new URL(await gateway.authorizationUrl(connection, attempt));
		const back = new URLSearchParams({ code: "the code", state: attempt.state, ...more });
		const profile = await gateway.fetchProfile(connection, attempt, back);
		return { profile, authorization, attempt, to: provider.sent.map(({ to }) => to) };
	};
	const tokenRequest = () => provider.sent.find(({ to }) => to.startsWith("POST "));

	describe("google", () => {
		const connection: ProviderConnection = { kind: "google", issuer: null, ...CLIENT };
		const described = {
			issuer: "https://accounts.google.com",
			document: {
				authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
				token_endpoint: "https://oauth2.googleapis.com/token",
				userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
				jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
				token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
				code_challenge_methods_supported: ["plain", "S256"],
			},
		};
		const claims = {
			azp: "the.client",
			sub: "10769150350006150715113082367",
			email: "jsmith@example.com",
			email_verified: true,
			name: "Jane Smith",
			picture: "https://lh3.googleusercontent.com/a/x",
		};

		it("follows Google's documentation, and reads everything from the ID token", async () => {
			const { profile, authorization, attempt, to } = await complete(
				connection,
				{ ...claims, hd: "example.com" },
				described,
			);
			assert.equal(
				authorization.origin + authorization.pathname,
				"https://accounts.google.com/o/oauth2/v2/auth",
			);
			assert.equal(authorization.searchParams.get("scope"), "openid email profile");
			assert.equal(authorization.searchParams.get("nonce"), attempt.nonce);
			assert.deepEqual(to, [
				"GET accounts.google.com/.well-known/openid-configuration",
				"POST oauth2.googleapis.com/token",
				"GET www.googleapis.com/oauth2/v3/certs",
			]);
			assert.deepEqual(tokenRequest()?.body, {
				grant_type: "authorization_code",
				code: "the code",
				redirect_uri: CALLBACK,
				code_verifier: attempt.codeVerifierPlain,
			});
			assert.deepEqual(profile, {
				subject: claims.sub,
				otherSubjects: [],
				email: "jsmith@example.com",
				isEmailVerified: true,
				isEmailUnstated: false,
				username: null,
				displayName: "Jane Smith",
				avatarUrl: claims.picture,
			});
		});

		it("trusts an email address only if Google is authoritative for it", async () => {
			for (const [change, isVerified] of [
				[{ hd: "example.com" }, true],
				[{ email: "Jane@GMail.com" }, true],
				[{}, false],
				[{ hd: "" }, false],
				[{ hd: "example.com", email_verified: false }, false],
				[{ email: "jane@notgmail.com" }, false],
				[{ email: "jane@gmail.com.evil.example" }, false],
			] as const) {
				const { profile } = await complete(connection, { ...claims, ...change }, described);
				assert.equal(profile.isEmailVerified, isVerified, JSON.stringify(change));
			}
		});
	});

	describe("microsoft", () => {
		const HOST = "https://login.microsoftonline.com";
		const TENANT = "9122040d-6c67-4c5b-b112-36a304b66dad";
		const PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad";
		const connection: ProviderConnection = { kind: "microsoft", issuer: null, ...CLIENT };
		const described = (tenant: string, issuer = `${HOST}/{tenantid}/v2.0`) => ({
			issuer: `${HOST}/${tenant}/v2.0`,
			document: {
				issuer,
				authorization_endpoint: `${HOST}/${tenant}/oauth2/v2.0/authorize`,
				token_endpoint: `${HOST}/${tenant}/oauth2/v2.0/token`,
				userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo",
				jwks_uri: `${HOST}/${tenant}/discovery/v2.0/keys`,
				token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt"],
			},
		});
		const claims = {
			iss: `${HOST}/${TENANT}/v2.0`,
			tid: TENANT,
			sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
			name: "Abe Lincoln",
			preferred_username: "AbeLi@contoso.com",
			email: "ceo@victim.example",
		};

		it("calls the common endpoints, and compares the issuer with the token's own tenant", async () => {
			const { profile, authorization, to } = await complete(connection, claims, described("common"));
			assert.equal(authorization.origin + authorization.pathname, `${HOST}/common/oauth2/v2.0/authorize`);
			assert.deepEqual(to, [
				"GET login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
				"POST login.microsoftonline.com/common/oauth2/v2.0/token",
				"GET login.microsoftonline.com/common/discovery/v2.0/keys",
			]);
			const { client_id, client_secret } = tokenRequest()?.body ?? {};
			assert.deepEqual([client_id, client_secret], [CLIENT.clientId, CLIENT.clientSecretPlain]);
			assert.equal(tokenRequest()?.headers.authorization, undefined);
			assert.deepEqual(profile, {
				subject: claims.sub,
				otherSubjects: [],
				email: "ceo@victim.example",
				isEmailVerified: false,
				isEmailUnstated: true,
				username: "AbeLi@contoso.com",
				displayName: "Abe Lincoln",
				avatarUrl: null,
			});
		});

		it("never trusts an address without xms_edov, with any other claims", async () => {
			for (const [change, isVerified] of [
				[{ email_verified: true }, false],
				[{ email_verified: true, xms_edov: false }, false],
				[{ xms_edov: "0" }, false],
				[{ xms_edov: true }, true],
				[{ xms_edov: "1" }, true],
			] as const) {
				const { profile } = await complete(connection, { ...claims, ...change }, described("common"));
				assert.equal(profile.isEmailVerified, isVerified, JSON.stringify(change));
			}
		});

		it("refuses a token whose issuer is not its tenant's, or that names none", async () => {
			const refused = (change: Json, message: RegExp, ours = connection, tenant = "common") =>
				fails(complete(ours, { ...claims, ...change }, described(tenant)), "invalid_answer", message);
			await refused({ iss: `${HOST}/${PERSONAL}/v2.0` }, /iss/);
			await refused({ tid: undefined, iss: `${HOST}/undefined/v2.0` }, /tid/);
			await refused({ tid: "x/../y", iss: `${HOST}/x/../y/v2.0` }, /tid/);
			await refused({ iss: `${HOST}/{tenantid}/v2.0` }, /iss/);
			const personal = { tid: PERSONAL, iss: `${HOST}/${PERSONAL}/v2.0` };
			const organizations = { ...connection, issuer: `${HOST}/organizations/v2.0` };
			await refused(personal, /personal account/, organizations, "organizations");
		});

		it("accepts a single tenant if the issuer names one", async () => {
			const issuer = `${HOST}/${TENANT}/v2.0`;
			const own = { ...connection, issuer };
			const { profile } = await complete(own, claims, described(TENANT, issuer));
			assert.equal(profile.subject, claims.sub);
			const other = { iss: `${HOST}/${PERSONAL}/v2.0`, tid: PERSONAL };
			await fails(complete(own, { ...claims, ...other }, described(TENANT, issuer)), "invalid_answer", /iss/);
		});

		it("appears nowhere else, and a shared issuer is not of kind oidc", async () => {
			const elsewhere = { ...connection, issuer: "https://accounts.google.com" };
			await fails(complete(elsewhere, claims, described("common")), "misconfigured", /kind oidc/);
			const asOidc: ProviderConnection = { ...connection, kind: "oidc", issuer: `${HOST}/common/v2.0` };
			await fails(complete(asOidc, claims, described("common")), "misconfigured", /another issuer/);
		});
	});

	describe("apple", () => {
		const described = {
			issuer: "https://appleid.apple.com",
			document: {
				authorization_endpoint: "https://appleid.apple.com/auth/authorize",
				token_endpoint: "https://appleid.apple.com/auth/token",
				jwks_uri: "https://appleid.apple.com/auth/keys",
				response_modes_supported: ["query", "fragment", "form_post"],
				token_endpoint_auth_methods_supported: ["client_secret_post"],
			},
		};
		const claims = {
			sub: "001999.abcdef0123456789abcdef0123456789.1234",
			email: "dpdcnf87nu@privaterelay.appleid.com",
			email_verified: "true",
			is_private_email: "true",
			nonce_supported: true,
		};
		let keys: Awaited<ReturnType<typeof generateKeyPair>>;
		let connection: ProviderConnection;
		const secretOf = (fields: Json) => ({ ...connection, clientSecretPlain: JSON.stringify(fields) });
		before(async () => {
			keys = await generateKeyPair("ES256", { extractable: true });
			connection = { kind: "apple", issuer: null, clientId: "com.example.web", clientSecretPlain: "" };
			const private_key = await exportPKCS8(keys.privateKey);
			connection = secretOf({ team_id: "DEF123GHIJ", key_id: "ABC123DEFG", private_key });
		});

		it("requests a form, and authenticates with a newly signed secret", async () => {
			const { profile, authorization, to } = await complete(connection, claims, described);
			assert.equal(authorization.origin + authorization.pathname, "https://appleid.apple.com/auth/authorize");
			assert.equal(authorization.searchParams.get("response_mode"), "form_post");
			assert.equal(authorization.searchParams.get("scope"), "openid email name");
			assert.deepEqual(to, [
				"GET appleid.apple.com/.well-known/openid-configuration",
				"POST appleid.apple.com/auth/token",
				"GET appleid.apple.com/auth/keys",
			]);
			const { client_id, client_secret = "" } = tokenRequest()?.body ?? {};
			assert.equal(client_id, "com.example.web");
			const { payload, protectedHeader } = await jwtVerify(client_secret, keys.publicKey, {
				issuer: "DEF123GHIJ",
				subject: "com.example.web",
				audience: "https://appleid.apple.com",
			});
			assert.deepEqual([protectedHeader.alg, protectedHeader.kid], ["ES256", "ABC123DEFG"]);
			assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300);
			assert.deepEqual(profile, {
				subject: claims.sub,
				otherSubjects: [],
				email: claims.email,
				isEmailVerified: true,
				isEmailUnstated: false,
				username: null,
				displayName: null,
				avatarUrl: null,
			});
		});

		it("uses the name sent with the code at the first sign-in, and nothing else from the callback", async () => {
			const user = {
				name: { firstName: "Ann", lastName: "Example" },
				email: "victim@example.com",
				email_verified: true,
			};
			const { profile } = await complete(connection, claims, described, { user: JSON.stringify(user) });
			assert.deepEqual([profile.displayName, profile.email], ["Ann Example", claims.email]);
			for (const broken of ["", "{", "null", "[]", '{"name":7}', '{"name":{"firstName":{}}}'])
				assert.equal(
					(await complete(connection, claims, described, { user: broken })).profile.displayName,
					null,
				);
		});

		it("is not overridden if it marks an address as unverified", async () => {
			for (const email_verified of ["false", false, undefined]) {
				const { profile } = await complete(connection, { ...claims, email_verified }, described);
				assert.equal(profile.isEmailVerified, false);
			}
		});

		it("explains what is wrong with the key, and does not show it", async () => {
			for (const secret of ["a secret of", "null", "{}", '{"team_id":"DEF123GHIJ","key_id":"ABC123DEFG"}'])
				await fails(
					complete({ ...connection, clientSecretPlain: secret }, claims, described),
					"misconfigured",
					/not a JSON object of team_id, key_id and private_key/,
				);
			const broken = { team_id: "DEF123GHIJ", key_id: "ABC123DEFG", private_key: "a secret of" };
			await fails(complete(secretOf(broken), claims, described), "misconfigured", /not a PKCS #8/);
		});

		it("reports that the user cancels", async () => {
			const gateway = loopbackGateway(provider.options);
			const attempt = newAttempt();
			provider.response(await openIdResponses({ ...described, claims: () => claims }));
			const back = new URLSearchParams({ error: "user_cancelled_authorize", state: attempt.state });
			await fails(gateway.fetchProfile(connection, attempt, back), "denied", /user_cancelled_authorize/);
		});
	});

	describe("gitlab", () => {
		const described = (site: string) => ({
			issuer: site,
			document: {
				authorization_endpoint: `${site}/oauth/authorize`,
				token_endpoint: `${site}/oauth/token`,
				userinfo_endpoint: `${site}/oauth/userinfo`,
				jwks_uri: `${site}/oauth/discovery/keys`,
				token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
			},
			userinfo: {
				sub: "42",
				name: "Ann Example",
				nickname: "ann",
				preferred_username: "ann",
				email: "ann@example.com",
				email_verified: true,
				picture: `${site}/uploads/-/system/user/avatar/42/avatar.png`,
				groups: ["a", "b"],
			},
		});

		it("can be GitLab.com, or a self-hosted GitLab, even below a path", async () => {
			for (const issuer of [null, "https://git.example.com", "https://git.example.com/gitlab"]) {
				const site = issuer ?? "https://gitlab.com";
				const connection: ProviderConnection = { kind: "gitlab", issuer, ...CLIENT };
				const { profile, authorization, to } = await complete(connection, { sub: "42" }, described(site));
				const at = site.replace("https://", "");
				assert.equal(authorization.origin + authorization.pathname, `${site}/oauth/authorize`);
				assert.deepEqual(to, [
					`GET ${at}/.well-known/openid-configuration`,
					`POST ${at}/oauth/token`,
					`GET ${at}/oauth/discovery/keys`,
					`GET ${at}/oauth/userinfo`,
				]);
				assert.equal(provider.sent.at(-1)?.headers.authorization, "Bearer the access token");
				assert.deepEqual(profile, {
					subject: "42",
					otherSubjects: [],
					email: "ann@example.com",
					isEmailVerified: true,
					isEmailUnstated: false,
					username: "ann",
					displayName: "Ann Example",
					avatarUrl: described(site).userinfo.picture,
				});
			}
		});
	});
});
