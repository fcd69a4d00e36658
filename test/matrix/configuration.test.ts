// Every field of a configuration file × every caller: a file changes what the row of the map changes alone, and is refused as it is.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { describeRoutes } from "../../src/app/described-routes.ts";
import { fieldNames } from "../../src/features/access/configuration/read-state.ts";
import { KINDS, type KindName, kindOf } from "../../src/features/access/configuration/resource-table.ts";
import { describeRows } from "../../src/features/access/configuration/rows-wire.ts";
import type { Schema } from "../../src/http/describe/schema.ts";
import { addCast } from "../harness/access/applications.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { exampleOf } from "./violations.ts";

const service = testService();
const cast = fixture(() => addCast(service));
const rows = describeRows(describeRoutes());

const FILE = `applications:
  shop:
    name: Shop
    gate: {rules: [{path: /status, needs: public}]}
    grants: {Staff: [clerk]}
    oauth_client: {type: web}
    roles: {clerk: {permissions: ["orders:read"]}, lead: {}}
groups: {Staff: {description: Clerks}}
identity_providers:
  google: {kind: google, display_name: Google, client_id: a, client_secret: b}
webhooks:
  https://hooks.example/in: {event_types: [user.created]}
branding: {product_name: Looms}
tenant: {require_mfa: false}
`;

const APPLICATION = ["applications", "shop"];
const PLACES: Readonly<Record<KindName, readonly string[]>> = {
	group: ["groups", "Staff"],
	identity_provider: ["identity_providers", "google"],
	application: APPLICATION,
	role: [...APPLICATION, "roles", "clerk"],
	oauth_client: [...APPLICATION, "oauth_client"],
	gate: [...APPLICATION, "gate"],
	grant: [...APPLICATION, "grants", "Staff"],
	manager: [...APPLICATION, "managers", "manager"],
	webhook: ["webhooks", "https://hooks.example/in"],
	branding: ["branding"],
	tenant: ["tenant"],
};

/** Where the example of the schema would not be accepted. */
const VALUES: Readonly<Record<string, unknown>> = {
	"application.homepage_url": "https://shop.example/",
	"application.logo_url": "https://shop.example/logo.png",
	"application.redirect_uris": ["https://shop.example/cb"],
	"application.requestable": { roles: ["clerk"], longest: "P1D", reviewers: null },
	"branding.logo_url": "https://shop.example/logo.png",
	"branding.logo_dark_url": "https://shop.example/logo.png",
	"branding.icon_url": "https://shop.example/icon.png",
	"branding.sender_address": "no-reply+shop@localhost",
	"branding.footer_links": [{ label: "Terms", url: "https://shop.example/terms" }],
	"gate.rules": [{ path: "/orders", needs: "orders:read" }],
	"gate.cors_origins": ["https://app.example"],
	"gate.browser_origin": "https://shop.example",
	"gate.accept": ["person"],
	"grant.roles": ["lead"],
	"identity_provider.uses": ["sign_in", "workloads"],
	"oauth_client.post_logout_redirect_uris": ["https://shop.example/bye"],
	"oauth_client.backchannel_logout_uri": "https://shop.example/logout",
	"oauth_client.resource": "https://shop.example/api",
	"oauth_client.response_modes": ["query"],
	"role.permissions": ["orders:read", "orders:write"],
	"role.permission_descriptions": [{ permission: "orders:read", en: "Read orders", zh: "读取订单" }],
	"tenant.sender_addresses": ["shop@shop.example"],
	"webhook.event_types": ["user.deleted"],
};

type Outcome = "changed" | "unchanged" | `403 ${string}` | "refused";
type Tree = Record<string, unknown>;

interface Problem {
	readonly code: string;
	readonly data: unknown;
}

const outcomeOf = (status: number, { code }: Problem): Outcome => {
	if (status === 403) return `403 ${code}`;
	return status < 300 ? "changed" : "refused";
};

const headers = { accept: "application/problem+json" };
const call = async (token: string, path: string, body: object, method: string = "POST") => {
	const response = await service.call<Problem>(method as "POST", path, { token, body, headers });
	return { status: response.status, body: response.body ?? { code: "", data: undefined } };
};
const config = (token: string, action: string, body: object) => call(token, `/api/v1/config/${action}`, body);

async function fileOutcome(token: string, document: Tree): Promise<Outcome> {
	const { status, body } = await config(token, "plan", { document: JSON.stringify(document) });
	const plan = body.data as { changes: unknown[]; not_permitted: { code: string }[] } | undefined;
	const [refused] = plan?.not_permitted ?? [];
	if (refused !== undefined) return `403 ${refused.code}`;
	if (plan?.changes.length === 0) return "unchanged";
	return outcomeOf(status, body);
}

function inside(tree: Tree, path: readonly string[]): Tree {
	return path.reduce((place, name) => place[name] as Tree, tree);
}

function changedValue(kind: KindName, field: string, now: unknown): unknown {
	const given = VALUES[`${kind}.${field}`];
	if (given !== undefined) return given;
	const { create, update } = kindOf(kind);
	const schema = (rows.schemaOf(update).properties[field] ??
		rows.schemaOf(create ?? update).properties[field]) as Schema<unknown>;
	const example = exampleOf(schema);
	if (!isDeepStrictEqual(example, now)) return example;
	if (schema.type === "list") return [exampleOf(schema.items)];
	if (schema.type === "boolean") return now !== true;
	if (schema.type === "choice") return schema.values.find((value) => value !== now);
	return schema.type === "text" ? `${now}a` : null;
}

describe("each field of a file", () => {
	it("is decided as by its row alone, for a key, an administrator in person, an auditor, and a manager", async () => {
		const { admin } = cast;
		const applied = await config(admin, "apply", { document: FILE });
		assert.equal(applied.status, 200, JSON.stringify(applied.body));
		const ids = await idsOf(admin);
		const manager = await addPerson(service, "manager");
		await service.asAdmin("PUT", `/api/v1/applications/${ids.id}/managers/${manager.id}`);
		const callers = {
			key: (await addAdminKey(service, { roles: ["admin"] })).key,
			auditor: cast.auditor.token,
			manager: manager.token,
			// Last, because it changes everything.
			admin,
		};
		const seen = new Map<string, number>();
		const wrong: string[] = [];
		for (const kind of Object.keys(KINDS) as KindName[]) {
			const { update, writeOnly = [] } = kindOf(kind);
			const [method = "", template = ""] = update.split(" ");
			const own = { ...ids, ...(kind in ids.of && { id: ids.of[kind] as string }) };
			const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(own[name as "id"]));
			for (const field of fieldNames(rows, kind).filter((name) => !writeOnly.includes(name))) {
				const exported = (await config(admin, "export", {})).body.data as { document: string };
				const document = parse(exported.document) as Tree;
				if (kind === "branding" || kind === "tenant") document[kind] ??= {};
				const current = kind === "branding" || kind === "tenant" ? (document[kind] as Tree) : document;
				const place = current === document ? inside(document, PLACES[kind]) : current;
				const now = kind === "grant" ? place : kindOf(kind).defaults(place)[field];
				const value = changedValue(kind, field, kind === "grant" ? now : (place[field] ?? now));
				const before = method === "PUT" && kind !== "grant" ? { ...place } : {};
				if (kind === "grant")
					inside(document, PLACES[kind].slice(0, -1))[PLACES[kind].at(-1) as string] = value;
				else place[field] = value;
				const ofFile = new Map<string, Outcome>();
				// A plan changes nothing for the next one.
				for (const [caller, token] of Object.entries(callers))
					ofFile.set(caller, await fileOutcome(token, document));
				for (const [caller, token] of Object.entries(callers)) {
					const alone = await call(token, path, { ...before, [field]: value }, method);
					const ofRow = outcomeOf(alone.status, alone.body);
					const about = `${kind}.${field} as ${caller}: ${JSON.stringify([value, alone.body])}`;
					if (ofFile.get(caller) !== ofRow) wrong.push(`${ofFile.get(caller)}, alone ${ofRow}: ${about}`);
					const name = `${caller} ${ofRow}`;
					seen.set(name, (seen.get(name) ?? 0) + 1);
				}
				const restored = await config(admin, "apply", { document: exported.document });
				assert.equal(restored.status, 200, JSON.stringify(restored.body));
				assert.equal((restored.body.data as { stopped?: unknown }).stopped, undefined);
			}
		}
		assert.deepEqual(wrong, []);
		const counted = (name: string): number => seen.get(name) ?? 0;
		const all = counted("auditor 403 role.required");
		assert.ok(all > 60, JSON.stringify([...seen]));
		assert.equal(counted("manager 403 role.required"), all);
		assert.ok(counted("admin changed") > 0.7 * all, JSON.stringify([...seen]));
		assert.ok(counted("key changed") > 0.4 * all, JSON.stringify([...seen]));
		assert.ok(counted("key 403 role.required") >= 3, JSON.stringify([...seen]));
		assert.ok(counted("key 403 admin_key.not_allowed") >= 10, JSON.stringify([...seen]));
	});
});

/** The ids of the records of the file, by the names in the paths of their rows. */
async function idsOf(token: string) {
	const first = async (path: string, name: string): Promise<string> => {
		const { body } = await service.call<{ data: Record<string, string>[] }>("GET", path, { token });
		const found = body.data.find((each) => Object.values(each).includes(name));
		assert.ok(found, `${path} has ${name}`);
		return found.id ?? "";
	};
	const id = await first("/api/v1/applications?q=shop", "shop");
	const group = await first("/api/v1/groups?q=Staff", "Staff");
	return {
		id,
		role_id: await first(`/api/v1/applications/${id}/roles`, "clerk"),
		group_id: group,
		of: {
			group,
			identity_provider: await first("/api/v1/identity-providers", "google"),
			webhook: await first("/api/v1/webhooks", "https://hooks.example/in"),
			tenant: await first("/api/v1/tenants", "default"),
		} as Partial<Record<KindName, string>>,
	};
}
