// The program of a page, reloaded until reviewers have decided.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { type Query, useQuery } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";

export type AskedProgram = Schemas["AskedProgram"];

const POLLED_MS = 3_000;
const WAITED_MS = 600_000;

export interface WaitingProgram {
	readonly query: Query<AskedProgram>;
	/** The page stopped polling for the decision. */
	readonly hasWaited: boolean;
	/** Waits for the decision from now on. */
	wait(): void;
}

/** Polls a pending request while its tab is visible, for ten minutes. */
export function useAskedProgram(id: string): WaitingProgram {
	const query = useQuery(`program ${id}`, async (signal) => {
		const path = { asked_program_id: id };
		return (await call("GET /auth/programs/requests/{asked_program_id}", { path, signal })).data;
	});
	const [since, setSince] = useState(() => Date.now());
	const [hasWaited, setWaited] = useState(false);
	const { data, error, renew } = query;
	const isWaiting = !hasWaited && data?.state === "pending" && data.has_asked && error?.status !== 404;
	useEffect(() => {
		if (!isWaiting) return;
		const look = () => {
			if (Date.now() - since >= WAITED_MS) setWaited(true);
			else if (document.visibilityState === "visible") renew();
		};
		const timer = setInterval(look, POLLED_MS);
		document.addEventListener("visibilitychange", look);
		return () => {
			clearInterval(timer);
			document.removeEventListener("visibilitychange", look);
		};
	}, [isWaiting, since, renew]);
	return {
		query,
		hasWaited,
		wait() {
			setSince(Date.now());
			setWaited(false);
			query.reload();
		},
	};
}
