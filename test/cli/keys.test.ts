import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Service } from "../../src/app/service.ts";
import { runCommand } from "../harness/processes/command.ts";
import { type Exit, ownSettings } from "../harness/processes/program.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { serveInstallation } from "../harness/service/installation.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const KID = "[A-Za-z0-9_-]{43}";
const TIME = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";

describe("latchkey keys, beside a running service", () => {
	const root = lastingFolder();
	let env: Record<string, string>;
	let service: Service;
	before(async () => {
		env = await ownSettings(join(root, "data"));
		service = await serveInstallation(env);
	});
	after(() => service.stop());

	const keys = (...args: string[]): Promise<Exit> => runCommand(["keys", ...args], { env });
	const published = async (): Promise<string[]> => {
		const response = await fetch(`http://127.0.0.1:${service.ports.http}/.well-known/jwks.json`);
		const set = (await response.json()) as { keys: { kid: string }[] };
		return set.keys.map(({ kid }) => kid);
	};
	/** The service rereads the keys every few seconds. */
	const publishedOnceThereAre = (count: number): Promise<string[]> =>
		eventually(published, (kids) => kids.length === count);
	let first = "";
	let second = "";

	test("list prints the key of the first start", async () => {
		const { code, stdout } = await keys("list");
		assert.equal(code, 0);
		assert.match(stdout, new RegExp(`^${KID}  ES256  signing    signs\n$`));
		first = stdout.slice(0, 43);
	});

	test("rotate publishes a key, which the running service also publishes, and prints when it signs", async () => {
		const earliestMs = Date.now();
		const { code, stdout, stderr } = await keys("rotate");
		assert.equal(code, 0, stderr);
		const announced = new RegExp(`^key (${KID}) is published and signs from (${TIME}); `).exec(stdout);
		assert.ok(announced !== null, stdout);
		second = announced[1] as string;
		const signsInMs = Date.parse(announced[2] as string) - earliestMs;
		assert.ok(signsInMs >= 15 * 60_000 && signsInMs <= 16 * 60_000, `${signsInMs} ms`);
		assert.deepEqual(await publishedOnceThereAre(2), [first, second]);
		const list = (await keys("list")).stdout.split("\n");
		assert.match(list[0] ?? "", new RegExp(`^${second}  ES256  next       published, signs from ${TIME}$`));
		assert.match(list[1] ?? "", new RegExp(`^${first}  ES256  signing    signs, published until ${TIME}$`));
	});

	test("rotate refuses while a published key does not sign yet, and changes nothing", async () => {
		const { code, stdout, stderr } = await keys("rotate");
		assert.deepEqual([code, stdout], [4, ""]);
		assert.match(
			stderr,
			new RegExp(`^latchkey: key ${second} was already published and signs from ${TIME}; .*--now`),
		);
		assert.equal(stderr.trim().split("\n").length, 1);
		assert.deepEqual(await published(), [first, second]);
	});

	test("rotate --now withdraws every other key, and prints the consequences", async () => {
		const { code, stdout } = await keys("rotate", "--now");
		assert.equal(code, 0);
		const [signs = "", withdrawn = "", tokens, others] = stdout.split("\n");
		assert.match(signs, new RegExp(`^key ${KID} signs from now on$`));
		assert.equal(withdrawn, `withdrawn: ${second}, ${first}`);
		assert.match(tokens ?? "", /refuses all access tokens issued before; sessions remain/);
		assert.match(others ?? "", /5 minutes if they honor its Cache-Control/);
		assert.deepEqual(await publishedOnceThereAre(1), [signs.slice(4, 47)]);
		const list = (await keys("list")).stdout;
		assert.match(list, new RegExp(`^${first}  ES256  withdrawn  withdrawn ${TIME}$`, "m"));
	});

	test("verifies old checkpoints with withdrawn keys, and signs new ones with the signing key", async () => {
		const prune = () => runCommand(["audit", "prune", "--before", new Date().toISOString()], { env });
		const verify = () => runCommand(["audit", "verify"], { env });
		assert.equal((await prune()).code, 0);
		assert.equal((await keys("rotate", "--now")).code, 0);
		const verified = await verify();
		assert.match(verified.stdout, /^default: ok, \d+ events after the checkpoint at event \d+/);
		assert.equal((await prune()).code, 0);
		assert.match((await verify()).stdout, /^default: ok/);
	});

	test("rotate refuses before the first start", async () => {
		const empty = { ...env, LATCHKEY_DATA_DIR: join(root, "empty") };
		const { code, stderr } = await runCommand(["keys", "rotate"], { env: empty });
		assert.equal(code, 3);
		assert.match(stderr, /does not exist yet; start the service once first/);
	});
});
