// `/identity-providers/set-up-links` and `/set-up`: the IT of another organization sets up its own sign-in.

import { DOMAIN_MAX } from "../../../domain/email-domain.ts";
import {
	CLIENT_ID_MAX,
	CLIENT_SECRET_MAX,
	ISSUER_MAX,
	SUBJECT_CLAIMS,
} from "../../../domain/identity-provider.ts";
import type { InPerson } from "../../../domain/session.ts";
import {
	SET_UP_PAGE,
	SET_UP_SECONDS_MAX,
	SET_UP_SECONDS_MIN,
	type SetUpCaller,
} from "../../../domain/set-up-link.ts";
import { data, empty, endpoint, withCookie } from "../../../http/describe/endpoint.ts";
import {
	choice,
	exactText,
	integer,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
	uuid,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { names, recordOf, recordSchema } from "../domains/endpoints.ts";
import {
	startedTestSchema,
	startTest,
	testSchema,
	toWireLastTest,
} from "../third-party/provider-test-wire.ts";
import { createCallbacks } from "../third-party/sign-in-urls.ts";
import { createSetUpLink, revokeSetUpLink } from "./create-link.ts";
import { findDomain, finishSetUp, saveIssuer, slugOf } from "./set-up-issuer.ts";

const linkSchema = object(
	{
		url: plain({
			description:
				"For the organization's IT. Shown once; its token is in the fragment, which browsers send to no server.",
			examples: ["https://id.example.com/set-up#lsu_PJ4mCWJvVZzQ1WjfnGxGTVbkKXKHh2yZJ0hWkN0bOoM"],
		}),
		expires_at: time(),
	},
	{ title: "SetUpLink" },
);
const toWireLink = toWire(linkSchema);

const setUpSchema = object(
	{
		domain: plain({ examples: ["example.com"] }),
		tenant: plain("The name of the tenant."),
		application: nullable(plain("The application that the organization wants to use, if one was named.")),
		record: recordSchema,
		verified_at: nullable(time("When the domain was verified.")),
		callback_url: plain("The redirect URI to register at the issuer."),
		issuer: nullable(plain("Null before the first save, like the next two.")),
		client_id: nullable(plain()),
		client_secret_set_at: nullable(time()),
		subject_claim: choice(SUBJECT_CLAIMS),
		last_test: nullable(testSchema),
		tested_at: nullable(time("When an address of the domain signed in with the present settings.")),
		tested_by: plain("The address that signed in last; empty before the first trial."),
		expires_at: time("When the link expires."),
	},
	{ title: "SetUp" },
);
const toWireSetUp = toWire(setUpSchema);

export function setUpEndpoints(platform: Platform) {
	const { stores } = platform.db;
	const callbackOf = createCallbacks(platform);
	const show = async ({ tenantId, link: presented }: SetUpCaller) => {
		const domain = await findDomain(stores, presented);
		const { issuerId = null } = domain;
		const issuer =
			issuerId === null ? undefined : await stores.identityProviders.findById(tenantId, issuerId);
		const link = (issuer && (await stores.setUpLinks.findByIssuer(tenantId, issuer.id))) ?? presented;
		const application =
			link.applicationId === null
				? undefined
				: await stores.applications.findById(tenantId, link.applicationId);
		return toWireSetUp({
			...link,
			domain: domain.domain,
			tenant: (await stores.tenants.findById(tenantId))?.name ?? "",
			application: application?.name ?? null,
			record: recordOf(domain),
			verifiedAtMs: domain.verifiedAtMs,
			callbackUrl: (await callbackOf({ tenantId, provider: issuer?.provider ?? slugOf(domain) })).url,
			issuer: issuer?.issuer ?? null,
			clientId: issuer?.clientId ?? null,
			clientSecretSetAtMs: issuer?.clientSecretSetAtMs ?? null,
			subjectClaim: issuer?.subjectClaim ?? "sub",
			...toWireLastTest(issuer ?? { lastTest: null }),
		});
	};
	return {
		createLink: endpoint<InPerson>()({
			name: "createSetUpLink",
			summary: "Create a set-up link",
			description:
				"For the IT of another organization, who sets up one identity provider for one domain with it, and nothing else. Adds the domain unless the tenant has it. A new link replaces the earlier one of the domain. The provider stays disabled until the link is finished and an administrator enables it.",
			body: object({
				domain: text({ max: DOMAIN_MAX, examples: ["example.com"] }),
				application_id: optional(nullable(uuid("Shown on the page: what the sign-in is for."))),
				expires_in: optional(
					integer({
						min: SET_UP_SECONDS_MIN,
						max: SET_UP_SECONDS_MAX,
						description: "Seconds until the link expires. Default: seven days.",
					}),
				),
			}),
			response: data(201, linkSchema, "The link."),
			errors: ["domain.too_many", "set_up.done"],
			secret: true,
			async handle({ caller, body: { domain, application_id: applicationId = null, expires_in } }) {
				const expiresInSeconds = expires_in ?? SET_UP_SECONDS_MAX;
				return toWireLink(
					await createSetUpLink(platform, { domain, applicationId, expiresInSeconds }, caller),
				);
			},
		}),

		revokeLink: endpoint<InPerson>()({
			name: "revokeSetUpLink",
			summary: "Revoke the set-up link of a domain",
			description:
				"The link expires immediately, so nothing can be changed with it. What was set up with it stays, disabled. Idempotent: also without an open link.",
			names,
			response: empty(204, "No link of the domain is open."),
			handle: ({ caller, ids: { domain } }) => revokeSetUpLink(platform, domain, caller),
		}),

		get: endpoint<SetUpCaller>()({
			name: "getSetUp",
			summary: "Get what a link sets up",
			response: data(200, setUpSchema, "What to enter at the issuer, and what is set up."),
			handle: ({ caller }) => show(caller),
		}),

		put: endpoint<SetUpCaller>()({
			name: "putSetUp",
			summary: "Save the issuer of a link",
			description:
				"Reads the discovery document of the issuer, as at `POST /identity-providers`. A trial sign-in with earlier settings does not count any more.",
			body: object({
				issuer: text({
					max: ISSUER_MAX,
					description: "An https URL, exactly as its discovery document names it.",
					examples: ["https://login.example.com"],
				}),
				client_id: exactText({ max: CLIENT_ID_MAX, description: "The client id that the issuer created." }),
				client_secret: secretText({
					max: CLIENT_SECRET_MAX,
					description: "Stored encrypted and never returned.",
				}),
				subject_claim: optional(
					choice(SUBJECT_CLAIMS, { description: "`oid` for Microsoft Entra ID, otherwise `sub` (default)." }),
				),
			}),
			response: data(200, setUpSchema, "What is set up."),
			errors: ["issuer.mismatch", "identity_provider.too_many", "identity_provider.slug_taken"],
			async handle({ caller, body }) {
				const { issuer, client_id: clientId, client_secret: clientSecretPlain, subject_claim } = body;
				const fields = { issuer, clientId, clientSecretPlain, subjectClaim: subject_claim ?? "sub" };
				await saveIssuer(platform, fields, caller);
				return await show(caller);
			},
		}),

		test: endpoint<SetUpCaller>()({
			name: "testSetUp",
			summary: "Try the issuer of a link",
			description:
				"Like `POST /identity-providers/{id}/test`; the browser returns to the page of the link with the fragment `#tested`. Counts if an address of the domain signs in.",
			response: withCookie(data(200, startedTestSchema, "The URL for the trial sign-in, or what is wrong.")),
			errors: ["set_up.untested"],
			secret: true,
			async handle({ caller, request }) {
				const { issuerId } = await findDomain(stores, caller.link);
				if (issuerId === null) throw new AppError("set_up.untested", "save the issuer before you try it");
				return await startTest({ ...platform, callbackOf }, issuerId, caller, SET_UP_PAGE, request);
			},
		}),

		finish: endpoint<SetUpCaller>()({
			name: "finishSetUp",
			summary: "Finish a set-up link",
			description:
				"Looks up the record of the domain unless it is verified. Needs a successful trial sign-in. The link ends, the administrators are mailed, and one of them enables the provider.",
			response: empty(204, "The set-up is finished."),
			errors: ["set_up.untested", "domain.unverified", "domain.taken"],
			handle: ({ caller }) => finishSetUp(platform, caller),
		}),
	};
}
