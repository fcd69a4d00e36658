// Ends a support session. A person who sees it as open may be late: one that is over already counts as ended.

import { call } from "./client.ts";
import { ApiError } from "./error.ts";

export async function endSupport(id: string): Promise<void> {
	try {
		await call("DELETE /support-sessions/{id}", { path: { id } });
	} catch (error) {
		if (!(error instanceof ApiError && error.code === "support_session.not_found")) throw error;
	}
}
