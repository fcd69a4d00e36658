// Every form about people, groups and applications in the console: see `endures`.

import { after, before, describe, test } from "node:test";
import { BROWSER_SKIPPED } from "../../harness/browser.ts";
import { endures, type FormCase, type FormStage, formsAtDepth, openStage } from "../../harness/every-form.ts";
import { HOSTILE } from "../../harness/hostile-data.ts";
import { putOAuthClient } from "../../harness/oauth-clients.ts";

const PERSON = "/console/people/{person}";
const GROUP = "/console/groups/{group}";
const APPLICATION = "/console/applications/{application}";

const connected = async ({ service, ids, page }: FormStage): Promise<void> => {
	await putOAuthClient(service, {}, ids.application);
	await page.reload();
};

const FORMS: readonly FormCase[] = [
	{
		name: "add a person",
		source: "console/people/add-person-dialog.tsx",
		path: "/console/people",
		open: ["Add a person"],
		values: { email: "new@people.example", username: "new" },
		submit: "Send invitation",
		sends: "POST /api/v1/users",
	},
	{
		name: "edit a person",
		source: "console/people/edit-person-dialog.tsx",
		path: PERSON,
		open: ["Edit"],
		values: { display_name: `${HOSTILE} 2` },
		submit: "Save",
		sends: "PATCH /api/v1/users/{id}",
	},
	{
		name: "explain what a person may do",
		isSample: true,
		source: "console/people/explain-access.tsx",
		path: PERSON,
		ready: "select[name=app_id] option:nth-child(2)",
		values: { app_id: "ArrowDown", permission: "orders:write" },
		submit: "Explain",
		sends: "POST /api/v1/access/explain",
	},
	{
		name: "end a session of a person",
		source: "console/people/person-sessions.tsx",
		path: PERSON,
		open: [/^Actions for (?!.*ليلى)/, "End session"],
		submit: "End session",
		sends: "DELETE /api/v1/users/{id}/sessions/{session_id}",
	},
	{
		name: "ask before an action on a person",
		isSample: true,
		source: "console/people/person-action-dialog.tsx",
		path: PERSON,
		open: ["Actions", "Disable account"],
		values: { confirmation: "layla" },
		submit: "Disable account",
		sends: "PATCH /api/v1/users/{id}",
	},
	{
		name: "add a group",
		source: "console/groups/group-dialog.tsx",
		path: "/console/groups",
		open: ["Add group"],
		values: { name: `${HOSTILE} 2` },
		submit: "Add group",
		sends: "POST /api/v1/groups",
	},
	{
		name: "add people to a group",
		source: "console/groups/add-members-dialog.tsx",
		path: GROUP,
		open: ["Add people"],
		values: { "user_id-search": "" },
		ready: "[name=user_id]",
		submit: "Add",
		sends: "PUT /api/v1/groups/{id}/members/{user_id}",
	},
	{
		name: "remove a member of a group",
		source: "console/groups/group-members.tsx",
		path: GROUP,
		open: [/^Actions for/, "Remove from the group…"],
		submit: "Remove",
		sends: "DELETE /api/v1/groups/{id}/members/{user_id}",
	},
	{
		name: "give a group access",
		source: "console/grants/give-access-dialog.tsx",
		path: `${GROUP}#applications`,
		open: ["Give access"],
		values: { "app_id-search": "" },
		ready: "[name=app_id]",
		submit: "Give access",
		sends: "PUT /api/v1/applications/{id}/grants/groups/{group_id}",
	},
	{
		name: "change roles",
		isSample: true,
		source: "console/grants/grant-actions.tsx",
		path: APPLICATION,
		open: [/^Actions for/, "Change roles…"],
		ready: "[name=roles-clerk]",
		submit: "Save",
		sends: "PUT /api/v1/applications/{id}/grants/{kind}/{id}",
	},
	{
		name: "remove access",
		source: "console/grants/grant-actions.tsx",
		path: APPLICATION,
		open: [/^Actions for/, "Remove access…"],
		submit: "Remove access",
		sends: "DELETE /api/v1/applications/{id}/grants/{kind}/{id}",
	},
	{
		name: "delete a group",
		source: "console/groups/group.tsx",
		path: GROUP,
		open: ["Delete…"],
		values: { confirmation: HOSTILE },
		submit: "Delete group",
		sends: "DELETE /api/v1/groups/{id}",
	},
	{
		name: "add an application",
		source: "console/applications/add-application-dialog.tsx",
		path: "/console/applications",
		open: ["Add application"],
		values: { name: `${HOSTILE} 3` },
		submit: "Add application",
		sends: "POST /api/v1/applications",
	},
	{
		name: "add a role",
		source: "console/applications/role-dialog.tsx",
		path: `${APPLICATION}#roles`,
		open: ["Add role"],
		values: { name: "editor", permissions: "orders:write" },
		submit: "Add role",
		sends: "POST /api/v1/applications/{id}/roles",
	},
	{
		name: "delete a role",
		source: "console/applications/application-roles.tsx",
		path: `${APPLICATION}#roles`,
		open: ["Actions for editor", "Delete…"],
		values: { confirmation: "editor" },
		submit: "Delete role",
		sends: "DELETE /api/v1/applications/{id}/roles/{role_id}",
	},
	{
		name: "connect an application",
		source: "console/openid/connect-form.tsx",
		path: `${APPLICATION}#connect`,
		values: { redirect_uris: "https://orders.example.com/back" },
		submit: "Connect",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		name: "change the settings of a connected application",
		source: "console/openid/settings-form.tsx",
		path: `${APPLICATION}#connect`,
		begin: connected,
		open: ["Change settings…"],
		values: {
			post_logout_redirect_uris: "https://orders.example.com/bye",
			backchannel_logout_uri: "https://orders.example.com/ended",
			resource: "https://orders.example.com/api",
			allowed_resources: "https://orders.example.com/api",
		},
		submit: "Save",
		sends: "PUT /api/v1/applications/{id}/oauth-client",
	},
	{
		name: "regenerate the secret of an application",
		source: "console/openid/connected-client.tsx",
		path: `${APPLICATION}#connect`,
		begin: connected,
		open: ["Regenerate secret…"],
		submit: "Regenerate secret",
		sends: "POST /api/v1/applications/{id}/oauth-client/regenerate-secret",
	},
	{
		name: "disconnect an application",
		source: "console/openid/connected-client.tsx",
		path: `${APPLICATION}#connect`,
		begin: connected,
		open: ["Disconnect…"],
		values: { confirmation: HOSTILE },
		submit: "Disconnect",
		sends: "DELETE /api/v1/applications/{id}/oauth-client",
	},
	{
		name: "redirect addresses of an application",
		source: "console/applications/redirect-addresses.tsx",
		path: `${APPLICATION}#settings`,
		values: { redirect_uris: "https://orders.example.com/signed-in" },
		submit: "Save redirect URIs",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		name: "settings of an application",
		source: "console/applications/application-settings.tsx",
		path: `${APPLICATION}#settings`,
		values: {
			description: `${HOSTILE} 2`,
			homepage_url: "https://orders.example.com",
			logo_url: "https://orders.example.com/logo.svg",
		},
		submit: "Save",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		name: "disable an application",
		source: "console/applications/switch-dialog.tsx",
		path: APPLICATION,
		open: ["Disable…"],
		submit: "Disable",
		sends: "PATCH /api/v1/applications/{id}",
	},
	{
		name: "delete an application",
		source: "console/applications/application-settings.tsx",
		path: `${APPLICATION}#settings`,
		open: ["Delete application…"],
		values: { confirmation: HOSTILE },
		submit: "Delete application",
		sends: "DELETE /api/v1/applications/{id}",
	},
];

describe("every form about people, groups and applications", {
	skip: BROWSER_SKIPPED,
	timeout: 300_000,
}, () => {
	let stage: FormStage;
	before(async () => {
		stage = await openStage();
	});
	after(() => stage?.[Symbol.asyncDispose]());
	for (const form of formsAtDepth(FORMS)) test(form.name, () => endures(stage, form));
});
