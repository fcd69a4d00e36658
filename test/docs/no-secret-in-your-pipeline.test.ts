// docs/no-secret-in-your-pipeline.md, and the pipelines of docs/configuration-as-code.md: run as their platforms run them, against
// the service.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { parse } from "yaml";
import { blocksOf } from "../../pages/console/openid/workload-block.ts";
import { NEW_ROW, type WorkloadRow, workloadOf } from "../../pages/console/openid/workload-rows.ts";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { ISSUER, startOpenIdService } from "../harness/openid/openid.ts";
import { addIssuer, type Platform, platformToken, startPlatform } from "../harness/openid/workloads.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import type { TestService } from "../harness/service/service.ts";
import { RECEIVER_NETWORK } from "../harness/webhooks/webhook-receiver.ts";
import { readDocument } from "./document.ts";

const GUIDE = readDocument("docs/no-secret-in-your-pipeline.md");
const FILES = filesIn(GUIDE);
const run = promisify(execFile);
const GITHUB = { ...NEW_ROW, project: "acme/shop" };
const GITLAB = { ...NEW_ROW, platform: "gitlab", project: "acme/shop" } as const;
const KUBERNETES = {
	...NEW_ROW,
	platform: "kubernetes",
	namespace: "prod",
	service_account: "shop",
} as const;

describe("docs/no-secret-in-your-pipeline.md", { skip: skippedWithout("bash", "curl", "jq") }, () => {
	let service: TestService;
	let platform: Platform;
	let issuerId: string;
	let resource: string;
	/** The token that the platform issues, with the audience that was asked for. */
	let issue: (audience: string) => Promise<string>;
	/** What the API received. */
	let received: string[];
	const folder = lastingFolder();
	const trusted = join(folder, "trusted.pem");
	before(async () => {
		const networks = {
			LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK,
			LATCHKEY_PROVIDER_ALLOWED_NETWORKS: RECEIVER_NETWORK,
		};
		service = await startOpenIdService({ env: networks });
		service.clock.standAt(Date.now());
		platform = await startPlatform();
		resource = `${platform.issuer}/api`;
		const { issuer } = platform;
		platform.server.response((response, { path, headers }) => {
			const { pathname, searchParams } = new URL(path, issuer);
			if (pathname === "/keys") return void response.end(JSON.stringify({ keys: [platform.key.publicJwk] }));
			if (pathname === "/api/") {
				received.push(String(headers.authorization));
				return void response.end("{}");
			}
			if (pathname !== "/request")
				return void response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
			// As at GitHub, the URL already has a query, and the job authenticates.
			assert.equal(headers.authorization, "Bearer the job");
			assert.equal(searchParams.get("api-version"), "2.0");
			void issue(searchParams.get("audience") ?? "").then((value) => response.end(JSON.stringify({ value })));
		});
		const own = readFileSync(join(service.dataDir, "tls-cert.pem"), "utf8");
		writeFileSync(trusted, `${own}\n${platform.server.certificate}`);
		issuerId = await addIssuer(service, issuer);
		await putOAuthClient(service, { resource });
	});
	after(async () => {
		await platform.server.close();
		await service.stop();
	});

	/** The blocks of a client for which the row stands, by file name. */
	const connect = async (row: WorkloadRow) => {
		const workloads = [workloadOf({ ...row, issuer_id: issuerId })];
		const fields = { type: "service", auth_method: "workload", allowed_resources: [resource], workloads };
		const { client_id: clientId } = await putOAuthClient(service, fields);
		const url = `https://localhost:${service.httpsPort}`;
		const blocks = blocksOf(row, FILES, { issuer: url, audience: ISSUER, clientId, resource });
		return { clientId, blocks: Object.fromEntries(blocks.map(({ file, code }) => [file, code])) };
	};
	const execute = async (script: string, env: Readonly<Record<string, string>>, shell = "bash") => {
		received = [];
		await run(shell, ["-e", "-c", script], {
			cwd: folder,
			env: { PATH: String(process.env.PATH), CURL_CA_BUNDLE: trusted, ...env },
		});
	};
	const assertCalledBy = (clientId: string) => {
		const [header = "", ...more] = received;
		assert.deepEqual(more, []);
		const { sub, aud, client_id } = decodeJwt(header.replace("Bearer ", ""));
		assert.deepEqual([sub, aud, client_id], [clientId, resource, clientId]);
	};

	it("authenticates a job of GitHub Actions, and no job of another environment", async () => {
		const { clientId, blocks } = await connect({ ...GITHUB, environment: "production", branch: "main" });
		const workflow = parse(blocks[".github/workflows/deploy.yml"] ?? "");
		const { deploy } = workflow.jobs;
		assert.deepEqual(
			[workflow.on.push.branches, workflow.permissions["id-token"], deploy.environment],
			[["main"], "write", "production"],
		);
		const env = {
			...deploy.env,
			ACTIONS_ID_TOKEN_REQUEST_URL: `${platform.issuer}/request?api-version=2.0`,
			ACTIONS_ID_TOKEN_REQUEST_TOKEN: "the job",
		};
		const claims = { repository: "acme/shop", ref: "refs/heads/main", environment: "production" };
		issue = (aud) =>
			platformToken(service, platform, "repo:acme/shop:environment:production", {
				claims: { ...claims, aud },
			});
		await execute(deploy.steps[0].run, env);
		assertCalledBy(clientId);
		issue = (aud) =>
			platformToken(service, platform, "repo:acme/shop:environment:preview", {
				claims: { ...claims, environment: "preview", aud },
			});
		await assert.rejects(execute(deploy.steps[0].run, env), /401/);
		assert.deepEqual(received, []);
	});

	it("authenticates a job of GitLab, and no job of another branch", async () => {
		const { clientId, blocks } = await connect({ ...GITLAB, branch: "main" });
		const { deploy } = parse(blocks[".gitlab-ci.yml"] ?? "");
		assert.deepEqual(deploy.rules, [{ if: '$CI_COMMIT_BRANCH == "main"' }]);
		const { aud } = deploy.id_tokens.PLATFORM_TOKEN;
		for (const [branch, isAccepted] of [
			["main", true],
			["feature", false],
		] as const) {
			const sub = `project_path:acme/shop:ref_type:branch:ref:${branch}`;
			const claims = { aud, project_path: "acme/shop", ref_type: "branch", ref: branch };
			const PLATFORM_TOKEN = await platformToken(service, platform, sub, { claims });
			const job = execute(deploy.script.join("\n"), { ...deploy.variables, PLATFORM_TOKEN }, "sh");
			if (!isAccepted) await assert.rejects(job, /401/);
			else {
				await job;
				assertCalledBy(clientId);
			}
		}
	});

	it("applies a configuration from jobs of GitHub and GitLab, without a stored key", async () => {
		const guide = readDocument("docs/configuration-as-code.md");
		const files = filesIn(guide);
		const bin = join(folder, "bin");
		mkdirSync(bin);
		const program = (name: string, line: string) =>
			writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
		program(
			"latchkey",
			`exec "${process.execPath}" "${join(import.meta.dirname, "../../bin/latchkey.js")}" "$@"`,
		);
		const exported = join(folder, "github-env");
		const summary = join(folder, "summary.md");
		const env = {
			PATH: `${bin}:${process.env.PATH}`,
			HOME: folder,
			LK_BASE_URL: service.httpUrl,
			GITHUB_ENV: exported,
			GITHUB_STEP_SUMMARY: summary,
			ACTIONS_ID_TOKEN_REQUEST_URL: `${platform.issuer}/request?api-version=2.0`,
			ACTIONS_ID_TOKEN_REQUEST_TOKEN: "the job",
		};
		const keyOf = (workloads: readonly object[]) =>
			addAdminKey(service, { workloads: workloads.map((one) => ({ ...one, issuer_id: issuerId })) });
		const write = (group: string) => writeFileSync(join(folder, "latchkey.yaml"), `groups: {${group}: {}}\n`);
		const plan = () => readFileSync(join(folder, "plan.txt"), "utf8");
		const madeBy = async (group: string): Promise<unknown[]> => {
			const path = `/api/v1/audit-events?action=group.created&target_name=${group}`;
			const { data } = (
				await service.call<{ readonly data: readonly { readonly actor: string }[] }>("GET", path, {
					token: await service.adminToken(),
				})
			).body;
			return data.map(({ actor }) => actor);
		};

		write("ByGitHub");
		const workflow = parse(files[".github/workflows/latchkey.yml"] ?? "");
		assert.deepEqual(
			[workflow.on, workflow.permissions["id-token"]],
			[{ push: { branches: ["main"] } }, "write"],
		);
		const steps = (name: string): { run: string }[] => workflow.jobs[name].steps;
		const [, authenticate, toPlan] = steps("plan");
		const [, again, apply] = steps("apply");
		assert.deepEqual(again, authenticate);
		const [, ofKey = "{}"] = /```json\n(\{\n\t"name"[\s\S]*?)```/.exec(guide) ?? [];
		const github = await keyOf(JSON.parse(ofKey).workloads);
		const job = async (part: string, claims: object = {}) => {
			issue = (audience) => {
				assert.equal(audience, service.httpUrl);
				const all = { repository: "acme/infra", ref: "refs/heads/main", event_name: "push", ...claims };
				return platformToken(service, platform, `repo:acme/infra:${part}`, { claims: all });
			};
			writeFileSync(exported, "");
			await execute(authenticate?.run ?? "", { ...env, KEY: github.key });
			const [name = "", value = ""] = readFileSync(exported, "utf8").trim().split(/=(.*)/s);
			return { ...env, [name]: value };
		};
		await execute(toPlan?.run ?? "", await job("ref:refs/heads/main"));
		assert.match(plan(), /^\+ groups\.ByGitHub$/m);
		assert.equal(readFileSync(summary, "utf8"), plan());
		const asked = { ref: "refs/pull/7/merge", event_name: "pull_request" };
		for (const [part, claims] of [
			["pull_request", asked],
			["ref:refs/heads/main", { event_name: "pull_request_target" }],
			["environment:latchkey", asked],
			["environment:latchkey", { ref: "refs/heads/feature" }],
		] as const)
			await assert.rejects(execute(toPlan?.run ?? "", await job(part, claims)), /token\.invalid/);
		assert.deepEqual(await madeBy("ByGitHub"), []);
		await execute(apply?.run ?? "", await job(`environment:${workflow.jobs.apply.environment}`));
		assert.deepEqual(await madeBy("ByGitHub"), [`key:${github.id}`]);

		write("ByGitLab");
		const gitlab = parse(files[".gitlab-ci.yml"] ?? "");
		const branch = "project_path:acme/infra:ref_type:branch:ref:main";
		const claims = { ref_protected: "true" };
		const { id, key } = await keyOf([{ subject: branch, claims }]);
		const PLATFORM_TOKEN = await platformToken(service, platform, branch, { claims });
		for (const { rules } of [gitlab.plan, gitlab.apply])
			assert.equal(rules[0].if, '$CI_COMMIT_BRANCH == "main"');
		assert.equal(gitlab.apply.rules[0].when, "manual");
		for (const part of [gitlab.plan, gitlab.apply])
			await execute(part.script.join("\n"), { ...env, KEY: key, PLATFORM_TOKEN }, "sh");
		assert.match(plan(), /^\+ groups\.ByGitLab$/m);
		assert.deepEqual(await madeBy("ByGitLab"), [`key:${id}`]);
	});

	it("authenticates a pod, whose volume is short-lived and for this service", async () => {
		const { clientId, blocks } = await connect(KUBERNETES);
		const pod = parse(blocks["pod.yaml"] ?? "");
		const { containers, volumes, serviceAccountName } = pod.spec;
		const { serviceAccountToken: projected } = volumes[0].projected.sources[0];
		assert.deepEqual([pod.metadata.namespace, serviceAccountName], ["prod", "shop"]);
		assert.deepEqual(projected, { path: "token", audience: ISSUER, expirationSeconds: 3_600 });
		const [{ env, volumeMounts }] = containers;
		const variables = Object.fromEntries(
			env.map((one: { name: string; value: string }) => [one.name, one.value]),
		);
		assert.equal(variables.TOKEN_FILE, join(volumeMounts[0].mountPath, projected.path));
		const sub = `system:serviceaccount:prod:${serviceAccountName}`;
		const file = join(folder, "token");
		writeFileSync(
			file,
			await platformToken(service, platform, sub, { claims: { aud: [projected.audience] } }),
		);
		await execute(blocks["call.sh"] ?? "", { ...variables, TOKEN_FILE: file }, "sh");
		assertCalledBy(clientId);
	});

	it("keeps values with quotes, spaces, and characters of shells as they are", async () => {
		const odd = `it's "a" $(id) \`id\` #x: } \\`;
		const values = {
			issuer: "https://login.example",
			audience: odd,
			clientId: "c 1",
			resource: `urn:${odd}`,
		};
		const blockOf = (row: WorkloadRow, name: string): string =>
			blocksOf(row, FILES, values).find(({ file }) => file === name)?.code ?? assert.fail(name);
		const printed = async (shell: string, script: string) =>
			(await run(shell, ["-e", "-c", script], { env: { PATH: String(process.env.PATH), TOKEN_FILE: "x" } }))
				.stdout;
		const row = { environment: `it's #1: "x"`, branch: `it's #1: x` };

		const workflow = parse(blockOf({ ...GITHUB, ...row }, ".github/workflows/deploy.yml"));
		const { env, environment, steps } = workflow.jobs.deploy;
		assert.deepEqual(
			[workflow.on.push.branches, environment, env],
			[
				[row.branch],
				row.environment,
				{ LK_BASE_URL: values.issuer, CLIENT_ID: "c 1", RESOURCE: `urn:${odd}` },
			],
		);
		const [, word] = /('audience=.*')\)/s.exec(steps[0].run) ?? [];
		assert.equal(await printed("bash", `printf %s ${word}`), `audience=${odd}`);

		const { deploy } = parse(blockOf({ ...GITLAB, ...row }, ".gitlab-ci.yml"));
		assert.deepEqual(
			[deploy.id_tokens.PLATFORM_TOKEN.aud, deploy.environment, deploy.rules, deploy.variables.RESOURCE],
			[odd, row.environment, [{ if: `$CI_COMMIT_BRANCH == "${row.branch}"` }], `urn:${odd}`],
		);

		const pod = parse(blockOf(KUBERNETES, "pod.yaml"));
		assert.equal(pod.spec.volumes[0].projected.sources[0].serviceAccountToken.audience, odd);
		assert.equal(pod.spec.containers[0].env[2].value, `urn:${odd}`);
		const [defaults = ""] = blockOf(KUBERNETES, "call.sh").split("ANSWER=", 1);
		for (const shell of ["sh", "bash"])
			assert.equal(
				await printed(shell, `${defaults}printf '%s|%s' "$CLIENT_ID" "$RESOURCE"`),
				`c 1|urn:${odd}`,
			);
	});

	it("names subjects that the console computes", () => {
		for (const row of [
			{ ...GITHUB, environment: "production" },
			{ ...GITHUB, branch: "main" },
			GITHUB,
			{ ...GITHUB, project: "acme/*" },
			{ ...GITLAB, branch: "main" },
			GITLAB,
			{ ...GITLAB, project: "acme/*" },
			KUBERNETES,
			{ ...KUBERNETES, service_account: "*" },
		] as const)
			assert.ok(GUIDE.includes(`\`${workloadOf(row).subject}\``), workloadOf(row).subject);
	});
});
