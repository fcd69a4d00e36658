// Loads an API client and derives its current state.

import { call } from "../../api/client.ts";
import { type Query, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";

export type ApiClient = Schemas["ApiClient"];
export type ClientWithSecret = Schemas["ApiClientWithSecret"];
type ClientState = "active" | "unclaimed" | "disabled" | "expired" | "expiring";

export const CLIENTS_PATH = "/console/clients";
/** In the URL of a client: asks whether to rotate its Secret. */
export const ROTATE_HASH = "#rotate";
/** When the owner of a client is first notified. */
const EXPIRING_MS = 30 * 86_400_000;

export interface ClientChangeProps {
	readonly client: ApiClient;
	/** Reloads the record. */
	readonly onChange: () => void;
}

export function useClient(id: string): Query<ApiClient> {
	return useQuery(`client ${id}`, async (signal) => {
		return (await call("GET /api-clients/{id}", { path: { id }, signal })).data;
	});
}

/** An unclaimed client has no Secret yet, and one that signs with keys never. */
export function hasSecret({ status, secret_hint }: Pick<ApiClient, "status" | "secret_hint">): boolean {
	return status !== "unclaimed" && secret_hint !== "";
}

/** An expired client keeps its status but is refused. */
export function stateOf({ status, expires_at: end }: ApiClient): ClientState {
	if (status === "disabled") return "disabled";
	const left = end === null ? Number.POSITIVE_INFINITY : new Date(end).getTime() - Date.now();
	if (left <= 0) return "expired";
	if (status === "unclaimed") return "unclaimed";
	return left < EXPIRING_MS ? "expiring" : "active";
}
