// Refused calls: what each reason means, and what to do.

import { format } from "../format.ts";

export default {
	title: "Why was it refused?",
	description:
		"Refused calls of API clients and OAuth clients, and at gates. A caller finds the request ID in the response, in X-Request-Id or Latchkey-Request-Id.",
	requestId: "Request ID",
	code: "Code",
	subject: "Refused",
	anySubject: "Anything",
	subjects: { api_client: "API client", oauth_client: "OAuth client", gate: "Gate" },
	period: (from: string, to: string) => `Only calls from ${from} to ${to}.`,
	nothing: "No refused call found",
	nothingText:
		"Refused calls appear after a few seconds and are kept for 30 days, of each code only the newest ones.",
	cards: {
		api_client: {
			title: "Refused calls",
			text: "By reason, most recent first. Expand a reason to see what it means.",
			none: "No calls were refused in the last 30 days.",
			kept: "Calls from the last 30 days, up to 20 per reason and 100 in total. New calls appear after a few seconds.",
		},
		oauth_client: {
			title: "Refused sign-ins",
			text: "By reason, most recent first. Anyone who knows the client ID may have sent these requests.",
			none: "No request was refused in the last 30 days.",
			kept: "Requests from the last 30 days, up to 20 per reason and 100 in total. New ones appear after a few seconds.",
		},
		gate: {
			title: "Refused requests",
			text: "By reason, most recent first. Expand a reason to see what it means.",
			none: "No request was refused in the last 30 days.",
			kept: "The newest requests from the last 30 days. New ones appear after a few seconds.",
		},
	},
	allRefusals: "All of them",
	reload: "Reload",
	whatToDo: "What to do:",
	repairs: {
		offer: {
			allow: (ip: string) => `Add ${ip} to the allowlist`,
			enable: () => "Enable the client",
			extend: () => "Extend the expiry",
			resend: () => "Send the link again",
		},
		title: {
			allow: (ip: string) => `Add ${ip} to the allowlist?`,
			enable: () => "Enable the client?",
			extend: () => "Extend the expiry?",
			resend: () => "Send the link again?",
		},
		text: {
			allow: (name: string) =>
				`${name} may then call from this address, too. Ask the partner first: anyone with the Secret may have sent these calls.`,
			enable: (name: string) => `The service accepts calls of ${name} again.`,
			extend: (name: string) => `The service accepts calls of ${name} again until the end of the last day.`,
			resend: (name: string, email: string) =>
				`${email} gets a new link to claim the credentials of ${name}. The previous link stops working.`,
		},
		submit: { allow: "Add", enable: "Enable", extend: "Extend", resend: "Send" },
		done: {
			allow: (name: string, ip: string) => `${name} may call from ${ip}.`,
			enable: (name: string) => `${name} is enabled.`,
			extend: (name: string) => `The expiry of ${name} was extended.`,
			resend: (name: string) => `A new link to claim ${name} is being sent.`,
		},
		notNeeded: (name: string) =>
			`This is no longer the cause: ${name} was changed after these calls. Its page shows the current settings.`,
	},
	pkce: {
		usual: (library: string) => `The redirect URI is the usual one of ${library}. There, the setting is:`,
		guide: "The setting of each library",
	},
	unproven: (count: number) =>
		format.plural(count, {
			one: "One call did not prove its caller. Anyone who knows the API key or client ID may have sent it.",
			other:
				"# calls did not prove their caller. Anyone who knows the API key or client ID may have sent them.",
		}),
	at: "Time",
	call: "Call",
	concerns: "Concerns",
	rule: "Rule",
	caller: "Caller",
	detail: "Detail",
	from: "Address",
	explainThis: "Explain the signature",
	otherReason: {
		title: "Refused with another code",
		meaning: "The call was refused with this code.",
		todo: "Look up the code in the list of error codes in the API documentation.",
	},
	reasons: {
		"signature.mismatch": {
			title: "The signature does not match",
			meaning: "The client signed something other than what arrived, or used a different Secret.",
			todo: "Use “Explain a signature”. Often the body or the query was changed after signing, the Secret was replaced, or a proxy rewrote the path.",
		},
		"signature.headers": {
			title: "A signature header is missing or malformed",
			meaning: "One of the six signature headers was missing, repeated or malformed.",
			todo: "Send each header exactly once. The response names the header at fault.",
		},
		"signature.timestamp": {
			title: "The clock of the client is wrong",
			meaning: "The time in X-Timestamp differs from the service's clock by more than 300 seconds.",
			todo: "Synchronize the client's clock with NTP, and sign each call just before sending it.",
		},
		"nonce.reused": {
			title: "The same call was sent twice",
			meaning:
				"X-Nonce was used before. The client repeated a request without signing it again, or someone replayed it.",
			todo: "Use a new nonce and a new signature for every attempt, including retries after a timeout.",
		},
		"ip.not_allowed": {
			title: "The IP address is not allowed",
			meaning: "The signature was valid, but the call came from an IP address that is not on the allowlist.",
			todo: "If the address belongs to the partner, add it to the allowlist. If not, regenerate the Secret immediately.",
		},
		"scope.missing": {
			title: "A scope is missing",
			meaning: "The caller lacks the scope that the endpoint or the rule requires.",
			todo: "Add the scope if the caller needs it. A program must ask for it in a new sign-in.",
		},
		"client.unknown": {
			title: "Unknown API key",
			meaning: "No client has the API key that was sent.",
			todo: "Compare the API key with the one in the console.",
		},
		"client.disabled": {
			title: "The client is disabled",
			meaning: "This client was disabled but still sends calls.",
			todo: "Enable the client, or ask the partner to stop.",
		},
		"client.expired": {
			title: "The client has expired",
			meaning: "This client's expiry date has passed, but it still sends calls.",
			todo: "Set a later expiry date, or ask the partner to stop.",
		},
		"client.unclaimed": {
			title: "The credentials were not collected",
			meaning: "The client has no Secret yet, but someone called with its API key.",
			todo: "Send the link again from the access request.",
		},
		"client.application_disabled": {
			title: "The application is disabled",
			meaning: "The application of this client is disabled, so all its clients are refused.",
			todo: "Enable the application.",
		},
		"client.other_tenant": {
			title: "Wrong tenant ID",
			meaning: "X-Tenant-ID does not name the tenant of this client.",
			todo: "Send the tenant ID that the page of the client shows.",
		},
		"client.other_application": {
			title: "Wrong application ID",
			meaning: "X-App-ID does not name the application of this client.",
			todo: "Send the application ID that the page of the client shows.",
		},
		"request.invalid": {
			title: "The input is not valid",
			meaning: "The signature was valid, but a field in the body was missing or invalid.",
			todo: "The response names the field.",
		},
		"request.too_many": {
			title: "Too many requests",
			meaning: "The IP address or the client sent more requests in a minute than its limit allows.",
			todo: "Wait as long as Retry-After says. If the load is regular, spread it or cache the responses.",
		},
		"user.not_found": {
			title: "No such user",
			meaning: "The signature was valid, but the requested user does not exist.",
			todo: "None if the user was deleted. Otherwise, check which ID the client sends.",
		},
		"transport.https_required": {
			title: "The call did not use HTTPS",
			meaning: "The call arrived over plain HTTP, or over a proxy that the service does not trust.",
			todo: "Use the https URL. If a proxy terminates TLS, list its address in LATCHKEY_TRUSTED_PROXIES.",
		},
		"token.missing": {
			title: "The request named no caller",
			meaning: "The request had no signature, no token, and no session.",
			todo: "Sign the request, send an access token, or sign in. If everyone may call this path, give its rule the requirement public.",
		},
		"token.invalid": {
			title: "The token is not valid",
			meaning: "The access token is malformed, has expired, or was issued for something else.",
			todo: "Get a new token, with the resource of this API.",
		},
		"token.unverified": {
			title: "The token was not issued here",
			meaning: "The signature of the access token is wrong, or its key is not one of this service.",
			todo: "Get the token from this service, and send it unchanged.",
		},
		"token.expired": {
			title: "The token has expired",
			meaning: "The caller used an access token after its end.",
			todo: "Get a new one with the refresh token before the old one expires.",
		},
		"session.ended": {
			title: "The session has ended",
			meaning: "The person signed out, or the session was revoked or has expired.",
			todo: "Sign in again.",
		},
		"mfa.required": {
			title: "A second factor is missing",
			meaning: "The rule requires that people signed in with a second factor.",
			todo: "Sign in again with a second factor. People without one add it on their account page.",
		},
		"application.access_denied": {
			title: "The caller has no access",
			meaning:
				"The caller was recognized, but may not use the application, or no role gives the permission that the rule requires.",
			todo: "Give access on the application's page, or a role with the permission.",
		},
		"application.disabled": {
			title: "The application is disabled",
			meaning: "A disabled application refuses everyone.",
			todo: "Enable the application.",
		},
		"gate.no_rule": {
			title: "No rule matches",
			meaning: "The gate refuses every method and path without a rule.",
			todo: "Add a rule if the path should be reachable. Use “Test a request” to see which rule applies.",
		},
		"gate.path": {
			title: "The path is ambiguous",
			meaning:
				"Programs read this path in different ways, for example an encoded slash or two slashes in a row.",
			todo: "Call the path in its plain form.",
		},
		"gate.request": {
			title: "The proxy sent an incomplete question",
			meaning: "The request to the gate lacks a header that describes the call, or repeats one.",
			todo: "Compare the configuration of the proxy with the one under “Connect your API”.",
		},
		"gate.two_proofs": {
			title: "The request has two proofs",
			meaning: "The request had both a signature and Authorization, or one of them twice.",
			todo: "Send only one of them, once.",
		},
		"gate.body_unbound": {
			title: "The signature does not cover the body",
			meaning: "A proxy cannot see the body, so the caller must declare its digest.",
			todo: "Send Content-Digest with the SHA-256 of the body, as the packages do.",
		},
		"gate.caller_kind": {
			title: "The kind of caller is not accepted",
			meaning: "The settings of the gate exclude partners, people, or programs.",
			todo: "Accept this kind of caller in the settings of the gate.",
		},
		"gate.test_client": {
			title: "A test client called",
			meaning: "The rule does not accept test clients.",
			todo: "Allow test clients in the rule, or use the credentials of the approved client.",
		},
		"gate.origin": {
			title: "The request came from another site",
			meaning: "A browser with a session may change data only from a page of the same host.",
			todo: "Call from a page of the application. Programs use a token instead of the cookie.",
		},
		invalid_client: {
			title: "The client did not authenticate",
			meaning: "The secret or key was wrong or missing, or the method of authentication was another one.",
			todo: "Compare the secret and the method of authentication in the application with those shown here.",
		},
		invalid_grant: {
			title: "The code or token is no longer valid",
			meaning:
				"The authorization code or refresh token has expired, was used before, or belongs to another client or redirect URI.",
			todo: "Use each code once, within a minute, with the same redirect URI and code verifier. Store the newest refresh token.",
		},
		invalid_redirect_uri: {
			title: "The redirect URI is not registered",
			meaning: "The application sent a redirect URI that does not match a registered one exactly.",
			todo: "Register the URI in the settings, character by character, or correct it in the application.",
		},
		invalid_request: {
			title: "The request is incomplete or not allowed",
			meaning: "A parameter is missing, repeated, or not allowed for this client.",
			todo: "Read the detail. If code_challenge is missing, turn on PKCE (S256) in the application's library.",
		},
		invalid_scope: {
			title: "A scope is not allowed",
			meaning: "The application asked for a scope that does not exist or that it may not use.",
			todo: "Remove the scope from the request, or allow it in the settings.",
		},
		invalid_target: {
			title: "The resource is not allowed",
			meaning: "The application asked for a token for an API that is unknown or that it may not call.",
			todo: "Add the API to the settings of the client, with the same resource.",
		},
		unauthorized_client: {
			title: "The client may not do this",
			meaning: "The type of the client does not allow this way to get a token.",
			todo: "Check the type of the client in its settings.",
		},
		access_denied: {
			title: "The sign-in was declined",
			meaning: "The person declined, or has no access to the application.",
			todo: "Give the person access if it was not a choice.",
		},
	},
};
