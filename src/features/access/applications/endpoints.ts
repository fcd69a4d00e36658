// `/applications`: applications of the tenant, managed by administrators.

import type { KeyCaller } from "../../../domain/admin-key.ts";
import {
	ACCESS_POLICIES,
	APPLICATION_DESCRIPTION_MAX,
	APPLICATION_NAME_MAX,
	APPLICATION_STATUSES,
	type Application,
	REDIRECT_URI_MAX,
	REDIRECT_URIS_MAX,
	SLUG,
	SLUG_MAX,
} from "../../../domain/application.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { IMAGE_TYPE } from "../../../domain/image.ts";
import type { InPerson } from "../../../domain/session.ts";
import type { SystemRole } from "../../../domain/system-role.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { oneOf, searchText } from "../../../http/describe/query-parameters.ts";
import {
	boolean,
	choice,
	list,
	multilineText,
	nameText,
	nullable,
	object,
	optional,
	text,
	webUrl,
} from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { deleteApplicationLogo, putApplicationLogo } from "./application-logo.ts";
import { applicationSchema, toWireApplication, toWireUsable, toWireUsage } from "./application-wire.ts";
import {
	createApplication,
	deleteApplication,
	getApplication,
	updateApplication,
} from "./manage-application.ts";
import { requestableSchema, toWireRequestable } from "./requestable-wire.ts";

/** Roles that see every application of the tenant; other users see those they may use. */
const SEES_ALL: readonly SystemRole[] = ["admin", "platform_admin", "reviewer", "auditor"];

const name = nameText({ max: APPLICATION_NAME_MAX });
const otherFields = {
	slug: optional(
		text({
			max: SLUG_MAX,
			pattern: SLUG.source,
			description: "Unique within the tenant. By default, derived from the name of a new application.",
		}),
	),
	description: optional(multilineText({ min: 0, max: APPLICATION_DESCRIPTION_MAX })),
	homepage_url: optional(webUrl()),
	logo_url: optional(webUrl()),
	redirect_uris: optional(
		list(text({ max: REDIRECT_URI_MAX }), {
			max: REDIRECT_URIS_MAX,
			description:
				"Absolute https URLs (http only on localhost, 127.0.0.1 and [::1]) without fragment or credentials, compared exactly. For an OAuth client of type `native` also private-use schemes with a period, such as `com.example.app:/callback` (RFC 8252).",
			examples: [["https://app.example.com/callback"]],
		}),
	),
	access_policy: optional(choice(ACCESS_POLICIES, { description: "Default `assigned`." })),
	status: optional(
		choice(APPLICATION_STATUSES, {
			description:
				"While `disabled`, users cannot sign in to it and the service refuses its API clients (401).",
		}),
	),
	require_mfa: optional(
		boolean(
			"Whether signing in to it requires a second factor. Users without one enroll during sign-in. Sessions without one end at their next refresh.",
		),
	),
};
const createBody = object({ name, ...otherFields });
const patchBody = object({
	name: optional(name),
	...otherFields,
	requestable: optional(nullable(requestableSchema)),
	support_sessions: optional(
		boolean(
			"Whether supporters may read at it, in a support session, what a user sees there. Not with an admin key.",
		),
	),
});
const toFields = fromWire(createBody);
const toPatch = fromWire(patchBody);

const NEW_APPLICATION = {
	description: "",
	homepageUrl: "",
	logoUrl: "",
	redirectUris: [],
	accessPolicy: "assigned",
	status: "active",
	requireMfa: false,
} as const;

const ids = { id: "application.not_found" } as const;

export function applicationsEndpoints(platform: Platform) {
	const { applications, applicationRoles, gates, oauthClients } = platform.db.stores;
	const toWireOne = async (application: Application) => ({
		...toWireApplication(application),
		requestable: toWireRequestable(
			application,
			application.requestableRoleIds === null
				? []
				: await applicationRoles.listAll(application.tenantId, application.id),
		),
	});
	return {
		list: endpoint<InPerson | KeyCaller>()({
			name: "listApplications",
			summary: "List applications",
			description:
				"Administrators, reviewers, and auditors see all applications of the tenant. Other users, and access tokens issued for an application, see those that the user may use: active applications that are `open` or granted to the user. `q` matches part of the name or the slug, literally, ignoring case and accents.",
			query: {
				q: searchText(),
				status: oneOf(APPLICATION_STATUSES),
				from_access_request: oneOf(
					["true", "false"],
					"Only applications that the approval of an access request created, or only the others. No effect for callers who see only the applications that they may use.",
				),
				rotatable: oneOf(
					["true"],
					"Only those whose OAuth client has a secret, which can be rotated. No effect for callers who see only the applications that they may use.",
				),
				usable: oneOf(
					["true"],
					"Only those that the user may use, as other users see them. No effect for admin keys.",
				),
				include: oneOf(["usage"], "Adds `usage`, for callers who see all applications."),
			},
			response: page(applicationSchema, "Applications, newest first."),
			async handle({ caller, query, page }) {
				const { tenantId, roles } = caller;
				const seesAll =
					!("appId" in caller) ||
					(query.usable === undefined &&
						caller.appId === null &&
						roles.some((role) => SEES_ALL.includes(role)));
				const scope = seesAll ? { tenantId } : { tenantId, usableBy: caller.userId };
				const { from_access_request: fromRequest, rotatable, include, usable: _, ...filters } = query;
				const isFromRequest = seesAll && fromRequest !== undefined ? fromRequest === "true" : undefined;
				const hasClientSecret = seesAll && rotatable !== undefined;
				const found = await applications.list({ ...filters, ...scope, isFromRequest, hasClientSecret }, page);
				if (!seesAll) return mapPage(found, toWireUsable);
				const ids = include === undefined ? [] : found.items.map(({ id }) => id);
				const usages = await applications.listUsage(tenantId, ids);
				return mapPage(found, (application) => {
					const usage = usages.get(application.id);
					return { ...toWireApplication(application), ...(usage && { usage: toWireUsage(usage) }) };
				});
			},
		}),

		create: endpoint<Administrator>()({
			name: "createApplication",
			summary: "Create an application",
			body: createBody,
			response: data(201, applicationSchema, "The new application."),
			errors: ["application.slug_taken"],
			async handle({ caller, body }) {
				const fields = { ...NEW_APPLICATION, ...toFields(body) };
				return toWireOne(await createApplication(platform, fields, caller));
			},
		}),

		get: endpoint<Administrator>()({
			name: "getApplication",
			summary: "Get an application",
			ids,
			response: data(200, applicationSchema, "The application."),
			async handle({ caller: { tenantId }, ids: { id } }) {
				const application = await toWireOne(await getApplication(applications, tenantId, id));
				const client = await oauthClients.find(tenantId, id);
				const gate = await gates.find(tenantId, id);
				return { ...application, has_oauth_client: client !== undefined, has_gate: gate !== undefined };
			},
		}),

		update: endpoint<Administrator>()({
			name: "updateApplication",
			summary: "Change an application",
			description:
				"Absent fields keep their values; lists and `requestable` are replaced as a whole. Requests that wait when `requestable` becomes null are still decided.",
			ids,
			body: patchBody,
			response: data(200, applicationSchema, "The changed application."),
			errors: ["admin_key.not_allowed", "application.slug_taken", "application.is_program"],
			handle: async ({ caller, ids: { id }, body }) =>
				toWireOne(await updateApplication(platform, id, toPatch(body), caller)),
		}),

		putLogo: endpoint<Administrator>()({
			name: "putApplicationLogo",
			summary: "Upload the logo of an application",
			description:
				"The body is a PNG image of at most 64 KiB and 2,048 × 2,048 pixels. The service removes its metadata and sets `logo_url` to the URL of the image. Sign-in and consent show it.",
			ids,
			file: IMAGE_TYPE,
			response: data(200, applicationSchema, "The changed application."),
			errors: ["application.is_program"],
			handle: async ({ caller, ids: { id }, request: { rawBody } }) =>
				toWireApplication(await putApplicationLogo(platform, id, rawBody, caller)),
		}),

		removeLogo: endpoint<Administrator>()({
			name: "deleteApplicationLogo",
			summary: "Delete the logo of an application",
			ids,
			response: empty(204, "The logo is deleted."),
			errors: ["image.not_found"],
			handle: ({ caller, ids: { id } }) => deleteApplicationLogo(platform, id, caller),
		}),

		remove: endpoint<Administrator>()({
			name: "deleteApplication",
			summary: "Delete an application",
			description:
				"Also deletes its roles, grants, API clients, and OAuth client, permanently. The service refuses requests signed by those clients and revokes what it issued to the OAuth client. The audit event counts them.",
			ids,
			response: empty(204, "The application is deleted."),
			errors: ["application.is_program"],
			handle: ({ caller, ids: { id } }) => deleteApplication(platform, id, caller),
		}),
	};
}
