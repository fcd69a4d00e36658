// The OpenAPI document of this service.

import { errorOf } from "../api/error.ts";
import { type Api, apiOf } from "./api.ts";

/** @throws ApiError */
export async function loadApi(signal: AbortSignal): Promise<Api> {
	// The browser caches and revalidates it.
	const response = await fetch("/openapi.json", {
		credentials: "omit",
		headers: { accept: "application/json" },
		signal,
	});
	if (!response.ok) throw await errorOf(response);
	return apiOf(await response.json());
}
