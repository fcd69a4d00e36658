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

/** What the current suites started and did not close yet, in order. */
const open: { readonly close: () => unknown }[] = [];

/**
 * Calls `create` before the tests of the current suite, and the method `close` of what it returns after them. Fixtures are
 * created in the order of their declaration, and closed in the reverse order.
 *
 * @returns an object that is empty until then; it receives the own properties, so `create` must return a plain object
 */
export function fixture<T extends object>(create: () => Promise<T> | T, close?: MethodOf<T>): T {
	const created = {} as T;
	const closing = { close: () => close !== undefined && (created[close] as () => unknown)() };
	setup(async () => {
		Object.defineProperties(created, Object.getOwnPropertyDescriptors(await create()));
		if (close !== undefined) open.push(closing);
	});
	if (close !== undefined)
		after(async () => {
			while (open.includes(closing)) await open.pop()?.close();
		});
	return created;
}

/** The names of the methods without parameters. */
type MethodOf<T> = { [Name in keyof T]: T[Name] extends () => unknown ? Name : never }[keyof T];

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
	return fixture(start, "stop");
}
