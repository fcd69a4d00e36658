// Makes room for another code after a wrong one. Other failures keep it, for "Try again".

import { ApiError } from "../api/error.ts";

export async function clearWhenWrong<Answer>(sent: Promise<Answer>, clear: () => void): Promise<Answer> {
	try {
		return await sent;
	} catch (error) {
		if (error instanceof ApiError && [400, 401].includes(error.status)) clear();
		throw error;
	}
}
