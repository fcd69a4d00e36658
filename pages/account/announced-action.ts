// An action without a form: announces its error.

import { ApiError } from "../api/error.ts";
import { type Action, useAction } from "../api/query.ts";
import { announce } from "../ui/status-line.tsx";

export function useAnnouncedAction<Arguments extends readonly unknown[], Result>(
	act: (...input: Arguments) => Promise<Result>,
): Action<Arguments, Result> {
	return useAction(async (...input: Arguments) => {
		try {
			return await act(...input);
		} catch (error) {
			if (error instanceof ApiError) announce(error.message, "danger");
			throw error;
		}
	});
}
