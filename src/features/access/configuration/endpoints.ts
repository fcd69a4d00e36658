// `/config`: the configuration of a tenant as one file.

import type { Administrator } from "../../../domain/caller.ts";
import { TransactionDb } from "../../../domain/transaction-db.ts";
import { WEBHOOK_URL_MAX } from "../../../domain/webhook.ts";
import { type Call, data, endpoint } from "../../../http/describe/endpoint.ts";
import {
	anyObject,
	boolean,
	choice,
	custom,
	exactText,
	type Infer,
	list,
	mapOf,
	object,
	optional,
	plain,
} from "../../../http/describe/schema.ts";
import { BODY_LIMIT_BYTES } from "../../../http/run/body.ts";
import { type AppError, invalidField } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import type { Applied } from "./apply-configuration.ts";
import type { ConfigurationNeeds, Plan, RecordChange } from "./configure.ts";
import type { Change } from "./plan-changes.ts";
import { RememberedGateway } from "./remembered-gateway.ts";
import {
	DOCUMENT_MAX_BYTES,
	KINDS,
	type KindName,
	kindOf,
	PRUNE,
	SECTIONS,
	SINGLES,
} from "./resource-table.ts";
import { createRows, managedBy, type RowsOver, SharedChecks } from "./rows-wire.ts";

/** A document of the longest length, in which JSON escapes every second character. */
const BODY_MAX_BYTES = 2 * DOCUMENT_MAX_BYTES;
/** A change that a route accepts by itself, and what is around it. */
const EXPORT_MAX_BYTES = 2 * BODY_LIMIT_BYTES;
const NAMES = Object.keys(KINDS) as KindName[];
const SIGNS = ["+", "~", "-"] as const;

const document = exactText({
	examples: ["groups:\n  Support: {}\n"],
	max: DOCUMENT_MAX_BYTES,
	description:
		"The file: YAML 1.2 (or JSON) of at most 1 MiB, without tags, aliases, and merge keys. Expansions of variables and `secret_file` are for the command, which replaces them.",
});
const prune = optional(
	choice(PRUNE, {
		description:
			"Removes what the file does not name. `unused` keeps applications that have API clients, or to which a user signed in within 90 days; `all` removes them too. By default, nothing is removed.",
	}),
);

const people = optional(
	boolean(
		"Whether the file has the managers of applications, by username. Only a person may change them. Default: false.",
	),
);

const place = plain({ description: "In the file.", examples: ["applications.shop.gate"] });
const anyValue = (description: string) => custom<unknown>({}, { description, examples: ["assigned"] });
const changeSchema = object(
	{
		sign: choice(SIGNS, { description: "`+` creates, `~` changes, `-` removes." }),
		kind: choice(NAMES),
		place,
		fields: list(
			object(
				{
					field: plain(),
					from: optional(anyValue("The value now. Absent for a new resource.")),
					to: anyValue("The value in the file, or the default."),
				},
				{ title: "ConfigurationFieldChange" },
			),
		),
		makes_secret: optional(
			boolean("Whether the change makes a secret, which only the response of `apply` contains."),
		),
		note: optional(plain("What follows from the change.")),
	},
	{ title: "ConfigurationChange" },
);
const planFields = {
	digest: plain("Of the configuration that was compared with the file, for `expect`."),
	changes: list(changeSchema, { description: "In the order of an apply." }),
	kept: list(
		object(
			{
				kind: choice(NAMES),
				place,
				in_use: optional(
					choice(["api_clients", "recent_sign_in"], { description: "Why `prune` keeps an application." }),
				),
			},
			{ title: "KeptConfiguration" },
		),
		{ description: "What the file does not name, and stays." },
	),
};
const refusalSchema = object({ place, code: plain(), detail: plain() }, { title: "ConfigurationRefusal" });
const planSchema = object(
	{
		...planFields,
		not_permitted: list(refusalSchema, {
			description:
				"The changes that this caller may not make, each with the error of the route that makes it alone.",
		}),
	},
	{ title: "ConfigurationPlan" },
);
const appliedSchema = object(
	{
		...planFields,
		secrets: list(object({ place, secret: plain() }, { title: "MadeSecret" }), {
			description: "What was created for OAuth clients, gates, and webhooks. Only this response contains it.",
			examples: [
				[{ place: "applications.shop.gate", secret: "gk_0mW7Zq2xT5vB9kN1cR8sYd4LfP6hJ3gEaQ-uIoXtVbM" }],
			],
		}),
		stopped: optional({
			...refusalSchema,
			description:
				"The change at which it ended early, for example because the database became unavailable. `changes` before it stay. If `changes` has it too, it was created, and only its fields that name other resources are missing; otherwise nothing of its resource was written.",
		}),
	},
	{ title: "AppliedConfiguration" },
);

/** The rows that change a record of the file or a part of it, without the prefix of the API. */
const CHANGING = [
	...new Set(
		NAMES.filter((name) => name !== "manager").flatMap((name) => {
			const { create = "", update, remove } = kindOf(name);
			return [update, ...(remove === undefined ? [] : [remove]), ...(create.includes("{") ? [create] : [])];
		}),
	),
].map((row) => row.replace("/api/v1", ""));

const partSchema = object({
	people,
	section: optional(
		choice([...Object.keys(SECTIONS), ...SINGLES], {
			description: "Only this section.",
			examples: ["applications"],
		}),
	),
	name: optional(
		exactText({
			max: WEBHOOK_URL_MAX,
			description:
				"Only this record of the section: its key in the file, such as the slug of an application.",
			examples: ["shop"],
		}),
	),
	change: optional(
		object(
			{
				operation: choice(CHANGING),
				path: optional(
					mapOf(exactText({ max: 64 }), {
						description: "The parameters of its path. `document` is only of the record with this `id`.",
					}),
				),
				body: optional(anyObject("The body of the request.")),
			},
			{
				title: "ConfigurationRecordChange",
				examples: [{ operation: "PUT /branding", body: { product_name: "Looms" } }],
				description:
					"A request that changes a record of the section. It changes nothing now: `document` is as it would be afterwards.",
			},
		),
	),
});

const ERRORS = ["request.invalid"] as const;

export function configurationEndpoints(platform: Platform, rowsOver: RowsOver) {
	// What only these requests use is loaded with the first one, to keep the startup fast.
	const checks = new SharedChecks();
	const needsOf = ({
		caller,
		request,
		body: { people: hasPeople = false },
	}: Pick<
		Call<Administrator, unknown, { readonly people?: boolean }>,
		"caller" | "request" | "body"
	>): ConfigurationNeeds => {
		const transactionDb = new TransactionDb();
		const gateway = new RememberedGateway(platform.providers);
		const providers = {
			...platform.providers,
			checkIssuer: (issuer) => gateway.checkIssuer(issuer),
		} satisfies Platform["providers"];
		const rows = createRows(rowsOver({ ...platform, db: transactionDb, providers }), caller, request, checks);
		return { platform, caller, rows, transactionDb, gateway, people: hasPeople };
	};
	return {
		export: endpoint<Administrator>()({
			name: "exportConfiguration",
			summary: "Export the configuration",
			description:
				"Returns the groups, identity providers, applications, webhooks, branding, and switches of the tenant as one file, without people, partners, programs, ids, and secrets. Equal configurations have equal files. With `section` and `name`, the file has only this part. With `change`, it shows how the file must change with a record.",
			bodyLimit: EXPORT_MAX_BYTES,
			body: partSchema,
			response: data(
				200,
				object(
					{
						document: plain("YAML."),
						digest: planFields.digest,
						branding_managed_by: managedBy,
					},
					{ title: "ExportedConfiguration" },
				),
				"The file.",
			),
			errors: [...ERRORS, "service.overloaded"],
			async handle(call) {
				const { digestOf, previewChange, readConfiguration } = await import("./configure.ts");
				const { writeDocument } = await import("./document-wire.ts");
				const { section, name, change } = call.body;
				if ((name !== undefined || change !== undefined) && section === undefined)
					throw invalidField("section", "required");
				const needs = needsOf(call);
				const state =
					change === undefined
						? await readConfiguration(needs, { section, name })
						: await previewChange(needs, { section, id: change.path?.id }, changeOf(change));
				const tenant = await platform.db.stores.tenants.findById(call.caller.tenantId);
				return {
					document: await writeDocument(state, platform.publicUrl),
					digest: digestOf(state),
					branding_managed_by: tenant?.brandingManagedBy ?? null,
				};
			},
		}),

		plan: endpoint<Administrator>()({
			name: "planConfiguration",
			summary: "Plan a configuration",
			description:
				"Returns what applying the file would change, and changes nothing: all changes run in a transaction that is rolled back, so that the plan refuses what applying would refuse. Plans run one at a time.",
			bodyLimit: BODY_MAX_BYTES,
			body: object({ document, prune, people }),
			response: data(200, planSchema, "The changes."),
			errors: ERRORS,
			async handle(call) {
				const needs = needsOf(call);
				const { planConfiguration } = await import("./configure.ts");
				const { parseDocument } = await import("./document-wire.ts");
				const parsed = await parseDocument(needs.rows, call.body.document, checks, needs.people);
				const plan = await planConfiguration(needs, parsed, call.body.prune);
				return { ...toWirePlan(plan), not_permitted: plan.refused.map(toWireRefusal) };
			},
		}),

		apply: endpoint<Administrator>()({
			name: "applyConfiguration",
			summary: "Apply a configuration",
			description:
				"Plans the file, and then makes one change after the other, each in a transaction of its own that first confirms that the resource is as it was planned. Repeat a call that was interrupted: it makes the rest. If the caller may not make one of the changes, nothing changes.",
			bodyLimit: BODY_MAX_BYTES,
			body: object({
				document,
				prune,
				people,
				expect: optional(
					exactText({
						max: 64,
						description:
							"The `digest` of a plan: if the configuration has changed since, nothing is changed (409).",
					}),
				),
			}),
			response: data(200, appliedSchema, "The changes that were made."),
			errors: [...ERRORS, "config.changed", "config.not_permitted"],
			secret: true,
			async handle(call) {
				const needs = needsOf(call);
				const { document: source, prune: pruned, expect: expected } = call.body;
				const { applyConfiguration } = await import("./apply-configuration.ts");
				const { parseDocument } = await import("./document-wire.ts");
				const parsed = await parseDocument(needs.rows, source, checks, needs.people);
				return toWireApplied(await applyConfiguration(needs, parsed, { prune: pruned, expected }));
			},
		}),
	};
}

/** @throws AppError `request.invalid` (`change.path`). */
function changeOf({
	operation,
	path: ids = {},
	body = {},
}: NonNullable<Infer<typeof partSchema>["change"]>): RecordChange {
	const [method, path = ""] = operation.split(" ");
	for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g))
		if (ids[name] === undefined) throw invalidField(`change.path.${name}`, "required");
	return { row: `${method} /api/v1${path}`, ids, body: method === "DELETE" ? undefined : body };
}

function toWireChange(change: Change, isSecretive: boolean): Infer<typeof changeSchema> {
	const { sign, kind, path, fields, note } = change;
	return {
		sign,
		kind,
		place: path.join("."),
		fields: fields.map(({ field, from, to }) => ({ field, ...(from !== undefined && { from }), to })),
		...(isSecretive && { makes_secret: true }),
		...(note !== undefined && { note }),
	};
}

function toWirePlan({ digest, changes, kept, secretive }: Plan) {
	return {
		digest,
		changes: changes.map((change) => toWireChange(change, secretive.has(change))),
		kept: kept.map(({ kind, path, inUse }) => ({
			kind,
			place: path.join("."),
			...(inUse && { in_use: inUse }),
		})),
	};
}

function toWireRefusal({
	path,
	error: { code, message },
}: {
	readonly path: readonly string[];
	readonly error: AppError;
}) {
	return { place: path.join("."), code, detail: message };
}

function toWireApplied(applied: Applied): Infer<typeof appliedSchema> {
	const { made, secrets, stopped } = applied;
	return {
		...toWirePlan({ ...applied, changes: made }),
		secrets: secrets.map(({ path, secretPlain }) => ({ place: path.join("."), secret: secretPlain })),
		...(stopped && { stopped: toWireRefusal(stopped) }),
	};
}
