// Every form about people, groups and applications in the console: see `endures`.

import { addGate } from "../../harness/access/gates.ts";
import { addReview } from "../../harness/access/reviews.ts";
import { describeForms, type FormCase, type FormStage } from "../../harness/browser/every-form.ts";
import { HOSTILE } from "../../harness/browser/hostile-data.ts";
import { PAGES_URL } from "../../harness/browser/pages.ts";
import { putOAuthClient } from "../../harness/openid/oauth-clients.ts";

const PERSON = "/console/people/{person}";
const GROUP = "/console/groups/{group}";
const APPLICATION = "/console/applications/{application}";

const managed = async ({ service, ids, page }: FormStage): Promise<void> => {
	await service.asAdmin("PUT", `/api/v1/groups/${ids.group}/managers/${ids.person}`);
	await page.reload();
};

const connected = async ({ service, ids, page }: FormStage): Promise<void> => {
	await putOAuthClient(service, {}, ids.application);
	await page.reload();
};

const gated = async ({ service, ids, page }: FormStage): Promise<void> => {
	await addGate(service, { rules: [{ path: "/*", needs: "public" }] }, ids.application);
	await page.reload();
};

const FORMS: readonly FormCase[] = [
	{
		source: "console/people/person-dialogs.tsx",
		path: "/console/people",
		open: ["Add a person"],
		values: { email: "new@people.example", username: "new" },
		submit: "Send invitation",
		sends: "POST /api/v1/users",
	},
	{
		source: "console/people/person-dialogs.tsx",
		path: PERSON,
		open: ["Edit"],
		values: { display_name: `${HOSTILE} 2` },
		submit: "Save",
		sends: "PATCH /api/v1/users/{id}",
	},
	{
		isSample: true,
		source: "console/people/explain-access.tsx",
		path: PERSON,
		open: ["Start a check"],
		ready: "select[name=app_id] option:nth-child(2)",
		values: { app_id: "ArrowDown", permission: "orders:write" },
		submit: "Check",
		sends: "POST /api/v1/access/explain",
	},
	{
		source: "console/people/person-sessions.tsx",
		path: PERSON,
		open: [/^Actions for (?!.*ليلى)/, "End session"],
		submit: "End session",
		sends: "DELETE /api/v1/users/{id}/sessions/{session_id}",
	},
	{
		isSample: true,
		source: "console/people/person.tsx",
		path: PERSON,
		open: ["Actions", "Disable account"],
		submit: "Disable account",
		sends: "PATCH /api/v1/users/{id}",
	},
	{
		source: "console/people/add-to-group-dialog.tsx",
		path: PERSON,
		open: ["Add to group"],
		values: { "group_id-search": "" },
		ready: "[name=group_id]",
		submit: "Add",
		sends: "PUT /api/v1/groups/{id}/members/{user_id}",
	},
	{
		source: "console/reviews/reviews.tsx",
		path: "/console/reviews",
		open: ["Begin a review"],
		values: { name: HOSTILE },
		submit: "Begin a review",
		sends: "POST /api/v1/reviews",
	},
	{
		source: "console/reviews/review.tsx",
		path: "/console/reviews",
		async begin({ service, page }) {
			const { id } = await addReview(service, { name: HOSTILE, subject: "admin_keys" });
			await page.goto(`${PAGES_URL}/console/reviews/${id}`);
		},
		open: ["Close review"],
		submit: "Close review",
		sends: "POST /api/v1/reviews/{id}/close",
	},
	{
		source: "console/groups/group-dialog.tsx",
		path: "/console/groups",
		open: ["Add group"],
		values: { name: `${HOSTILE} 2` },
		submit: "Add group",
		sends: "POST /api/v1/groups",
	},
	{
		source: "console/groups/group-members.tsx",
		path: GROUP,
		open: ["Add people"],
		values: { "user_id-search": "" },
		ready: "[name=user_id]",
		submit: "Add",
		sends: "PUT /api/v1/groups/{id}/members/{user_id}",
	},
	{
		source: "console/groups/group-members.tsx",
		path: GROUP,
		open: [/^Actions for/, "Remove from the group…"],
		submit: "Remove",
		sends: "DELETE /api/v1/groups/{id}/members/{user_id}",
	},
	{
		source: "console/managers-card.tsx",
		path: GROUP,
		open: ["Add manager…"],
		values: { "user_id-search": "" },
		ready: "[name=user_id]",
		submit: "Add",
		sends: "PUT /api/v1/groups/{id}/managers/{user_id}",
	},
	{
		isSample: true,
		source: "console/managers-card.tsx",
		path: GROUP,
		begin: managed,
		open: [/^Remove…/],
		submit: "Remove",
		sends: "DELETE /api/v1/groups/{id}/managers/{user_id}",
	},
	{
		source: "console/grants/give-access-dialog.tsx",
		path: `${GROUP}#applications`,
		open: ["Give access"],
		values: { "app_id-search": "" },
		ready: "[name=app_id]",
		submit: "Give access",
		sends: "PUT /api/v1/applications/{id}/grants/groups/{group_id}",
	},
	{
		isSample: true,
		source: "console/grants/grant-actions.tsx",
		path: APPLICATION,
		open: [/^Actions for/, "Change roles…"],
		ready: "[name=roles-clerk]",
		submit: "Save",
		sends: "PUT /api/v1/applications/{id}/grants/{kind}/{id}",
	},
	{
		source: "console/grants/grant-actions.tsx",
		path: APPLICATION,
		open: [/^Actions for/, "Remove access…"],
		submit: "Remove access",
		sends: "DELETE /api/v1/applications/{id}/grants/{kind}/{id}",
	},
	{
		source: "console/groups/group.tsx",
		path: GROUP,
		open: ["Delete…"],
		values: { confirmation: HOSTILE },
		submit: "Delete group",
		sends: "DELETE /api/v1/groups/{id}",
	},
	{
		source: "console/applications/applications.tsx",
		path: "/console/applications",
		open: ["Add application"],
		values: { name: `${HOSTILE} 3` },
		submit: "Add application",
		sends: "POST /api/v1/applications",
	},
	{
		isSample: true,
		source: "console/applications/requestable-card.tsx",
		path: APPLICATION,
		open: ["Allow requests…"],
		ready: "[name=roles-clerk]",
		values: { "requestable.reviewers-search": "" },
		submit: "Save",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		source: "console/applications/application-roles.tsx",
		path: `${APPLICATION}#roles`,
		open: ["Add role"],
		values: { name: "editor", "permissions.0": "orders:write", "permission_descriptions.0": "" },
		submit: "Add role",
		sends: "POST /api/v1/applications/{id}/roles",
	},
	{
		source: "console/applications/application-roles.tsx",
		path: `${APPLICATION}#roles`,
		open: ["Actions for editor", "Delete…"],
		values: { confirmation: "editor" },
		submit: "Delete role",
		sends: "DELETE /api/v1/applications/{id}/roles/{role_id}",
	},
	{
		source: "console/openid/openid-card.tsx",
		path: `${APPLICATION}#connect`,
		open: [/^Another server/],
		values: { "redirect_uris.0": "https://orders.example.com/back" },
		submit: "Connect",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		source: "console/openid/settings-form.tsx",
		path: `${APPLICATION}#connect`,
		begin: connected,
		open: ["Change settings…"],
		changed: "resource",
		values: {
			"post_logout_redirect_uris.0": "https://orders.example.com/bye",
			backchannel_logout_uri: "https://orders.example.com/ended",
			resource: "https://orders.example.com/api",
			"allowed_resources.0": "https://orders.example.com/api",
		},
		submit: "Save",
		sends: "PUT /api/v1/applications/{id}/oauth-client",
	},
	{
		source: "console/openid/connected-client.tsx",
		path: `${APPLICATION}#connect`,
		begin: connected,
		open: ["Rotate secret…"],
		submit: "Rotate secret",
		sends: "POST /api/v1/applications/{id}/oauth-client/regenerate-secret",
	},
	{
		source: "console/openid/connected-client.tsx",
		path: `${APPLICATION}#connect`,
		begin: connected,
		open: ["Disconnect…"],
		values: { confirmation: HOSTILE },
		submit: "Disconnect",
		sends: "DELETE /api/v1/applications/{id}/oauth-client",
	},
	{
		isSample: true,
		source: "console/applications/application-settings.tsx",
		path: `${APPLICATION}#settings`,
		changed: "description",
		values: {
			"redirect_uris.0": "https://orders.example.com/signed-in",
			description: `${HOSTILE} 2`,
			homepage_url: "https://orders.example.com",
		},
		submit: "Save",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		source: "console/gate/gate-settings.tsx",
		path: `${APPLICATION}#gate`,
		begin: gated,
		changed: "rules.0.methods",
		values: {
			"rules.0.methods": "get, post",
			browser_origin: "https://orders.example.com",
			cors_origins: "https://app.example.com",
		},
		submit: "Save",
		sends: "PUT /api/v1/applications/{id}/gate",
	},
	{
		source: "console/gate/gate-key.tsx",
		path: `${APPLICATION}#gate/connect`,
		begin: gated,
		open: ["Rotate key…"],
		submit: "Rotate key",
		sends: "POST /api/v1/applications/{id}/gate/regenerate-key",
	},
	{
		source: "console/gate/gate-key.tsx",
		path: `${APPLICATION}#gate/connect`,
		begin: gated,
		open: ["Remove gate…"],
		values: { confirmation: HOSTILE },
		submit: "Remove gate",
		sends: "DELETE /api/v1/applications/{id}/gate",
	},
	{
		source: "console/applications/application.tsx",
		path: APPLICATION,
		open: ["Disable…"],
		submit: "Disable",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		source: "console/applications/application-settings.tsx",
		path: `${APPLICATION}#settings`,
		open: ["Delete application…"],
		values: { confirmation: HOSTILE },
		submit: "Delete application",
		sends: "DELETE /api/v1/applications/{id}",
	},
];

describeForms("every form about people, groups and applications", FORMS);
