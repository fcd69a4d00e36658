// Creates what the tests of a suite share.

import { after, before } from "node:test";
import { startTestService, type TestOptions, type TestService } from "../service/service.ts";

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs `action` before the tests of the current suite, after the earlier fixtures. Outside a suite, Node.js does not wait
 * for one `before` hook to finish before it starts the next one, so a file that uses fixtures must not call `before` there.
 */
export function setup(action: () => Promise<void>): void {
	before(() => {
		previous = previous.then(action, action);
		return previous;
	});
}

/**
 * Calls `create` before the tests of the current suite. Fixtures are created in the order of their declaration.
 *
 * @returns an object that is empty until then; it receives the enumerable fields, so `create` must return a plain object
 */
export function fixture<T extends object>(create: () => Promise<T>): T {
	const created = {} as T;
	setup(async () => {
		Object.assign(created, await create());
	});
	return created;
}

/**
 * A service that starts before the tests of the current suite, and stops after them.
 *
 * @param options a function for values that do not exist earlier, such as the current time
 */
export function testService(options: TestOptions | (() => TestOptions) = {}): TestService {
	return serviceFixture(() => startTestService(typeof options === "function" ? options() : options));
}

/** `testService` for another way to start it. */
export function serviceFixture(start: () => Promise<TestService>): TestService {
	const service = fixture(start);
	after(() => service.stop());
	return service;
}
