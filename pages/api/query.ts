// Hooks for API data: queries for screens and actions for buttons.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./error.ts";

export interface Query<Data> {
	/** The latest response; kept while a newer one loads. */
	readonly data: Data | undefined;
	readonly error: ApiError | undefined;
	readonly isLoading: boolean;
	/** When `data` was received. */
	readonly loadedAt: string | undefined;
	reload(): void;
	/** Like `reload`, without `isLoading`: for data that the user did not ask for again. */
	renew(): void;
}

interface Loaded<Data> {
	readonly data: Data;
	readonly loadedAt: string;
}

/** Responses by key, reused when the user returns to a screen; in memory only. */
const remembered = new Map<string, Loaded<unknown>>();
const REMEMBERED_MAX = 50;

/** Loads when `key` changes; `undefined` loads nothing. */
export function useQuery<Data>(
	key: string | undefined,
	load: (signal: AbortSignal) => Promise<Data>,
): Query<Data> {
	const [state, setState] = useState<Partial<Loaded<Data>> & { readonly error?: ApiError }>(() =>
		fromMemory<Data>(key),
	);
	const [isLoading, setLoading] = useState(key !== undefined);
	const [round, setRound] = useState(0);
	const isSilent = useRef(false);
	const current = useRef(load);
	current.current = load;
	useEffect(() => {
		if (key === undefined) return setLoading(false);
		const abort = new AbortController();
		setLoading(!isSilent.current);
		isSilent.current = false;
		setState((before) => ({ ...before, ...fromMemory<Data>(key) }));
		current.current(abort.signal).then(
			(data) => {
				if (abort.signal.aborted) return;
				const loaded = { data, loadedAt: new Date().toISOString() };
				remember(key, loaded);
				setState(loaded);
				setLoading(false);
			},
			(error: unknown) => {
				if (abort.signal.aborted) return;
				setState((before) => ({ ...before, error: asApiError(error) }));
				setLoading(false);
			},
		);
		return () => abort.abort();
	}, [key, round]);
	const reload = useCallback(() => setRound((count) => count + 1), []);
	const renew = useCallback(() => {
		isSilent.current = true;
		reload();
	}, [reload]);
	return { data: state.data, error: state.error, isLoading, loadedAt: state.loadedAt, reload, renew };
}

const RENEWED_MS = 30_000;
/** After 429 and other errors. */
const RETRIED_MS = 120_000;

/**
 * Renews a query every 30 s, or every `everyMs`, while its tab is visible and no dialog is open, and when the tab is shown
 * again.
 */
export function useRenewal({ data, error, renew }: Query<unknown>, everyMs = RENEWED_MS): void {
	const waitMs = error === undefined ? everyMs : RETRIED_MS;
	useEffect(() => {
		const loadedAt = Date.now();
		const isDue = () => Date.now() - loadedAt >= waitMs && document.querySelector("dialog[open]") === null;
		const look = () => {
			if (document.visibilityState === "visible" && isDue()) renew();
		};
		const timer = setInterval(look, waitMs);
		document.addEventListener("visibilitychange", look);
		return () => {
			clearInterval(timer);
			document.removeEventListener("visibilitychange", look);
		};
	}, [data, error, waitMs, renew]);
}

export interface Action<Arguments extends readonly unknown[], Result> {
	/** Resolves to undefined on failure, with the cause in `error`. Ignored while another run is pending. */
	run(...input: Arguments): Promise<Result | undefined>;
	readonly isPending: boolean;
	readonly error: ApiError | undefined;
	reset(): void;
}

export function useAction<Arguments extends readonly unknown[], Result>(
	act: (...input: Arguments) => Promise<Result>,
): Action<Arguments, Result> {
	const [isPending, setPending] = useState(false);
	const [error, setError] = useState<ApiError>();
	const isRunning = useRef(false);
	const run = async (...input: Arguments): Promise<Result | undefined> => {
		if (isRunning.current) return undefined;
		isRunning.current = true;
		setPending(true);
		setError(undefined);
		try {
			return await act(...input);
		} catch (failure) {
			setError(asApiError(failure));
			return undefined;
		} finally {
			isRunning.current = false;
			setPending(false);
		}
	};
	return { run, isPending, error, reset: () => setError(undefined) };
}

/** Removes cached responses whose key starts with `prefix`, after a change that makes them stale. */
export function forgetQueries(prefix: string): void {
	for (const key of remembered.keys()) if (key.startsWith(prefix)) remembered.delete(key);
}

function fromMemory<Data>(key: string | undefined): Partial<Loaded<Data>> {
	return ((key !== undefined && remembered.get(key)) || {}) as Partial<Loaded<Data>>;
}

function remember(key: string, loaded: Loaded<unknown>): void {
	remembered.delete(key);
	remembered.set(key, loaded);
	for (const oldest of remembered.keys()) {
		if (remembered.size <= REMEMBERED_MAX) return;
		remembered.delete(oldest);
	}
}

/** Errors in page code are shown to the user and reported to the browser console. */
function asApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	reportError(error);
	return new ApiError(0, "page.failed", String(error));
}
