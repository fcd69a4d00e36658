// An Express application that signs users in with the library that LIBRARY names, configured as
// docs/protect-your-application.md says: GET /login begins, GET /person shows the signed-in user.

import express from "express";
import expressOpenId from "express-openid-connect";
import session from "express-session";
import grant from "grant";
import { generators, Issuer } from "openid-client";
import passport from "passport";
import OpenIdStrategy from "passport-openidconnect";

const { LIBRARY, PORT, APP_URL, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = process.env;
const REDIRECT_URI = `${APP_URL}/callback`;
const SCOPE = "openid profile email";

const app = express();
app.get("/ready", (_request, response) => response.send("ready"));
app.use(session({ secret: "a secret of this test", resave: false, saveUninitialized: false }));

const LIBRARIES = {
	"express-openid-connect"() {
		const options = {
			authRequired: false,
			baseURL: APP_URL,
			issuerBaseURL: OIDC_ISSUER,
			clientID: OIDC_CLIENT_ID,
			clientSecret: OIDC_CLIENT_SECRET,
			secret: "a long secret of this test, of more than 32 characters",
			authorizationParams: { response_type: "code", scope: SCOPE },
		};
		app.use(expressOpenId.auth(options));
		app.get("/", (_request, response) => response.redirect("/person"));
		app.get("/person", ({ oidc: { user } }, response) => response.status(user ? 200 : 401).json(user ?? {}));
	},

	"passport-openidconnect"() {
		const endpoint = (name) => `${OIDC_ISSUER}/oauth/${name}`;
		const options = {
			issuer: OIDC_ISSUER,
			authorizationURL: endpoint("authorize"),
			tokenURL: endpoint("token"),
			userInfoURL: endpoint("userinfo"),
			clientID: OIDC_CLIENT_ID,
			clientSecret: OIDC_CLIENT_SECRET,
			callbackURL: REDIRECT_URI,
			scope: SCOPE,
			nonce: true,
		};
		const verify = (_issuer, { id, displayName, emails }, done) =>
			done(null, { sub: id, name: displayName, email: emails?.[0]?.value });
		passport.use(new OpenIdStrategy(options, verify));
		passport.serializeUser((user, done) => done(null, user));
		passport.deserializeUser((user, done) => done(null, user));
		app.use(passport.session());
		app.get("/login", passport.authenticate("openidconnect"));
		app.get("/callback", passport.authenticate("openidconnect", { successRedirect: "/person" }));
		app.get("/person", ({ user }, response) => response.status(user ? 200 : 401).json(user ?? {}));
	},

	async "openid-client 5"() {
		const { Client } = await Issuer.discover(OIDC_ISSUER);
		const client = new Client({
			client_id: OIDC_CLIENT_ID,
			client_secret: OIDC_CLIENT_SECRET,
			redirect_uris: [REDIRECT_URI],
		});
		app.get("/login", (request, response) => {
			const verifier = generators.codeVerifier();
			const state = generators.state();
			request.session.begun = { verifier, state };
			const challenge = { code_challenge: generators.codeChallenge(verifier), code_challenge_method: "S256" };
			response.redirect(client.authorizationUrl({ scope: SCOPE, state, ...challenge }));
		});
		app.get("/callback", async (request, response) => {
			const { verifier, state } = request.session.begun ?? {};
			const checks = { code_verifier: verifier, state };
			const tokens = await client.callback(REDIRECT_URI, client.callbackParams(request), checks);
			request.session.user = tokens.claims();
			response.redirect("/person");
		});
		showSession(({ user }) => user);
	},

	Grant() {
		const latchkey = {
			oauth: 2,
			authorize_url: `${OIDC_ISSUER}/oauth/authorize`,
			access_url: `${OIDC_ISSUER}/oauth/token`,
			profile_url: `${OIDC_ISSUER}/oauth/userinfo`,
			key: OIDC_CLIENT_ID,
			secret: OIDC_CLIENT_SECRET,
			token_endpoint_auth_method: "client_secret_basic",
			redirect_uri: REDIRECT_URI,
			scope: SCOPE.split(" "),
			scope_delimiter: " ",
			state: true,
			nonce: true,
			pkce: true,
			response: ["tokens", "profile"],
			callback: "/person",
		};
		const defaults = { origin: APP_URL, transport: "session" };
		app.get("/login", (_request, response) => response.redirect("/connect/latchkey"));
		app.get("/callback", ({ url }, response) => response.redirect(`/connect/latchkey${url}`));
		app.use(grant.express({ defaults, latchkey }));
		showSession(({ grant: { response } = {} }) => response?.profile);
	},
};

function showSession(userOf) {
	app.get("/person", (request, response) => {
		const user = userOf(request.session);
		response.status(user ? 200 : 401).json(user ?? {});
	});
}

await LIBRARIES[LIBRARY]();
app.use((error, _request, response, _next) => response.status(400).send(error.message));
app.listen(PORT, "localhost");
