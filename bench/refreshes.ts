// Refreshes sessions continuously: each connection has a session of its own.

import { send } from "./openid-client.ts";
import type { Population } from "./people.ts";
import { addressOf } from "./requests.ts";
import type { Round } from "./rounds.ts";
import type { RunningService } from "./service.ts";
import { processorSeconds } from "./usage.ts";

const CONNECTIONS = 32;

/** Signs in, and returns what refreshes for some seconds. */
export async function sendRefreshes(
	{ port, pid }: RunningService,
	people: Population["people"],
): Promise<(seconds: number) => Promise<Round & { readonly processorMicros: number }>> {
	let sent = 0;
	const post = async (path: string, body: object): Promise<string> => {
		const headers = { "content-type": "application/json", "x-forwarded-for": addressOf(sent++) };
		const { status, text } = await send(port, "POST", path, { headers, body: JSON.stringify(body) });
		if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`);
		return JSON.parse(text).data.refresh_token;
	};
	const held: string[] = [];
	for (let index = 0; index < CONNECTIONS; index++)
		held.push(await post("/api/v1/auth/login", people[index % people.length] ?? {}));
	return async (seconds) => {
		const used = (): number => processorSeconds(pid) ?? Number.NaN;
		const [usedBefore, own, startedAt] = [used(), process.cpuUsage(), performance.now()];
		let requests = 0;
		const refreshOne = async (token: string, index: number): Promise<void> => {
			let refresh_token = token;
			while (performance.now() - startedAt < seconds * 1_000) {
				refresh_token = await post("/api/v1/auth/refresh", { refresh_token });
				requests++;
			}
			held[index] = refresh_token;
		};
		await Promise.all(held.map(refreshOne));
		const took = (performance.now() - startedAt) / 1_000;
		const { user, system } = process.cpuUsage(own);
		return {
			perSecond: requests / took,
			processorMicros: ((used() - usedBefore) / requests) * 1e6,
			generatorShare: (user + system) / 1e6 / took,
			requests,
			seconds: took,
		};
	};
}
