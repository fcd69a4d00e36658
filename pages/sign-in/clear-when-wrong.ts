// Clears a wrong code. Other failures keep the code for "Try again".

import { ApiError } from "../api/error.ts";

export async function clearWhenWrong<EndpointResponse>(
	sent: Promise<EndpointResponse>,
	clear: () => void,
): Promise<EndpointResponse> {
	try {
		return await sent;
	} catch (error) {
		if (error instanceof ApiError && [400, 401].includes(error.status)) clear();
		throw error;
	}
}
