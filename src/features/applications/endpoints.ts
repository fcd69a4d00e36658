// `/applications`: what people may use, as administrators manage it.

import { data, empty, endpoint, oneOf, page, searchText } from "../../http/endpoint.ts";
import { boolean, choice, type Infer, list, object, optional, text, webUrl } from "../../http/schema.ts";
import type { SignedIn } from "../auth/model.ts";
import type { SystemRole } from "../users/model.ts";
import { applicationSchema, toWireApplication } from "./application-wire.ts";
import { type CreateApplicationDeps, createApplication } from "./create-application.ts";
import { type DeleteApplicationDeps, deleteApplication } from "./delete-application.ts";
import {
	ACCESS_POLICIES,
	APPLICATION_DESCRIPTION_MAX,
	APPLICATION_NAME_MAX,
	APPLICATION_STATUSES,
	adminContext,
	applicationNotFound,
	REDIRECT_URI_MAX,
	REDIRECT_URIS_MAX,
	SLUG,
	SLUG_MAX,
} from "./model.ts";
import { type UpdateApplicationDeps, updateApplication } from "./update-application.ts";

export type ApplicationsDeps = CreateApplicationDeps & UpdateApplicationDeps & DeleteApplicationDeps;

/** They see every application of the tenant, others only those they may use. */
const SEES_ALL: readonly SystemRole[] = ["admin", "platform_admin", "reviewer", "auditor"];

const name = text({ max: APPLICATION_NAME_MAX });
const otherFields = {
	slug: optional(
		text({
			max: SLUG_MAX,
			pattern: SLUG.source,
			description: "Unique within the tenant. Made from the name when a new application has none.",
		}),
	),
	description: optional(text({ min: 0, max: APPLICATION_DESCRIPTION_MAX })),
	homepage_url: optional(webUrl()),
	logo_url: optional(webUrl()),
	redirect_uris: optional(
		list(text({ max: REDIRECT_URI_MAX }), {
			max: REDIRECT_URIS_MAX,
			description:
				"Absolute https addresses (http only on localhost, 127.0.0.1 and [::1]) without fragment or credentials, compared exactly.",
			examples: [["https://app.example.com/callback"]],
		}),
	),
	access_policy: optional(choice(ACCESS_POLICIES, { description: "`assigned` unless given." })),
	status: optional(choice(APPLICATION_STATUSES)),
	require_mfa: optional(
		boolean({
			description:
				"Whether signing in to it takes a second factor; who has none enrols one then. Sessions without one end at their next refresh.",
		}),
	),
};
const createBody = object({ name, ...otherFields });
const patchBody = object({ name: optional(name), ...otherFields });

const ids = { id: "application.not_found" } as const;

export function applicationsEndpoints(deps: ApplicationsDeps) {
	const { applications } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listApplications",
			summary: "List applications",
			description:
				"Administrators, reviewers and auditors see all applications of the tenant; everybody else those they may use: active ones that are `open` or granted to them. `q` finds parts of name or slug, taken literally and without regard to ASCII case.",
			query: { q: searchText(), status: oneOf(APPLICATION_STATUSES) },
			answer: page(applicationSchema, "Applications, newest first."),
			async handle({ caller, query, page: asked }) {
				const { user, tenantId } = caller;
				const seesAll = user.roles.some((role) => SEES_ALL.includes(role));
				const scope = seesAll ? { tenantId } : { tenantId, usableBy: user.id };
				const found = await applications.list({ ...query, ...scope }, asked);
				return { items: found.items.map(toWireApplication), total: found.total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createApplication",
			summary: "Create an application",
			body: createBody,
			answer: data(201, applicationSchema, "The new application."),
			errors: ["application.slug_taken"],
			async handle({ caller, body, request }) {
				const wanted = {
					name: body.name,
					slug: body.slug,
					description: body.description ?? "",
					homepageUrl: body.homepage_url ?? "",
					logoUrl: body.logo_url ?? "",
					redirectUris: body.redirect_uris ?? [],
					accessPolicy: body.access_policy ?? "assigned",
					status: body.status ?? "active",
					requireMfa: body.require_mfa ?? false,
				};
				return toWireApplication(await createApplication(deps, wanted, adminContext(caller, request)));
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getApplication",
			summary: "Get an application",
			ids,
			answer: data(200, applicationSchema, "The application."),
			async handle({ caller, ids: { id } }) {
				const application = await applications.findById(caller.tenantId, id as string);
				if (application === undefined) throw applicationNotFound();
				return toWireApplication(application);
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateApplication",
			summary: "Change an application",
			description: "Fields that are absent stay; lists are replaced whole.",
			ids,
			body: patchBody,
			answer: data(200, applicationSchema, "The application as it is now."),
			errors: ["application.slug_taken"],
			async handle({ caller, ids: { id }, body, request }) {
				const patch = fromWire(body);
				const context = adminContext(caller, request);
				return toWireApplication(await updateApplication(deps, id as string, patch, context));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteApplication",
			summary: "Delete an application",
			description:
				"Its roles, grants and API clients go with it, at once and for good: requests those clients sign are refused from now on. The audit entry says how many there were.",
			ids,
			answer: empty(204, "The application is gone."),
			handle: ({ caller, ids: { id }, request }) =>
				deleteApplication(deps, id as string, adminContext(caller, request)),
		}),
	};
}

function fromWire(body: Infer<typeof patchBody>) {
	return {
		name: body.name,
		slug: body.slug,
		description: body.description,
		homepageUrl: body.homepage_url,
		logoUrl: body.logo_url,
		redirectUris: body.redirect_uris,
		accessPolicy: body.access_policy,
		status: body.status,
		requireMfa: body.require_mfa,
	};
}
