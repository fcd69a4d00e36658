import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "../describe/guard.ts";
import { createNearestSigned, foldersOf } from "./request-target.ts";

const routes = ["/a/open", "/a/signed/one", "/a/signed/deep/{id}", "/b/v1/one", "/c/one"].map(
	(path) => ({ path }) as Route,
);
const selected = (...paths: string[]) => foldersOf(routes, ({ path }) => paths.includes(path));

describe("foldersOf", () => {
	it("lists the folders that hold only selected routes", () => {
		assert.deepEqual(selected("/a/signed/one", "/a/signed/deep/{id}", "/b/v1/one"), [
			"/a/signed/",
			"/a/signed/deep/",
			"/b/v1/",
		]);
	});

	it("leaves out a folder with another route at any depth", () => {
		assert.deepEqual(selected("/a/signed/one"), []);
		assert.deepEqual(selected("/a/open", "/a/signed/one"), []);
	});
});

describe("the nearest signed path", () => {
	const signed = ["/p/ext/whoami", "/p/ext/users/{id}", "/p/ext/users/check-access", "/p/ext/secret/rotate"];
	const nearest = createNearestSigned([
		...signed.map((path) => ({ path, guard: { security: "signed" } }) as Route),
		...["/p/users/{id}", "/p/whoareyou"].map((path) => ({ path, guard: { security: "bearer" } }) as Route),
	]);
	for (const [path, meant] of [
		["/p/ext/whoamI", "/p/ext/whoami"],
		["/p/ext/who-am-i", "/p/ext/whoami"],
		["/p/ext/whoami/", "/p/ext/whoami"],
		["/p/ext/user/0190a5b0-0000-7000-8000-000000000001", "/p/ext/users/{id}"],
		["/p/ext/users", "/p/ext/users/{id}"],
		["/p/ext/check-access", "/p/ext/users/check-access"],
		["/p/ext/users/check_access/", "/p/ext/users/check-access"],
		["/p/ext/orders", undefined],
		["/p/user/0190a5b0-0000-7000-8000-000000000001", undefined],
		["/p/whoareyu", undefined],
		[`/p/ext/whoami${"/".repeat(200)}`, undefined],
	] as const)
		it(`${path.slice(0, 60)}: ${meant ?? "none"}`, () => assert.equal(nearest(path), meant));
});
