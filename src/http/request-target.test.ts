import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "./guard.ts";
import { foldersOf } from "./request-target.ts";

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
