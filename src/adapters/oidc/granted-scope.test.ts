import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertedScope, exchangedScope } from "./granted-scope.ts";
import { scopesIn } from "./scopes.ts";

const CASES = 10_000;
/** Prefixes of each other, other cases, and names of OpenID, so that only an exact comparison holds. */
const NAMES = [
	"a",
	"a:b",
	"a:b:c",
	"A:b",
	"a:bc",
	"b",
	"orders:read",
	"orders:*",
	"*",
	"openid",
	"roles",
	"__proto__",
];

/** Deterministic (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

const random = randomFrom(44);
const some = (): string[] => Array.from({ length: random(6) }, () => NAMES[random(NAMES.length)] ?? "");
/** As clients write it, with repeated names and spaces; undefined in one of eight cases. */
const written = (): string | undefined =>
	random(8) === 0 ? undefined : some().join(random(4) === 0 ? "  " : " ");
const isRefusal = (error: unknown): boolean => (error as { error?: string }).error === "invalid_scope";

/** @returns undefined if it was refused. */
function attempt(work: () => string): string[] | undefined {
	try {
		return scopesIn(work());
	} catch (error) {
		assert.ok(isRefusal(error), String(error));
		return undefined;
	}
}

describe("the scope of a token that continues a sign-in", () => {
	it(`never exceeds what the person has and the client asked for, in ${CASES} random exchanges`, () => {
		let granted = 0;
		for (let count = 0; count < CASES; count++) {
			const [held, asked] = [some(), written()];
			const scope = attempt(() => exchangedScope(held, asked));
			const expected = scopesIn(asked).filter((name) => held.includes(name));
			assert.deepEqual(scope ?? [], expected);
			// A token without a scope is never issued.
			assert.equal(scope === undefined, expected.length === 0);
			granted += scope === undefined ? 0 : 1;
		}
		assert.ok(granted > CASES / 10 && granted < CASES);
	});

	it(`never exceeds assertion, request, and what the person has, in ${CASES} random assertions`, () => {
		let granted = 0;
		for (let count = 0; count < CASES; count++) {
			const [held, asked, given] = [some(), written(), written() ?? ""];
			const scope = attempt(() => assertedScope(given, asked, held));
			const allowed = new Set(scopesIn(given).filter((name) => held.includes(name)));
			for (const name of scope ?? []) {
				assert.ok(allowed.has(name), `${name} of ${given} for ${held}`);
				assert.ok(asked === undefined || scopesIn(asked).includes(name));
			}
			assert.equal(new Set(scope).size, scope?.length ?? 0);
			granted += (scope?.length ?? 0) > 0 ? 1 : 0;
		}
		assert.ok(granted > CASES / 20 && granted < CASES);
	});
});
