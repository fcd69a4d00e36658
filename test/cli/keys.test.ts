import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { temporaryFolder } from "../harness/folder.ts";
import { type Exit, ownSettings, type ReadyProgram, runProgram, startProgram } from "../harness/program.ts";

const KID = "[A-Za-z0-9_-]{43}";
const TIME = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";

describe("latchkey keys, beside a running service", () => {
	const root = temporaryFolder();
	let env: Record<string, string>;
	let program: ReadyProgram;
	before(async () => {
		env = await ownSettings(join(root.path, "data"));
		program = await startProgram({ env });
	});
	after(async () => {
		await program.end();
		root[Symbol.dispose]();
	});

	const keys = (...args: string[]): Promise<Exit> => runProgram(["keys", ...args], { env });
	const published = async (): Promise<string[]> => {
		const answer = await fetch(new URL("/.well-known/jwks.json", program.httpUrl));
		const set = (await answer.json()) as { keys: { kid: string }[] };
		return set.keys.map(({ kid }) => kid);
	};
	const publishedWithin4s = async (count: number): Promise<string[]> => {
		const deadline = Date.now() + 4_000;
		for (;;) {
			const kids = await published();
			if (kids.length === count || Date.now() > deadline) return kids;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	};
	let first = "";
	let second = "";

	test("list shows the one key of the first start", async () => {
		const { code, stdout } = await keys("list");
		assert.equal(code, 0);
		assert.match(stdout, new RegExp(`^${KID}  ES256  signing    signs\n$`));
		first = stdout.slice(0, 43);
	});

	test("rotate publishes a key that the service shows within seconds, and says when it signs", async () => {
		const { code, stdout, stderr } = await keys("rotate");
		assert.equal(code, 0, stderr);
		const announced = new RegExp(`^key (${KID}) is published and signs from (${TIME}); `).exec(stdout);
		assert.ok(announced !== null, stdout);
		second = announced[1] as string;
		const inMinutes = (Date.parse(announced[2] as string) - Date.now()) / 60_000;
		assert.ok(inMinutes > 14 && inMinutes <= 15);
		assert.deepEqual(await publishedWithin4s(2), [first, second]);
		const list = (await keys("list")).stdout.split("\n");
		assert.match(list[0] ?? "", new RegExp(`^${second}  ES256  next       published, signs from ${TIME}$`));
		assert.match(list[1] ?? "", new RegExp(`^${first}  ES256  signing    signs, published until ${TIME}$`));
	});

	test("rotate refuses a second time while a key waits, and changes nothing", async () => {
		const { code, stdout, stderr } = await keys("rotate");
		assert.deepEqual([code, stdout], [4, ""]);
		assert.match(
			stderr,
			new RegExp(`^latchkey: the key ${second} was published already and signs from ${TIME}; .*--now`),
		);
		assert.equal(stderr.trim().split("\n").length, 1);
		assert.deepEqual(await published(), [first, second]);
	});

	test("rotate --now leaves one key, and says what breaks", async () => {
		const { code, stdout } = await keys("rotate", "--now");
		assert.equal(code, 0);
		const [signs = "", withdrawn = "", tokens, others] = stdout.split("\n");
		assert.match(signs, new RegExp(`^key ${KID} signs from now on$`));
		assert.equal(withdrawn, `withdrawn: ${second}, ${first}`);
		assert.match(tokens ?? "", /refuses all access tokens issued before; sessions live on/);
		assert.match(others ?? "", /5 minutes if they honour its Cache-Control/);
		assert.deepEqual(await publishedWithin4s(1), [signs.slice(4, 47)]);
		const list = (await keys("list")).stdout;
		assert.match(list, new RegExp(`^${first}  ES256  withdrawn  withdrawn ${TIME}$`, "m"));
	});

	test("old checkpoints are proved with withdrawn keys, new ones signed with the one that signs", async () => {
		const prune = () => runProgram(["audit", "prune", "--before", new Date().toISOString()], { env });
		const verify = () => runProgram(["audit", "verify"], { env });
		assert.equal((await prune()).code, 0);
		assert.equal((await keys("rotate", "--now")).code, 0);
		const verified = await verify();
		assert.match(verified.stdout, /^default: ok, \d+ events after the checkpoint at event \d+/);
		assert.equal((await prune()).code, 0);
		assert.match((await verify()).stdout, /^default: ok/);
	});

	test("has nothing to rotate before the first start", async () => {
		const empty = { ...env, LATCHKEY_DATA_DIR: join(root.path, "empty") };
		const { code, stderr } = await runProgram(["keys", "rotate"], { env: empty });
		assert.equal(code, 3);
		assert.match(stderr, /does not exist yet; start the service once first/);
	});
});
