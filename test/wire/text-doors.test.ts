// Every text that a body takes is of a known kind, and no text that others see takes a hidden character.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { importedUserSchema } from "../../src/features/identity/users/user-wire.ts";
import type { Schema } from "../../src/http/describe/schema.ts";
import { validator } from "../../src/http/describe/validation.ts";
import { type Admitted, nameOf, startAdmitted } from "../matrix/admitted.ts";

/** The fields of each kind. A new field belongs here, too: names and prose of people are never plain lines. */
const KINDS: Readonly<Record<string, string>> = {
	shownName:
		"applicant_name company display_name footer_links.label name product_name project_name sender_name",
	shownLines: "description purpose reason review_note",
	shownLine:
		"accent_color action.name admin.username allowed_resources backchannel_logout_uri browser_origin caller cors_origins evaluations.action.name evaluations.resource.id evaluations.resource.properties.application_id evaluations.resource.type evaluations.subject.id evaluations.subject.type footer_links.url interaction_id ip_allowlist issuer jwks_uri method permission permission_descriptions.en permission_descriptions.permission permission_descriptions.zh permissions post_logout_redirect_uris provider redirect_uris resource resource.id resource.properties.application_id resource.type roles rules.methods rules.needs rules.path sign_in_text slug subject.id subject.type url username",
	webUrl: "avatar_url homepage_url icon_url logo_dark_url logo_url",
	emailAddress: "admin.email email sender_address sender_addresses support_email",
	codeText: "code",
	isoTime: "at created_at expires_at received_at",
	uuidText: "app_id user_id",
	// Looked up, and never stored.
	trimmedText: "api_key username",
	// Compared with what another system issued or sent.
	exactText: "body_base64 body_sha256 client_id ip method provider_user_id return_to string_to_sign target",
	secret:
		"admin.password attempt client_secret code current_password mfa_token new_password password password_hash refresh_token secret token user_code",
	// Checked by their use cases: `checkProviderUserId`, and a comparison with a digest.
	unchecked: "document_digest provider_user_id",
	// WebAuthn, public keys, the headers of a call to explain, and what AuthZEN says to ignore.
	json: "assertion context credential evaluations.context headers jwks.keys",
};
const SHOWN = ["shownName", "shownLines", "shownLine", "webUrl"];

interface Door {
	/** `rules.path`. */
	readonly field: string;
	readonly kind: string;
	/** The body with this text in the field. */
	fill(body: unknown, text: string): unknown;
}

function doorsOf(schema: Schema<unknown>, field = ""): Door[] {
	switch (schema.type) {
		case "text": {
			const kind = schema.form ?? (schema.writeOnly === true ? "secret" : "unchecked");
			return [{ field, kind, fill: (_, text) => text }];
		}
		case "list":
			return doorsOf(schema.items, field).map((door) => ({
				...door,
				fill: (value, text) => [door.fill(Array.isArray(value) ? value[0] : undefined, text)],
			}));
		case "object":
			return Object.entries(schema.properties).flatMap(([name, member]) =>
				doorsOf(member, field === "" ? name : `${field}.${name}`).map((door) => ({
					...door,
					fill: (value, text) => ({ ...Object(value), [name]: door.fill(Object(value)[name], text) }),
				})),
			);
		case "map":
		case "union":
		case "custom":
			return [{ field, kind: "json", fill: (value) => value }];
		case "choice":
		case "integer":
		case "boolean":
			return [];
	}
}

/** The field in an error: `rules.path` is `rules.0.path` there. */
function isNamed(message: string, field: string, reason: string): boolean {
	const path = field.split(".").join("(?:\\.\\d+)?\\.");
	return new RegExp(`(?:^|; )${path}(?:\\.\\d+)? ${reason}`).test(message);
}

describe("text in a body", () => {
	let admitted: Admitted;
	before(async () => {
		admitted = await startAdmitted();
	});
	after(() => admitted.service.stop());

	it("is of a known kind on every route and in an import", () => {
		const bodies = admitted.routes.flatMap(({ endpoint }) => endpoint.body ?? []);
		const found = new Map<string, Set<string>>();
		for (const { kind, field } of [...bodies, importedUserSchema].flatMap((body) => doorsOf(body)))
			found.set(kind, (found.get(kind) ?? new Set()).add(field));
		assert.deepEqual(
			Object.fromEntries([...found].map(([kind, fields]) => [kind, [...fields].sort().join(" ")])),
			KINDS,
		);
	});

	it("that others see has no hidden character, and a name has a visible one, on every route", async () => {
		let calls = 0;
		for (const route of admitted.routes) {
			const doors = route.endpoint.body === undefined ? [] : doorsOf(route.endpoint.body);
			for (const { field, kind, fill } of doors.filter((door) => SHOWN.includes(door.kind))) {
				const refused: [string, string][] = [
					["https://a.example/\u202e", "must not contain U\\+202E,"],
					...(kind === "shownName" ? ([["\u3164", "must contain a visible"]] as [string, string][]) : []),
				];
				for (const [text, reason] of refused) {
					const body = fill(admitted.bodyOf(route, {}), text);
					const response = await admitted.send(route, { body });
					const { error } = response.body ?? {};
					const message = `${nameOf(route)} ${field}: ${response.status} ${JSON.stringify(response.body)}`;
					assert.equal(response.status, 400, message);
					assert.ok(isNamed(String(error), field, reason), message);
					calls++;
				}
			}
		}
		assert.ok(calls > 100, String(calls));
	});

	it("that others see has no hidden character in an import", () => {
		const validate = validator(importedUserSchema);
		const user = { username: "ada", email: "ada@example.com" };
		assert.equal(validate({ ...user, display_name: "Ada" }), true);
		for (const { field, fill } of doorsOf(importedUserSchema).filter(({ kind }) => SHOWN.includes(kind))) {
			const errors = validate(fill(user, "ada\u202e"));
			assert.ok(Array.isArray(errors), field);
			assert.deepEqual(
				errors.map((error) => [error.field, error.code]),
				[[field, "hidden_character"]],
			);
		}
	});
});
