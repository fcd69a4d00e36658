// Clears a wrong code. Other failures keep the code for "Try again".

import { ApiError } from "../api/error.ts";

export async function clearWhenWrong<Result>(sent: Promise<Result>, clear: () => void): Promise<Result> {
	try {
		return await sent;
	} catch (error) {
		if (error instanceof ApiError && [400, 401].includes(error.status)) clear();
		throw error;
	}
}
