// The console's form for workloads: what it stores, whom it says a star admits, and how it shows what is stored.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	admittedBy,
	NEW_ROW,
	rowOf,
	rowProblems,
	type WorkloadRow,
	workloadOf,
} from "../../pages/console/openid/workload-rows.ts";
import en from "../../pages/words/console-workloads/en.ts";
import { subjectProblem } from "../../src/domain/workload.ts";

const GITHUB: WorkloadRow = { ...NEW_ROW, issuer_id: "i1", project: "acme/shop" };
const GITLAB: WorkloadRow = { ...GITHUB, platform: "gitlab" };
const KUBERNETES: WorkloadRow = {
	...NEW_ROW,
	issuer_id: "i1",
	platform: "kubernetes",
	namespace: "prod",
	service_account: "shop",
};
const every = { project: "acme/*" };
const prefix = "repo:acme@1/shop@2";

const CASES: readonly (readonly [
	WorkloadRow,
	subject: string,
	claims: object,
	admitted: readonly string[],
])[] = [
	[
		{ ...GITHUB, environment: "prod" },
		"repo:acme/shop:environment:prod",
		{ repository: "acme/shop", environment: "prod" },
		[],
	],
	[
		{ ...GITHUB, environment: "eu:prod", branch: "main" },
		"repo:acme/shop:environment:eu%3Aprod",
		{ repository: "acme/shop", environment: "eu:prod", ref: "refs/heads/main" },
		[],
	],
	[
		{ ...GITHUB, branch: "release/1" },
		"repo:acme/shop:ref:refs/heads/release/1",
		{ repository: "acme/shop", ref: "refs/heads/release/1" },
		[],
	],
	[GITHUB, "repo:acme/shop:*", { repository: "acme/shop" }, ["branches", "pullRequests", "forks"]],
	[
		{ ...GITHUB, ...every, branch: "main" },
		"repo:acme/*",
		{ repository_owner: "acme", ref: "refs/heads/main" },
		["repositories", "forks"],
	],
	[
		{ ...GITHUB, ...every, environment: "prod" },
		"repo:acme/*",
		{ repository_owner: "acme", environment: "prod" },
		["repositories"],
	],
	[
		{ ...GITHUB, prefix, branch: "main" },
		`${prefix}:ref:refs/heads/main`,
		{ repository: "acme/shop", ref: "refs/heads/main" },
		[],
	],
	[{ ...GITHUB, prefix }, `${prefix}:*`, { repository: "acme/shop" }, ["branches", "pullRequests", "forks"]],
	[
		{ ...GITLAB, branch: "main" },
		"project_path:acme/shop:ref_type:branch:ref:main",
		{ project_path: "acme/shop", ref_type: "branch", ref: "main" },
		[],
	],
	[GITLAB, "project_path:acme/shop:*", { project_path: "acme/shop" }, ["refs", "mergeRequests"]],
	[
		{ ...GITLAB, is_protected: true },
		"project_path:acme/shop:*",
		{ project_path: "acme/shop", ref_protected: "true" },
		["protectedRefs"],
	],
	[{ ...GITLAB, ...every }, "project_path:acme/*", {}, ["projects", "refs", "mergeRequests"]],
	[
		{ ...GITLAB, environment: "prod" },
		"project_path:acme/shop:*",
		{ project_path: "acme/shop", environment: "prod" },
		["environmentJobs"],
	],
	[
		{ ...GITLAB, environment: "prod", is_protected: true },
		"project_path:acme/shop:*",
		{ project_path: "acme/shop", environment: "prod", ref_protected: "true" },
		["protectedRefs"],
	],
	[
		{ ...GITLAB, environment: "prod", branch: "main" },
		"project_path:acme/shop:ref_type:branch:ref:main",
		{ project_path: "acme/shop", environment: "prod", ref_type: "branch", ref: "main" },
		[],
	],
	[KUBERNETES, "system:serviceaccount:prod:shop", {}, []],
	[{ ...KUBERNETES, service_account: "*" }, "system:serviceaccount:prod:*", {}, ["serviceAccounts"]],
	[
		{
			...NEW_ROW,
			issuer_id: "i1",
			platform: "other",
			subject: "spiffe://prod.example/ns/shop/*",
			claims: "a=b=c",
		},
		"spiffe://prod.example/ns/shop/*",
		{ a: "b=c" },
		["beginning"],
	],
];

describe("workloads in the console", () => {
	test("become subjects and claims that the API takes, and are shown again as they were entered", () => {
		for (const [row, subject, claims, admitted] of CASES) {
			assert.deepEqual(rowProblems(row, 0, en), {}, subject);
			assert.deepEqual(workloadOf(row), { issuer_id: "i1", subject, claims });
			assert.equal(subjectProblem(subject), undefined, subject);
			assert.deepEqual(rowOf(workloadOf(row)), row);
			assert.deepEqual(admittedBy(row), admitted, subject);
		}
	});

	test("that the form cannot ask for are shown as they are stored", () => {
		for (const stored of [
			{ issuer_id: "i1", subject: "repo:acme/shop:environment:prod", claims: {} },
			{ issuer_id: "i1", subject: "repo:acme/shop:pull_request", claims: { repository: "acme/shop" } },
			{ issuer_id: "i1", subject: "system:serviceaccount:prod:shop", claims: { "kubernetes.io": "x" } },
			{ issuer_id: "i1", subject: "x", claims: { b: "2", a: "1" } },
		]) {
			const row = rowOf(stored);
			assert.equal(row.platform, "other");
			assert.deepEqual(workloadOf(row), stored);
		}
	});

	test("are refused beside the field that is wrong", () => {
		for (const [row, ...fields] of [
			[{ ...GITHUB, issuer_id: "" }, "issuer_id"],
			...["", "acme", "acme/", "*", "acme/shop/*/x", "acme/**", "a b/c"].map(
				(project) => [{ ...GITHUB, project }, "subject"] as const,
			),
			[{ ...GITHUB, branch: "main$(id)" }, "branch"],
			[{ ...GITLAB, branch: 'a"b' }, "branch"],
			[{ ...GITHUB, environment: "`id`" }, "environment"],
			[{ ...KUBERNETES, namespace: "*" }, "subject"],
			[{ ...KUBERNETES, namespace: "Prod", service_account: "a*" }, "subject", "service_account"],
			[{ ...NEW_ROW, issuer_id: "i1", platform: "other", claims: "=x" }, "subject", "claims"],
		] as const)
			assert.deepEqual(
				Object.keys(rowProblems(row, 3, en)),
				fields.map((field) => `workloads.3.${field}`),
			);
	});
});
