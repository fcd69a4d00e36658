// The expected behavior of every route, written independently of the code: who may call it, with what, and the result.

import type { Scope } from "../../src/domain/api-client.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import type { ErrorCode } from "../../src/kernel/error.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { newKey } from "../harness/access/partner-keys.ts";
import { providerBody } from "../harness/providers/identity-providers.ts";
import { png } from "../harness/runs/png.ts";
import type { Side } from "./sides.ts";

export type Ids = Readonly<Record<string, string>>;

/** Whom the guard admits. */
export type Audience =
	| "everybody"
	| "signed in"
	| "signed in, not for an application"
	| "admin"
	| "admin, auditor"
	| "admin, reviewer"
	| "admin, reviewer, auditor"
	| "platform admin"
	| "supporter"
	| "set-up link"
	| "client"
	| "client with scope";

export interface Row {
	readonly who: Audience;
	/** The status for an admitted caller and records of their own tenant. */
	readonly ok: number;
	/** The status if one of the records is absent; default: 404. */
	readonly absent?: number;
	/** Creates the records of a call in that tenant. @returns the ids for the path and the body */
	readonly records?: (side: Side) => Promise<Ids>;
	/** The ids that are looked up in the caller's tenant; default: all. */
	readonly tenantScoped?: readonly string[];
	/** Existing records of one tenant without what the route is about, and the code of the 404. */
	readonly without?: readonly [records: (side: Side) => Promise<Ids>, code: ErrorCode];
	/** The scope that a client needs. */
	readonly scope?: Scope;
	/** `password` is that of the caller. */
	readonly body?: (ids: Ids, count: number, password: string) => unknown;
	/** Accepts admin keys too; instead of a signature, those with the role `admin`. */
	readonly keys?: true;
	/** A call revokes the caller's session or Secret, so every call uses a new caller. */
	readonly disposable?: true;
	/** Admits the managers of the record `id` of this kind, too. */
	readonly managed?: "application" | "group";
	/** Every caller uses HTTPS, as API clients always do. */
	readonly https?: true;
}

const user = async (side: Side): Promise<Ids> => ({ id: await side.addUser() });
const anyone = async (side: Side): Promise<Ids> => ({ id: await side.anyUser() });
const tenant = async ({ tenantId }: Side): Promise<Ids> => ({ id: tenantId });
const ABSENT_KEY = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
/** With two keys. @returns the id of the second */
const keyClient = async (side: Side): Promise<Ids> => {
	const { id } = await side.addClient();
	const path = `/api/v1/api-clients/${id}/keys`;
	for (const _ of [1, 2]) await side.make("POST", path, { public_key: newKey().public_key });
	const { public_keys } = await side.make("GET", `/api/v1/api-clients/${id}`);
	return { id, key_id: (public_keys as { key_id: string }[])[1]?.key_id ?? "" };
};
const otherKey = async (side: Side): Promise<Ids> => ({ ...(await keyClient(side)), key_id: ABSENT_KEY });
const application = async (side: Side): Promise<Ids> => ({ id: await side.addApplication() });
const applicationLogo = async (side: Side): Promise<Ids> => {
	const ids = await application(side);
	await side.make("PUT", `/api/v1/applications/${ids.id}/logo`, png());
	return ids;
};
const tenantLogo = async (side: Side): Promise<Ids> => {
	await side.make("PUT", "/api/v1/branding/logo", png());
	return {};
};
const image = async (side: Side): Promise<Ids> => {
	const { icon_url } = await side.make("PUT", "/api/v1/branding/logo?variant=icon", png(3, 3));
	return { digest: String(icon_url).slice(-64) };
};
const apiClient = async (side: Side): Promise<Ids> => ({ id: (await side.addClient()).id });
const group = async (side: Side): Promise<Ids> => ({ id: await side.addGroup() });
const request = async (side: Side): Promise<Ids> => ({ id: await side.submit() });
const role = async (side: Side): Promise<Ids> => side.addRole();
const webhook = async (side: Side): Promise<Ids> => ({ id: await side.addWebhook() });
const noDelivery = async (side: Side): Promise<Ids> => ({
	...(await webhook(side)),
	delivery_id: await side.anyUser(),
});
const provider = async (side: Side): Promise<Ids> => ({ id: (await side.addProvider()).id });
const directory = async (side: Side): Promise<Ids> => {
	const ids = await provider(side);
	await side.make("PUT", `/api/v1/identity-providers/${ids.id}/directory`, { on_remove: "disable" });
	return ids;
};
let domains = 0;
const domain = async (side: Side): Promise<Ids> => {
	const { domain: name } = await side.make("POST", "/api/v1/domains", { domain: `d${++domains}.example` });
	return { domain: String(name) };
};
const question = async (side: Side): Promise<Ids> => ({
	user_id: await side.anyUser(),
	app_id: await side.addApplication(),
});
const account = async (side: Side): Promise<Ids> => {
	const id = await side.addUser();
	const account_id = await side.linkAccount(id);
	return { id, account_id };
};
const userGrant = async (side: Side): Promise<Ids> => {
	const ids = { id: await side.addApplication(), user_id: await side.anyUser() };
	await side.make("PUT", `/api/v1/applications/${ids.id}/grants/users/${ids.user_id}`, { roles: [] });
	return ids;
};
/** The event of a new grant. */
const givenGrant = async (side: Side): Promise<Ids> => {
	const { user_id } = await userGrant(side);
	const query = `action=grant.created&target=user:${user_id}&page_size=1`;
	const events = (await side.make("GET", `/api/v1/audit-events?${query}`)) as unknown as Ids[];
	return { id: events[0]?.id ?? "" };
};
const groupGrant = async (side: Side): Promise<Ids> => {
	const ids = { id: await side.addApplication(), group_id: await side.addGroup() };
	await side.make("PUT", `/api/v1/applications/${ids.id}/grants/groups/${ids.group_id}`, { roles: [] });
	return ids;
};
const oauthClient = async (side: Side): Promise<Ids> => {
	const ids = { id: await side.addApplication() };
	await side.make("PUT", `/api/v1/applications/${ids.id}/oauth-client`, { type: "web" });
	return ids;
};
const gate = async (side: Side): Promise<Ids> => {
	const ids = { id: await side.addApplication() };
	await side.make("PUT", `/api/v1/applications/${ids.id}/gate`, { rules: [] });
	return ids;
};
const clientOfApplication = async (side: Side): Promise<Ids> => {
	const { app_id = "", id = "" } = await side.addClient();
	return { id: app_id, client_id: id };
};
const clientGrant = async (side: Side): Promise<Ids> => {
	const ids = await clientOfApplication(side);
	await side.make("PUT", `/api/v1/applications/${ids.id}/grants/api-clients/${ids.client_id}`, { roles: [] });
	return ids;
};
const programOfApplication = async (side: Side): Promise<Ids> => ({
	id: await side.addApplication(),
	application_id: (await oauthClient(side)).id ?? "",
});
const programGrant = async (side: Side): Promise<Ids> => {
	const ids = await programOfApplication(side);
	await side.make("PUT", `/api/v1/applications/${ids.id}/grants/programs/${ids.application_id}`, {
		roles: [],
	});
	return ids;
};
const member = async (side: Side): Promise<Ids> => {
	const ids = { id: await side.addGroup(), user_id: await side.anyUser() };
	await side.make("PUT", `/api/v1/groups/${ids.id}/members/${ids.user_id}`);
	return ids;
};
const userInGroup = async (side: Side): Promise<Ids> => ({
	id: await side.addGroup(),
	user_id: await side.anyUser(),
});
const managerOfGroup = async (side: Side): Promise<Ids> => {
	const ids = await userInGroup(side);
	await side.make("PUT", `/api/v1/groups/${ids.id}/managers/${ids.user_id}`);
	return ids;
};
const userOfApplication = async (side: Side): Promise<Ids> => ({
	id: await side.addApplication(),
	user_id: await side.anyUser(),
});
const managerOfApplication = async (side: Side): Promise<Ids> => {
	const ids = await userOfApplication(side);
	await side.make("PUT", `/api/v1/applications/${ids.id}/managers/${ids.user_id}`);
	return ids;
};
const groupOfApplication = async (side: Side): Promise<Ids> => ({
	id: await side.addApplication(),
	group_id: await side.addGroup(),
});

/** The second record belongs to another first one. */
const crossed =
	(records: (side: Side) => Promise<Ids>) =>
	async (side: Side): Promise<Ids> => ({ ...(await records(side)), id: (await records(side)).id ?? "" });

const PASSWORD = "a password for the matrix";
const soon = (): string => new Date(Date.now() + DAY_MS).toISOString();
const owner = (_ids: Ids, _count: number, password: string) => ({ password });
const named = (_ids: Ids, count: number) => ({ name: `Named ${count}` });
const subject = ({ user_id, app_id }: Ids) => ({
	subject: { type: "user", id: user_id },
	action: { name: "@access" },
	resource: { type: "application", id: app_id },
});

const closedReviews = new WeakMap<Side, Promise<Ids>>();
/** The same closed review every time: a tenant has at most 20 open ones. */
const review = (side: Side): Promise<Ids> => {
	const made = closedReviews.get(side) ?? addClosedReview(side);
	closedReviews.set(side, made);
	return made;
};
async function addClosedReview(side: Side): Promise<Ids> {
	await side.addClient();
	const body = { name: "Closed", subject: "partners", unanswered: "keep", due_at: soonest() };
	const { id } = await side.make("POST", "/api/v1/reviews", body);
	const items = await side.make("GET", `/api/v1/reviews/${id}/items`);
	await side.make("POST", `/api/v1/reviews/${id}/close`);
	const [first] = items as unknown as readonly { readonly id: string }[];
	return { id: String(id), item_id: String(first?.id) };
}
const otherReview = async (side: Side): Promise<Ids> => ({
	...(await review(side)),
	id: (await addClosedReview(side)).id ?? "",
});
const onlyReview = async (side: Side): Promise<Ids> => ({ id: (await review(side)).id ?? "" });
/** A review lasts at least a day. */
const soonest = (): string => new Date(Date.now() + 2 * DAY_MS).toISOString();

const RESOURCES = { allowed_resources: [] };
const program = async (side: Side): Promise<Ids> => {
	const { application_id } = await side.make(
		"POST",
		`/api/v1/requests/${await side.askForProgram()}/approve`,
		RESOURCES,
	);
	return { application_id: String(application_id) };
};

/** A row of the routes that admit `who`. */
const admits =
	(who: Audience, keys?: true) =>
	(ok: number, rest: Omit<Row, "who" | "keys" | "ok"> = {}): Row => ({
		who,
		ok,
		...(keys && { keys }),
		...rest,
	});
const everybody = admits("everybody");
const signedIn = admits("signed in");
const signedInOrKey = admits("signed in", true);
const inPerson = admits("signed in, not for an application");
const inPersonOrKey = admits("signed in, not for an application", true);
const admin = admits("admin");
const adminOrKey = admits("admin", true);
const auditor = admits("admin, auditor");
const auditorOrKey = admits("admin, auditor", true);
const reviewerOrKey = admits("admin, reviewer", true);
const readerOrKey = admits("admin, reviewer, auditor", true);
const platformAdmin = admits("platform admin");
const platformAdminOrKey = admits("platform admin", true);
const supporter = admits("supporter");
const setUpLink = admits("set-up link");
const client = admits("client");
const scopedClient = admits("client with scope");
const scopedClientOrKey = admits("client with scope", true);

export const TABLE: Readonly<Record<string, Row>> = {
	"GET /health": everybody(200),

	"POST /api/v1/access-requests": everybody(201, {
		body: (_ids, count) => ({
			applicant_name: "Ada",
			email: `ada-${count}@matrix.example`,
			project_name: "Engine",
			purpose: "To compute.",
		}),
	}),
	"GET /api/v1/programs": auditorOrKey(200),
	"GET /api/v1/programs/{application_id}": auditorOrKey(200, { records: program }),
	"PATCH /api/v1/programs/{application_id}": adminOrKey(200, {
		records: program,
		body: () => ({ status: "suspended" }),
	}),
	"DELETE /api/v1/programs/{application_id}": adminOrKey(204, { records: program }),
	"POST /api/v1/programs/{application_id}/read-again": adminOrKey(202, { records: program }),
	"GET /api/v1/auth/programs/requests/{asked_program_id}": signedIn(404),
	"POST /api/v1/auth/programs/requests/{asked_program_id}/ask": inPerson(404, {
		body: () => ({ reason: "I need this program." }),
	}),
	"GET /api/v1/requests": readerOrKey(200),
	"GET /api/v1/requests/{id}": readerOrKey(200, { records: request }),
	"POST /api/v1/requests/{id}/approve": reviewerOrKey(200, { records: request, body: () => ({}) }),
	"POST /api/v1/requests/{id}/reject": reviewerOrKey(200, {
		records: request,
		body: () => ({ review_note: "No." }),
	}),
	"POST /api/v1/requests/{id}/decision-mail": reviewerOrKey(200, {
		records: request,
		body: () => ({ decision: "approve" }),
	}),
	"POST /api/v1/requests/{id}/resend": reviewerOrKey(409, { records: request }),
	"POST /api/v1/access-requests/claim": everybody(404, { body: () => ({ token: "none" }) }),
	"POST /api/v1/access-requests/test-client": everybody(404, { body: () => ({ token: "none" }) }),
	"POST /api/v1/access-requests/withdraw": everybody(404, { body: () => ({ token: "none" }) }),
	"POST /api/v1/access-requests/withdraw/preview": everybody(404, { body: () => ({ token: "none" }) }),

	"GET /.well-known/jwks.json": everybody(200),
	// Mailed codes are off in a new tenant.
	"POST /api/v1/auth/login/send-code": everybody(403, {
		body: (_ids, count) => ({ email: `nobody-${count}@matrix.example` }),
	}),
	"POST /api/v1/auth/login/code": everybody(403, { body: () => ({ attempt: "none", code: "000000" }) }),
	"POST /api/v1/auth/register/send-code": everybody(200, {
		body: (_ids, count) => ({ email: `new-${count}@matrix.example` }),
	}),
	"POST /api/v1/auth/register/check-code": everybody(400, {
		body: (_ids, count) => ({ email: `new-${count}@matrix.example`, code: "000000" }),
	}),
	"POST /api/v1/auth/register": everybody(400, {
		body: (_ids, count) => ({
			username: `new-${count}`,
			email: `new-${count}@matrix.example`,
			password: PASSWORD,
			code: "000000",
		}),
	}),
	"POST /api/v1/auth/login": everybody(401, {
		body: (_ids, count) => ({ username: `nobody-${count}`, password: PASSWORD }),
	}),
	"POST /api/v1/auth/refresh": everybody(401, { body: () => ({ refresh_token: "none" }) }),
	"POST /api/v1/auth/password/forgot": everybody(202, {
		body: (_ids, count) => ({ email: `forgetful-${count}@matrix.example` }),
	}),
	"POST /api/v1/auth/password/reset": everybody(404, {
		body: () => ({ token: "none", new_password: PASSWORD }),
	}),
	"POST /api/v1/auth/invite/accept": everybody(404, { body: () => ({ token: "none", password: PASSWORD }) }),
	"POST /api/v1/auth/email/restore": everybody(404, { body: () => ({ token: "none" }) }),
	"POST /api/v1/auth/mfa": everybody(401, {
		body: () => ({ mfa_token: "none", method: "totp", code: "000000" }),
	}),
	"POST /api/v1/auth/mfa/help": everybody(401, { body: () => ({ mfa_token: "none" }) }),
	"POST /api/v1/auth/mfa/passkey-options": everybody(401, { body: () => ({ mfa_token: "none" }) }),
	"POST /api/v1/auth/passkey/start": everybody(200),
	"POST /api/v1/auth/passkey": everybody(401, { body: () => ({ assertion: {} }) }),
	"POST /api/v1/auth/mfa/passkeys": everybody(401, { body: () => ({ mfa_token: "none" }) }),
	"POST /api/v1/auth/mfa/passkeys/confirm": everybody(401, {
		body: () => ({ mfa_token: "none", name: "Key", credential: {} }),
	}),
	"POST /api/v1/auth/mfa/totp": everybody(401, { body: () => ({ mfa_token: "none" }) }),
	"POST /api/v1/auth/mfa/totp/confirm": everybody(401, {
		body: () => ({ mfa_token: "none", code: "000000" }),
	}),
	// The sessions of this table require no second factor.
	"POST /api/v1/auth/mfa/step-up": inPerson(409, { body: (_, __, password) => ({ password }) }),
	"POST /api/v1/auth/logout": signedIn(204, { disposable: true }),
	"GET /api/v1/auth/methods": everybody(200),

	// No application has requested a sign-in: unknown and malformed ids return the same.
	"GET /api/v1/auth/interactions/{interaction_id}": everybody(404),
	"POST /api/v1/auth/interactions/{interaction_id}/continue": signedIn(404),
	"POST /api/v1/auth/interactions/{interaction_id}/consent": signedIn(404),
	"POST /api/v1/auth/interactions/{interaction_id}/deny": everybody(404),
	// No device shows such a code, so it does not count as a guess.
	"POST /api/v1/auth/device-codes/preview": inPerson(404, { body: () => ({ user_code: "none" }) }),
	"POST /api/v1/auth/device-codes/approve": inPerson(404, { body: () => ({ user_code: "none" }) }),
	"POST /api/v1/auth/device-codes/deny": inPerson(404, { body: () => ({ user_code: "none" }) }),
	"GET /api/v1/auth/sign-outs/{sign_out_id}": everybody(404),

	"GET /api/v1/auth/third-party/providers": everybody(200),
	// Without a session, the tenant is `default`, which does not have the provider.
	"POST /api/v1/auth/third-party/{provider}/start": everybody(404, {
		body: () => ({ return_to: "/sign-in" }),
	}),
	"GET /api/v1/auth/third-party/{provider}/callback": everybody(400),
	"POST /api/v1/auth/third-party/{provider}/callback": everybody(400),
	// Requires the origin of the pages.
	"POST /api/v1/auth/third-party/finish": everybody(403, { https: true }),
	"POST /api/v1/users/me/third-party-accounts/{provider}/start": signedIn(200, {
		tenantScoped: ["provider"],
		records: async (side) => ({
			provider: (await side.addProvider({ kind: "github", issuer: null })).provider,
		}),
		body: (_ids, _count, password) => ({ return_to: "/account", password }),
	}),
	"GET /api/v1/identity-providers": auditorOrKey(200),
	"POST /api/v1/identity-providers": admin(201, {
		body: (_ids, count) => providerBody({ provider: `matrix-${count}` }),
	}),
	"GET /api/v1/identity-providers/{id}": auditorOrKey(200, { records: provider }),
	"PATCH /api/v1/identity-providers/{id}": admin(200, {
		records: provider,
		body: () => ({ display_name: "New" }),
	}),
	"POST /api/v1/identity-providers/{id}/test": admin(200, { records: provider }),
	"DELETE /api/v1/identity-providers/{id}": admin(204, { records: provider }),

	"PUT /api/v1/identity-providers/{id}/directory": admin(201, {
		records: provider,
		body: () => ({ on_remove: "disable" }),
	}),
	"GET /api/v1/identity-providers/{id}/directory": auditorOrKey(200, {
		without: [provider, "directory.not_found"],
		records: directory,
	}),
	"DELETE /api/v1/identity-providers/{id}/directory": admin(204, {
		without: [provider, "directory.not_found"],
		records: directory,
	}),
	"POST /api/v1/identity-providers/{id}/directory/rotate-token": admin(200, {
		without: [provider, "directory.not_found"],
		records: directory,
		body: () => ({}),
	}),
	"GET /api/v1/identity-providers/{id}/directory/events": auditorOrKey(200, {
		without: [provider, "directory.not_found"],
		records: directory,
	}),
	"POST /api/v1/identity-providers/set-up-links": admin(201, {
		body: (_ids, count) => ({ domain: `s${count}.example` }),
	}),
	"DELETE /api/v1/identity-providers/set-up-links/{domain}": admin(204, { records: domain }),
	"GET /api/v1/set-up": setUpLink(200),
	"PUT /api/v1/set-up": setUpLink(200, {
		body: (_ids, count) => ({
			issuer: "https://login.partner.example",
			client_id: `c${count}`,
			client_secret: "s",
		}),
	}),
	// Nothing was saved.
	"POST /api/v1/set-up/test": setUpLink(409),
	"POST /api/v1/set-up/finish": setUpLink(409),
	"GET /api/v1/domains": auditorOrKey(200),
	"POST /api/v1/domains": admin(201, { body: (_ids, count) => ({ domain: `m${count}.example` }) }),
	"GET /api/v1/domains/{domain}": auditorOrKey(200, { records: domain }),
	"PATCH /api/v1/domains/{domain}": admin(200, { records: domain, body: () => ({ enforce: false }) }),
	// No name server knows the domain.
	"POST /api/v1/domains/{domain}/verify": admin(409, { records: domain }),
	"DELETE /api/v1/domains/{domain}": admin(204, { records: domain }),
	"POST /api/v1/auth/discover": everybody(200, { body: () => ({ identifier: "a@b.example" }) }),

	"GET /api/v1/users/me": signedIn(200),
	"PATCH /api/v1/users/me": inPerson(200, { body: () => ({ locale: "zh-CN" }) }),
	"DELETE /api/v1/users/me": inPerson(400, {
		// The correct password would delete the caller.
		body: () => ({ password: "not the password" }),
	}),
	"GET /api/v1/users/me/export": inPerson(200, { disposable: true }),
	"PUT /api/v1/users/me": everybody(405),
	"PUT /api/v1/users/me/password": signedIn(400, {
		// The new password is too common: a wrong current password would count against the IP address of all callers.
		body: (_ids, _count, password) => ({ current_password: password, new_password: "password123" }),
	}),
	"POST /api/v1/users/me/email": signedIn(200, {
		body: (_ids, count, password) => ({
			email: `moved-${count}@matrix.example`,
			current_password: password,
		}),
	}),
	"POST /api/v1/users/me/email/confirm": signedIn(400, {
		body: (_ids, count) => ({ email: `moved-${count}@matrix.example`, code: "000000" }),
	}),
	"GET /api/v1/users/me/mfa": inPerson(200),
	"POST /api/v1/users/me/mfa/totp": signedIn(201, { body: owner }),
	"POST /api/v1/users/me/mfa/totp/confirm": signedIn(400, { body: () => ({ code: "000000" }) }),
	"DELETE /api/v1/users/me/mfa/totp": signedIn(404, { body: owner }),
	"GET /api/v1/users/me/mfa/passkeys": inPerson(200),
	"POST /api/v1/users/me/mfa/passkeys": signedIn(201, { body: owner }),
	"POST /api/v1/users/me/mfa/passkeys/confirm": signedIn(400, {
		body: () => ({ name: "Key", credential: {} }),
	}),
	"PATCH /api/v1/users/me/mfa/passkeys/{id}": inPerson(404, { records: anyone, body: named }),
	"DELETE /api/v1/users/me/mfa/passkeys/{id}": signedIn(404, { records: anyone, body: owner }),
	"POST /api/v1/users/me/mfa/recovery-codes": signedIn(409, { body: owner }),
	"GET /api/v1/users/me/sessions": signedIn(200),
	"POST /api/v1/users/me/sessions/revoke": inPerson(200),
	"DELETE /api/v1/users/me/sessions/{id}": signedIn(404, {
		records: async (side) => ({ id: await side.sessionOfAnother() }),
	}),
	"GET /api/v1/users/me/grants": inPerson(200),
	"DELETE /api/v1/users/me/grants/{id}": inPerson(404, { records: anyone }),
	"GET /api/v1/users/me/requestable": inPerson(200),
	"GET /api/v1/users/me/request-mails": inPerson(200),
	"PUT /api/v1/users/me/request-mails": inPerson(200, { body: () => ({ frequency: "hourly" }) }),
	"GET /api/v1/users/me/requests": inPerson(200),
	"POST /api/v1/users/me/requests": inPerson(403, {
		absent: 403,
		records: async (side) => ({ app_id: await side.addApplication() }),
		body: ({ app_id = ABSENT_ID }) => ({
			app_id,
			roles: ["closer"],
			reason: "To close the books.",
			until: soon(),
		}),
	}),
	"POST /api/v1/users/me/requests/{id}/withdraw": inPerson(404, { records: request }),
	// The supporter of this test has no second factor, which is checked first.
	"POST /api/v1/users/{id}/support-sessions": supporter(403, {
		absent: 403,
		records: user,
		body: () => ({ reason: "The invoice of November is missing.", minutes: 5 }),
	}),
	"POST /api/v1/support-sessions/open": supporter(404, { body: () => ({ token: "lss_absent" }) }),
	"GET /api/v1/support-sessions": inPersonOrKey(200),
	"DELETE /api/v1/support-sessions/{id}": inPersonOrKey(404),
	"GET /api/v1/users/me/actors": inPerson(200),
	"DELETE /api/v1/users/me/actors/{id}": inPerson(404, { records: anyone }),
	"GET /api/v1/users/me/consents": inPerson(200),
	"DELETE /api/v1/users/me/consents/{id}": inPerson(404, { records: anyone }),
	"GET /api/v1/users/me/third-party-accounts": inPerson(200),
	"DELETE /api/v1/users/me/third-party-accounts/{id}": inPerson(404, {
		records: async (side) => ({ id: await side.linkAccount(await side.addUser()) }),
	}),
	"GET /api/v1/users": auditorOrKey(200),
	"POST /api/v1/users": adminOrKey(201, {
		body: (_ids, count) => ({
			username: `made-${count}`,
			email: `made-${count}@matrix.example`,
			invite: true,
		}),
	}),
	"GET /api/v1/users/{id}": auditorOrKey(200, { records: user }),
	"PATCH /api/v1/users/{id}": adminOrKey(200, { records: user, body: () => ({ display_name: "New" }) }),
	"DELETE /api/v1/users/{id}": adminOrKey(204, { records: user }),
	"POST /api/v1/users/{id}/unlock": adminOrKey(204, { records: user }),
	"POST /api/v1/users/{id}/send-reset": adminOrKey(202, { records: user }),
	"GET /api/v1/users/{id}/mfa": auditorOrKey(200, { records: user }),
	"POST /api/v1/users/{id}/mfa/reset": admin(204, { records: user }),
	"POST /api/v1/users/{id}/invite": adminOrKey(202, {
		records: async (side) => ({ id: await side.addInvited() }),
	}),
	"GET /api/v1/users/{id}/export": admin(200, { records: user }),
	"GET /api/v1/users/{id}/sessions": auditorOrKey(200, { records: user }),
	"DELETE /api/v1/users/{id}/sessions/{session_id}": adminOrKey(404, {
		records: async (side) => ({ ...(await user(side)), session_id: await side.sessionOfAnother() }),
	}),
	"POST /api/v1/users/{id}/sessions/revoke": adminOrKey(200, { records: user }),
	"GET /api/v1/users/{id}/grants": auditorOrKey(200, { records: user }),
	"GET /api/v1/users/{id}/groups": auditorOrKey(200, { records: user }),
	"GET /api/v1/users/{id}/third-party-accounts": auditorOrKey(200, { records: user }),
	"POST /api/v1/users/{id}/third-party-accounts": admin(201, {
		records: user,
		body: (_ids, count) => ({ provider: "github", provider_user_id: `linked-${count}` }),
	}),
	"DELETE /api/v1/users/{id}/third-party-accounts/{account_id}": admin(204, {
		without: [crossed(account), "third_party_account.not_found"],
		records: account,
	}),

	"GET /api/v1/applications": signedInOrKey(200),
	"POST /api/v1/applications": adminOrKey(201, { body: named }),
	"GET /api/v1/applications/{id}": auditorOrKey(200, { managed: "application", records: application }),
	"PATCH /api/v1/applications/{id}": adminOrKey(200, { records: application, body: named }),
	"DELETE /api/v1/applications/{id}": adminOrKey(204, { records: application }),
	"PUT /api/v1/applications/{id}/logo": adminOrKey(200, { records: application, body: () => png() }),
	"DELETE /api/v1/applications/{id}/logo": adminOrKey(204, {
		without: [application, "image.not_found"],
		records: applicationLogo,
	}),
	"GET /api/v1/applications/{id}/oauth-client": auditorOrKey(200, {
		without: [application, "oauth_client.not_found"],
		records: oauthClient,
	}),
	"PUT /api/v1/applications/{id}/oauth-client": adminOrKey(201, {
		records: application,
		body: () => ({ type: "web" }),
	}),
	"PATCH /api/v1/applications/{id}/oauth-client": adminOrKey(200, {
		without: [application, "oauth_client.not_found"],
		records: oauthClient,
		body: () => ({ pkce: "optional" }),
	}),
	"DELETE /api/v1/applications/{id}/oauth-client": adminOrKey(204, {
		without: [application, "oauth_client.not_found"],
		records: oauthClient,
	}),
	"POST /api/v1/applications/{id}/oauth-client/regenerate-secret": adminOrKey(200, {
		without: [application, "oauth_client.not_found"],
		records: oauthClient,
		body: () => ({}),
	}),
	"GET /api/v1/applications/{id}/roles": auditorOrKey(200, { managed: "application", records: application }),
	"POST /api/v1/applications/{id}/roles": adminOrKey(201, {
		records: application,
		body: (_ids, count) => ({ name: `role-${count}`, permissions: [] }),
	}),
	"PATCH /api/v1/applications/{id}/roles/{role_id}": adminOrKey(200, {
		without: [crossed(role), "application_role.not_found"],
		records: role,
		body: () => ({ description: "New" }),
	}),
	"DELETE /api/v1/applications/{id}/roles/{role_id}": adminOrKey(204, {
		without: [crossed(role), "application_role.not_found"],
		records: role,
	}),
	"GET /api/v1/applications/{id}/grants": auditorOrKey(200, { managed: "application", records: application }),
	"PUT /api/v1/applications/{id}/grants/users/{user_id}": adminOrKey(201, {
		managed: "application",
		records: userOfApplication,
		body: () => ({ roles: [] }),
	}),
	"DELETE /api/v1/applications/{id}/grants/users/{user_id}": adminOrKey(204, {
		without: [userOfApplication, "grant.not_found"],
		records: userGrant,
	}),
	"PUT /api/v1/applications/{id}/grants/groups/{group_id}": adminOrKey(201, {
		records: groupOfApplication,
		body: () => ({ roles: [] }),
	}),
	"DELETE /api/v1/applications/{id}/grants/groups/{group_id}": adminOrKey(204, {
		without: [groupOfApplication, "grant.not_found"],
		records: groupGrant,
	}),
	"GET /api/v1/applications/{id}/managers": auditorOrKey(200, {
		managed: "application",
		records: application,
	}),
	"PUT /api/v1/applications/{id}/managers/{user_id}": admin(204, { records: userOfApplication }),
	"DELETE /api/v1/applications/{id}/managers/{user_id}": admin(204, {
		without: [userOfApplication, "manager.not_found"],
		records: managerOfApplication,
	}),

	"PUT /api/v1/applications/{id}/grants/api-clients/{client_id}": adminOrKey(201, {
		without: [crossed(clientOfApplication), "api_client.not_found"],
		records: clientOfApplication,
		body: () => ({ roles: [] }),
	}),
	"DELETE /api/v1/applications/{id}/grants/api-clients/{client_id}": adminOrKey(204, {
		without: [clientOfApplication, "grant.not_found"],
		records: clientGrant,
	}),
	"PUT /api/v1/applications/{id}/grants/programs/{application_id}": adminOrKey(201, {
		without: [
			async (side) => ({ id: await side.addApplication(), application_id: await side.addApplication() }),
			"oauth_client.not_found",
		],
		records: programOfApplication,
		body: () => ({ roles: [] }),
	}),
	"DELETE /api/v1/applications/{id}/grants/programs/{application_id}": adminOrKey(204, {
		without: [programOfApplication, "grant.not_found"],
		records: programGrant,
	}),
	"GET /api/v1/applications/{id}/gate": auditorOrKey(200, {
		without: [application, "gate.not_found"],
		records: gate,
	}),
	"PUT /api/v1/applications/{id}/gate": adminOrKey(201, {
		records: application,
		body: () => ({ rules: [{ path: "/*", needs: "signed-in" }] }),
	}),
	"DELETE /api/v1/applications/{id}/gate": adminOrKey(204, {
		without: [application, "gate.not_found"],
		records: gate,
	}),
	"POST /api/v1/applications/{id}/gate/regenerate-key": adminOrKey(200, {
		without: [application, "gate.not_found"],
		records: gate,
		body: () => ({}),
	}),
	"POST /api/v1/applications/{id}/gate/explain": auditorOrKey(200, {
		without: [application, "gate.not_found"],
		records: gate,
		body: () => ({ method: "GET", target: "/" }),
	}),
	"POST /api/v1/applications/{id}/gate/replay": auditorOrKey(200, {
		without: [application, "gate.not_found"],
		records: gate,
		body: () => ({ draft: { rules: [] } }),
	}),
	"GET /api/v1/applications/{id}/gate/stats": auditorOrKey(200, {
		without: [application, "gate.not_found"],
		records: gate,
	}),

	"GET /api/v1/groups": auditorOrKey(200),
	"POST /api/v1/groups": adminOrKey(201, { body: named }),
	"GET /api/v1/groups/{id}": auditorOrKey(200, { managed: "group", records: group }),
	"PATCH /api/v1/groups/{id}": adminOrKey(200, { records: group, body: named }),
	"DELETE /api/v1/groups/{id}": adminOrKey(204, { records: group }),
	"GET /api/v1/groups/{id}/grants": auditorOrKey(200, { managed: "group", records: group }),
	"GET /api/v1/groups/{id}/members": auditorOrKey(200, { managed: "group", records: group }),
	"PUT /api/v1/groups/{id}/members/{user_id}": adminOrKey(201, { managed: "group", records: userInGroup }),
	"GET /api/v1/groups/{id}/managers": auditorOrKey(200, { managed: "group", records: group }),
	"PUT /api/v1/groups/{id}/managers/{user_id}": admin(204, { records: userInGroup }),
	"DELETE /api/v1/groups/{id}/managers/{user_id}": admin(204, {
		without: [userInGroup, "manager.not_found"],
		records: managerOfGroup,
	}),
	"DELETE /api/v1/groups/{id}/members/{user_id}": adminOrKey(204, {
		without: [userInGroup, "group_member.not_found"],
		records: member,
	}),

	"GET /api/v1/reviews": auditorOrKey(200),
	"POST /api/v1/reviews": admin(201, {
		body: () => ({ name: "Review", subject: "admin_keys", unanswered: "keep", due_at: soonest() }),
	}),
	"POST /api/v1/reviews/partner-answer": everybody(404, {
		body: () => ({ token: "none", answer: "needed" }),
	}),
	"POST /api/v1/reviews/partner-answer/preview": everybody(404, { body: () => ({ token: "none" }) }),
	"GET /api/v1/reviews/{id}": auditorOrKey(200, { records: onlyReview }),
	"GET /api/v1/reviews/{id}/items": auditorOrKey(200, { records: onlyReview }),
	"POST /api/v1/reviews/{id}/items/{item_id}": admin(409, {
		records: review,
		without: [otherReview, "review_item.not_found"],
		body: () => ({ decision: "end" }),
	}),
	"POST /api/v1/reviews/{id}/close": admin(409, { records: onlyReview }),
	"GET /api/v1/reviews/{id}/export": auditor(200, { records: onlyReview }),

	"POST /api/v1/access/explain": adminOrKey(200, {
		absent: 200,
		records: question,
		body: ({ user_id, app_id }) => ({ user_id, app_id }),
	}),

	"GET /api/v1/api-clients": auditorOrKey(200),
	"POST /api/v1/api-clients": adminOrKey(201, {
		absent: 400,
		records: async (side) => ({ app_id: await side.addApplication() }),
		body: ({ app_id }, count) => ({ app_id, name: `Client ${count}` }),
	}),
	"POST /api/v1/api-clients/validate": adminOrKey(200, {
		body: () => ({ api_key: `ak_${"x".repeat(22)}`, secret: `sk_${"x".repeat(43)}` }),
	}),
	"GET /api/v1/api-clients/{id}": auditorOrKey(200, { records: apiClient }),
	"PATCH /api/v1/api-clients/{id}": adminOrKey(200, { records: apiClient, body: named }),
	"DELETE /api/v1/api-clients/{id}": adminOrKey(204, { records: apiClient }),
	"POST /api/v1/api-clients/{id}/regenerate-secret": adminOrKey(200, {
		records: apiClient,
		body: () => ({}),
	}),
	"POST /api/v1/api-clients/{id}/keys": adminOrKey(201, {
		records: apiClient,
		body: () => ({ public_key: newKey().public_key }),
	}),
	"POST /api/v1/api-clients/{id}/keys/{key_id}/accept": reviewerOrKey(200, {
		records: keyClient,
		tenantScoped: ["id"],
		without: [otherKey, "api_client.key_not_found"],
	}),
	"DELETE /api/v1/api-clients/{id}/keys/{key_id}": adminOrKey(204, {
		records: keyClient,
		tenantScoped: ["id"],
		without: [otherKey, "api_client.key_not_found"],
	}),
	"GET /api/v1/api-clients/{id}/allowlist-report": auditorOrKey(200, { records: apiClient }),
	"GET /api/v1/api-clients/{id}/stats": auditorOrKey(200, { records: apiClient }),
	"POST /api/v1/api-clients/{id}/explain-signature": adminOrKey(200, {
		records: apiClient,
		body: () => ({ method: "GET", target: "/api/v1/external/whoami", headers: {} }),
	}),

	"GET /api/v1/external/whoami": client(200),
	"GET /api/v1/external/refusals": client(200),
	"GET /api/v1/external/users/{id}": scopedClient(200, { scope: "users:read", records: user }),
	"POST /api/v1/external/users/check-access": scopedClient(200, {
		scope: "access:check",
		absent: 200,
		records: question,
		body: ({ user_id, app_id }) => ({ user_id, app_id }),
	}),
	"POST /api/v1/external/third-party/find-user": scopedClient(200, {
		scope: "third-party:read",
		records: async (side) => ({ provider_user_id: await side.addLinkedIdentity() }),
		body: ({ provider_user_id }) => ({ provider: "github", provider_user_id }),
	}),
	"POST /access/v1/evaluation": scopedClientOrKey(200, {
		scope: "access:check",
		absent: 200,
		records: question,
		body: subject,
	}),
	"POST /access/v1/evaluations": scopedClientOrKey(200, {
		scope: "access:check",
		absent: 200,
		records: question,
		body: (ids) => ({ evaluations: [subject(ids)] }),
	}),
	"GET /.well-known/oauth-protected-resource/gate/{application_id}": everybody(404),
	"GET /.well-known/authzen-configuration": everybody(200),
	"POST /api/v1/external/secret/rotate": client(200, { disposable: true, body: () => ({}) }),
	"POST /api/v1/external/keys": client(201, {
		disposable: true,
		body: () => ({ public_key: newKey().public_key }),
	}),
	"DELETE /api/v1/external/keys/{key_id}": client(404),

	"GET /api/v1/admin-keys": admin(200),
	"POST /api/v1/admin-keys": admin(201, {
		body: (_ids, count) => ({ name: `Key ${count}`, roles: ["auditor"], expires_at: soon() }),
	}),
	"DELETE /api/v1/admin-keys/{id}": admin(204, {
		records: async (side) => ({ id: (await side.addAdminKey()).id }),
	}),

	"GET /api/v1/webhooks": auditorOrKey(200),
	"POST /api/v1/webhooks": adminOrKey(201, {
		body: () => ({ url: "https://hooks.partner.example/matrix", event_types: ["user.password_locked"] }),
	}),
	"GET /api/v1/webhooks/{id}": auditorOrKey(200, { records: webhook }),
	"PATCH /api/v1/webhooks/{id}": adminOrKey(200, { records: webhook, body: () => ({ description: "New" }) }),
	"DELETE /api/v1/webhooks/{id}": adminOrKey(204, { records: webhook }),
	"POST /api/v1/webhooks/{id}/rotate-secret": adminOrKey(200, { records: webhook, body: () => ({}) }),
	"POST /api/v1/webhooks/{id}/test": adminOrKey(202, { records: webhook }),
	"GET /api/v1/webhooks/{id}/deliveries": auditorOrKey(200, { records: webhook }),
	"GET /api/v1/webhooks/{id}/stats": auditorOrKey(200, { records: webhook }),
	"POST /api/v1/webhooks/{id}/deliveries/replay": adminOrKey(202, { records: webhook }),
	// Deliveries are found only through their webhook, and this one has none.
	"GET /api/v1/webhooks/{id}/deliveries/{delivery_id}": auditorOrKey(404, { records: noDelivery }),
	"POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/replay": adminOrKey(404, { records: noDelivery }),

	"GET /api/v1/mails": adminOrKey(200),
	// The mail is already sent: the caller is admitted, the retry refused.
	"POST /api/v1/mails/{id}/resend": adminOrKey(409, {
		records: async (side) => ({ id: await side.addMail() }),
	}),

	"GET /api/v1/branding": everybody(200),
	"PUT /api/v1/branding": adminOrKey(200, { body: () => ({ product_name: "Matrix" }) }),

	"PUT /api/v1/branding/logo": adminOrKey(200, { body: () => png() }),
	"DELETE /api/v1/branding/logo": adminOrKey(204, { records: tenantLogo }),
	"GET /api/v1/images/{digest}": everybody(200, { records: image, tenantScoped: [] }),

	"GET /api/v1/installation": platformAdminOrKey(200),
	"POST /api/v1/config/export": adminOrKey(200),
	"POST /api/v1/config/plan": adminOrKey(200, { body: () => ({ document: "groups: {}" }) }),
	"POST /api/v1/config/apply": adminOrKey(200, { body: () => ({ document: "groups: {}" }) }),
	"GET /api/v1/tenants": platformAdminOrKey(200),
	"POST /api/v1/tenants": platformAdmin(201, {
		body: (_ids, count) => ({
			name: "Matrix",
			slug: `matrix-${count}`,
			admin: { username: "admin", email: "admin@matrix.example", password: PASSWORD },
		}),
	}),
	// A platform admin sees all tenants.
	"GET /api/v1/tenants/{id}": platformAdminOrKey(200, { tenantScoped: [], records: tenant }),
	"PATCH /api/v1/tenants/{id}": platformAdminOrKey(200, { tenantScoped: [], records: tenant, body: named }),
	"GET /api/v1/contested-resources": platformAdminOrKey(200),
	"PUT /api/v1/tenants/{id}/resources": platformAdmin(204, {
		tenantScoped: [],
		records: tenant,
		body: () => ({ resource: "urn:example:matrix" }),
	}),

	"GET /api/v1/audit-events": auditorOrKey(200),
	"GET /api/v1/audit-events/chain": auditorOrKey(200),
	"GET /api/v1/audit-events/stats": auditorOrKey(200),
	"POST /api/v1/audit-events/{id}/restore": adminOrKey(200, {
		records: givenGrant,
		body: () => ({ dry_run: true }),
	}),
	"GET /api/v1/audit-events/export": auditorOrKey(200),

	"GET /api/v1/refusals": auditorOrKey(200),
	"GET /api/v1/overview": readerOrKey(200),
	"GET /api/v1/stats": auditorOrKey(200),
};
