import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AUDIT_ACTIONS, RETIRED_AUDIT_ACTIONS } from "./audit-action.ts";
import { changesText } from "./audit-changes.ts";
import { type EventToSummarize, summaryOf } from "./audit-summary.ts";

const EVENT: EventToSummarize = {
	actor: "user:u1",
	actorName: "ada",
	action: "user.updated",
	target: "user:u2",
	targetName: "grace",
	details: {},
	changes: {},
};
const inWords = (event: Partial<EventToSummarize>): string => summaryOf({ ...EVENT, ...event });

describe("summaryOf", () => {
	it("has a sentence for every current or retired action, and none for others", () => {
		for (const action of [...AUDIT_ACTIONS, ...Object.keys(RETIRED_AUDIT_ACTIONS)])
			assert.match(inWords({ action }), /^(ada|grace|[A-Z])[^{}[\]]{8,}[^.]$/, action);
		assert.equal(inWords({ action: "test.filled" }), "");
		assert.equal(inWords({ action: "toString" }), "");
	});

	it("names actor and target, by id if the event has no name", () => {
		assert.equal(inWords({}), "ada changed user grace");
		assert.equal(inWords({ actorName: "", targetName: "" }), "User u1 changed user u2");
		assert.equal(inWords({ actor: "system", actorName: "" }), "The service changed user grace");
		assert.equal(inWords({ actor: "anonymous", actorName: "" }), "A visitor changed user grace");
		assert.equal(inWords({ actor: "cli:root", actorName: "" }), "root (command line) changed user grace");
		assert.equal(
			inWords({ actor: "api_client:c", actorName: "Billing" }),
			"API client Billing changed user grace",
		);
		assert.equal(inWords({ actor: "key:k", actorName: "Report" }), "Admin key Report changed user grace");
		assert.equal(inWords({ actor: "other_noun:c", actorName: "" }), "Other noun c changed user grace");
		const failed = { action: "user.sign_in_failed", actor: "anonymous", target: "", targetName: "" };
		assert.equal(inWords(failed), "A sign-in as an unknown account failed");
	});

	it("names the application and the group of a detail", () => {
		const given = { action: "grant.created" };
		assert.equal(inWords(given), "ada gave user grace access to an application");
		assert.equal(inWords({ ...given, details: { app_name: "Wiki" } }), "ada gave user grace access to Wiki");
		assert.equal(
			inWords({ ...given, details: { app_name: 7 } }),
			"ada gave user grace access to an application",
		);
	});

	it("says what users do to themselves, and what happens to them, without repeating who they are", () => {
		const added = { action: "user.second_factor_added" };
		assert.equal(inWords(added), "ada added a second factor to user grace");
		assert.equal(inWords({ ...added, target: "user:u1", targetName: "ada" }), "ada added a second factor");
		const asked = { action: "user.second_factor_asked", actor: "user:u2", actorName: "grace" };
		assert.equal(inWords(asked), "grace was asked for a second factor");
		assert.equal(inWords({ ...asked, targetName: "" }), "User u2 was asked for a second factor");
	});

	it("says which roles in an application became which", () => {
		const roles = { from: ["manager"], to: ["viewer"] };
		const event = { action: "grant.updated", details: { app_name: "Billing" }, changes: { roles } };
		assert.equal(inWords(event), "ada changed grace's roles in Billing: manager → viewer");
		const target = { target: "group:g", targetName: "Sales" };
		assert.equal(
			inWords({ ...event, ...target, changes: { roles: { from: [], to: ["a", "b"] } } }),
			"ada changed the roles of group Sales in Billing: nothing → a b",
		);
		assert.equal(
			inWords({ ...event, changes: { roles, reason: { from: "", to: "Leave" } } }),
			"ada changed the access of user grace to Billing: roles from manager to viewer, reason from nothing to Leave",
		);
	});

	it("lists the scopes that a user allowed", () => {
		const allowed = {
			action: "oauth.consented",
			details: { app_name: "Orders", scopes: "openid tasks:write" },
		};
		assert.equal(inWords(allowed), "ada allowed Orders access to: openid, tasks:write");
	});

	it("shows a few old and new values, truncated", () => {
		const changes = {
			status: { from: "active", to: "disabled" },
			roles: { from: [], to: ["admin", "auditor"] },
			require_mfa: { from: false, to: true },
		};
		assert.equal(
			inWords({ changes }),
			"ada changed user grace: status from active to disabled, roles from nothing to admin auditor, require_mfa from false to true",
		);
		const many = Object.fromEntries(
			Array.from({ length: 9 }, (_, n) => [`f${n}`, { from: n, to: "x".repeat(500) }]),
		);
		const summary = inWords({ changes: many });
		assert.ok(summary.length < 500);
		assert.match(summary, /, and 4 more$/);
	});

	it("does not replace placeholders within names", () => {
		assert.equal(
			inWords({ actorName: "{target}$&", targetName: "{actor}" }),
			"{target}$& changed user {actor}",
		);
	});
});

describe("changesText", () => {
	it("keeps values, and truncates long texts and lists", () => {
		assert.equal(changesText({}), "{}");
		assert.equal(changesText({ a: { from: null, to: true } }), '{"a":{"from":null,"to":true}}');
		const cut = JSON.parse(
			changesText({ a: { from: "y".repeat(300), to: Array.from({ length: 30 }, (_, n) => `${n}`) } }),
		);
		assert.equal(cut.a.from, `${"y".repeat(199)}…`);
		assert.deepEqual([cut.a.to.length, cut.a.to.at(-1)], [21, "…"]);
	});

	it("never splits a character", () => {
		assert.equal(
			JSON.parse(changesText({ a: { from: "", to: "🔑".repeat(150) } })).a.to,
			`${"🔑".repeat(99)}…`,
		);
	});

	it("is at most 4 KiB for any change", () => {
		const list = Array.from({ length: 30 }, () => "é".repeat(300));
		const changes = { a: { from: "x", to: "y" }, b: { from: list, to: list }, c: { from: 1, to: 2 } };
		const text = changesText(changes);
		assert.ok(Buffer.byteLength(text) <= 4096);
		assert.deepEqual(Object.keys(JSON.parse(text)), ["a", "c"]);
	});
});
