// `@latchkey/client/admin`: administers a tenant with an admin key.

import type { AnyInput, AnyPage, Call, InputArguments, ListPath, Method, RowOf } from "./admin-routes.ts";
import { requireAll } from "./origins.ts";
import { type RepeatOptions, repeatingFetch, type SignedFetch } from "./repeating-fetch.ts";
import { requestJson } from "./request-json.ts";

export type { components } from "#admin-api";
export { LatchkeyError } from "./error.ts";

export interface AdminOptions extends RepeatOptions {
	/** The base URL of the service, such as `https://auth.example.com`. */
	readonly url: string;
	/** The key as displayed, including `lk_`. Keep it on a server. */
	readonly adminKey: string;
}

/** The largest page of a list. */
const PAGE_SIZE = 100;

/**
 * The routes that admit admin keys, with the types of the OpenAPI document. Every function throws LatchkeyError for a
 * refusal, TypeError for a path parameter that is missing, empty, `.`, or `..`, and what `fetch` throws if there is no
 * response.
 */
export function createAdmin({ url, adminKey, ...options }: AdminOptions) {
	requireAll({ url, adminKey });
	const headers = { authorization: `Bearer ${adminKey}` };
	const send = repeatingFetch(url, options, () => headers);
	const call =
		<M extends Method>(method: M): Call<M> =>
		async (path, ...[input]) => {
			const { body, signal, ...parameters } = (input ?? {}) as AnyInput;
			const sendThis: SignedFetch = (target, init) =>
				send(target, { ...init, method: method.toUpperCase(), signal: signal ?? null });
			return (await requestJson(sendThis, targetOf(path, parameters), body as object)) as never;
		};
	const get = call("get");

	/** The rows of all pages of a list, read page by page. */
	async function* each<P extends ListPath>(
		path: P,
		...[input]: InputArguments<"get", P>
	): AsyncGenerator<RowOf<P>, void, undefined> {
		const { query, ...rest } = (input ?? {}) as AnyInput;
		for (let page = 1; ; page++) {
			const paged = { ...rest, query: { page_size: PAGE_SIZE, ...query, page } };
			const { data, page_size } = (await (get as (path: P, input: AnyInput) => Promise<unknown>)(
				path,
				paged,
			)) as AnyPage;
			yield* data as RowOf<P>[];
			if (data.length < page_size) return;
		}
	}

	return {
		get,
		post: call("post"),
		put: call("put"),
		patch: call("patch"),
		delete: call("delete"),
		each,
		/** `fetch` with the admin key, for a response that is not JSON, such as an export. */
		fetch: send,
	};
}

function targetOf(path: string, { path: values = {}, query = {} }: AnyInput): string {
	const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
		const value = String(values[name] ?? "");
		// URLs are normalized: these would lead to another route.
		if (/^\.{0,2}$/.test(value)) throw new TypeError(`path.${name} must not be "${value}"`);
		return encodeURIComponent(value);
	});
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
	return search.size === 0 ? filled : `${filled}?${search}`;
}
