// Scripts that run in a page before its own: what an old or strict browser lacks.

import { NEWER_APIS } from "../../../scripts/pages/browsers.ts";

/** Removes the APIs that a supported browser may lack. */
export const WITHOUT_NEWER_APIS = `for (const path of ${JSON.stringify(NEWER_APIS)}) {
	const names = path.split(".");
	const name = names.pop();
	const owner = names.reduce((found, part) => found?.[part], globalThis);
	if (owner !== undefined && owner !== null) delete owner[name];
}`;

const BLOCKED_STORAGE = `const refusal = () => new DOMException("Access is denied for this document.", "SecurityError");
	for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"])
		Object.defineProperty(globalThis, name, { get() { throw refusal(); } });
	LockManager.prototype.request = () => Promise.reject(refusal());`;

/** What browsers do without storage, by the reason. */
export const WITHOUT_STORAGE = {
	"site data blocked in Chrome": `{ ${BLOCKED_STORAGE} }`,
	"cookies blocked in Firefox": `{
	${BLOCKED_STORAGE}
	globalThis.BroadcastChannel = class { constructor() { throw refusal(); } };
	Object.defineProperty(Navigator.prototype, "cookieEnabled", { get: () => false });
}`,
	"no DOM storage, as in web views": `for (const name of ["localStorage", "sessionStorage"])
	Object.defineProperty(globalThis, name, { get: () => null });`,
};
