// An installation with a clock that its caller sets, as example data and the demo use it.

/** `standAt` stops the clock, until `advance` moves it. */
export interface SettableClock {
	advance(milliseconds: number): void;
	standAt(atMs: number): void;
}

interface CallOptions {
	readonly token?: string | undefined;
	/** Sent as JSON. */
	readonly body?: unknown;
}

/** The signed calls, and those of people, of one installation. Paths are those of the wire. */
export interface Installation {
	readonly clock: SettableClock;
	call<Body>(
		method: string,
		path: string,
		options?: CallOptions,
	): Promise<{ readonly status: number; readonly body: Body }>;
	/** A signed call without a body. */
	signed(
		credentials: Readonly<Record<"tenant_id" | "app_id" | "api_key" | "secret", string>>,
		method: string,
		path: string,
	): Promise<{ readonly status: number }>;
	/** An access token of the first admin. */
	adminToken(): Promise<string>;
	/** Signs in. @returns the access token */
	tokenOf(username: string, password: string): Promise<string>;
}

/** Calls a route below `/api/v1`, as the first admin unless `token` is set. @returns the `data` of the response */
export async function change<Data>(
	installation: Installation,
	method: string,
	path: string,
	body: Readonly<Record<string, unknown>> | undefined,
	token?: string,
): Promise<Data> {
	const caller = token ?? (await installation.adminToken());
	const options = { token: caller, body };
	const response = await installation.call<{ data: Data } | undefined>(method, `/api/v1${path}`, options);
	if (response.status >= 300)
		throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
	return response.body?.data as Data;
}

/** See `change`. */
export function post<Data = { readonly id: string }>(
	installation: Installation,
	path: string,
	body: Readonly<Record<string, unknown>>,
	token?: string,
): Promise<Data> {
	return change(installation, "POST", path, body, token);
}
