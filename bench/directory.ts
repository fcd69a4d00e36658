// The first synchronization of a directory: `node bench/directory.ts [people] [postgres:// URL]` searches and creates each person, as
// Entra ID does, without the limit of 600 requests a minute, while another user calls the API twenty times a second.

import { loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { type RunningService, withUnlimitedService } from "./service.ts";
import { memoryOf, processorSeconds } from "./usage.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const EVERY_MS = 50;
const STAGES = 5;
/** Members that Entra ID adds with one request. */
const MEMBERS = 20;

const people = Number(process.argv[2] ?? 10_000);
await withUnlimitedService("directory", process.argv[3], synchronize);

async function synchronize({ call, adminToken, pid }: RunningService): Promise<void> {
	const token = await adminToken();
	const client = { client_id: "latchkey", client_secret: "of the provider", force: true };
	const issuer = {
		provider: "first",
		kind: "oidc",
		display_name: "First",
		issuer: "https://login.acme.example",
	};
	const made = await call("POST", "/api/v1/identity-providers", { token, body: { ...issuer, ...client } });
	const { id } = made.body.data;
	const path = `/api/v1/identity-providers/${id}/directory`;
	const { body } = await call("PUT", path, { token, body: { on_remove: "disable" } });
	const scim = (method: string, rest: string, sent?: object) =>
		call(method, `/scim/v2/${id}/${rest}`, { token: body.data.token, ...(sent && { body: sent }) });
	const group = (await scim("POST", "Groups", { schemas: [GROUP], displayName: "Everyone" })).body.id;

	let isOver = false;
	let others: number[] = [];
	const calling = (async () => {
		while (!isOver) {
			const start = performance.now();
			await call("GET", "/api/v1/users/me", { token });
			others.push(performance.now() - start);
			await setTimeout(Math.max(0, EVERY_MS - (performance.now() - start)));
		}
	})();
	const print = (name: string, created: number[], start: number, cpu: number): void => {
		const seconds = (performance.now() - start) / 1_000;
		// Requests of the other user and the searches included.
		const used = (((processorSeconds(pid) ?? 0) - cpu) / created.length) * 1_000;
		const { now = 0, highest = 0 } = memoryOf(pid) ?? {};
		console.log(
			`${name.padStart(14)}  ${seconds.toFixed(1).padStart(6)} s  create p50 ${at(created, 0.5)} p99 ${at(created, 0.99)} ms  others p50 ${at(others, 0.5)} p99 ${at(others, 0.99)} of ${others.length}  CPU ${used.toFixed(1)} ms each  memory ${mib(now)} MiB, highest ${mib(highest)}  load ${loadavg()[0]?.toFixed(1)}`,
		);
		others = [];
	};
	const ids: string[] = [];
	for (let stage = 0; stage < STAGES; stage++) {
		const [start, cpu, created]: [number, number, number[]] = [
			performance.now(),
			processorSeconds(pid) ?? 0,
			[],
		];
		for (const last = Math.round((people * (stage + 1)) / STAGES); ids.length < last; ) {
			const userName = `person.${ids.length}@acme.example`;
			await scim("GET", `Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`);
			const before = performance.now();
			const name = { givenName: "Person", familyName: String(ids.length) };
			const emails = [{ value: userName, type: "work", primary: true }];
			const person = {
				schemas: [USER],
				userName,
				externalId: `id-${ids.length}`,
				active: true,
				name,
				emails,
			};
			ids.push((await scim("POST", "Users", person)).body.id);
			created.push(performance.now() - before);
		}
		print(`${ids.length} people`, created, start, cpu);
	}
	const [start, cpu, added]: [number, number, number[]] = [performance.now(), processorSeconds(pid) ?? 0, []];
	for (let from = 0; from < ids.length; from += MEMBERS) {
		const value = ids.slice(from, from + MEMBERS).map((each) => ({ value: each }));
		const before = performance.now();
		const Operations = [{ op: "Add", path: "members", value }];
		await scim("PATCH", `Groups/${group}?excludedAttributes=members`, { schemas: [PATCH], Operations });
		added.push(performance.now() - before);
	}
	print("their group", added, start, cpu);
	isOver = true;
	await calling;
}

function at(times: readonly number[], share: number): string {
	const sorted = times.toSorted((a, b) => a - b);
	return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

function mib(bytes: number): string {
	return (bytes / 2 ** 20).toFixed(0);
}
