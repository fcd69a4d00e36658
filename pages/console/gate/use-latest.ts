// Asks the API about what the user edits: after a pause, one request at a time, and only the latest question.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../api/error.ts";
import { useAction } from "../../api/query.ts";
import { useSettled } from "../../api/settled.ts";

interface Latest<Question, Answer> {
	/** Kept while the API refuses a later question. */
	readonly answer?: Answer;
	/** Of `answer`. */
	readonly question?: Question;
	/** Of the latest question. */
	readonly error?: ApiError | undefined;
}

/**
 * @param question undefined asks nothing
 * @param round asks again when it changes
 */
export function useLatest<Question, Answer>(
	question: Question | undefined,
	ask: (question: Question) => Promise<Answer>,
	round = 0,
): Latest<Question, Answer> {
	const [latest, setLatest] = useState<Latest<Question, Answer>>({});
	const text = question === undefined ? "" : `${round} ${JSON.stringify(question)}`;
	const settled = useSettled(text);
	const asked = useRef("");
	const request = useAction(async () => {
		if (question === undefined) return;
		try {
			setLatest({ question, answer: await ask(question) });
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			setLatest((before) => ({ ...before, error }));
		}
	});
	useEffect(() => {
		if (settled !== text || asked.current === text || request.isPending) return;
		asked.current = text;
		void request.run();
	}, [settled, text, request.isPending]);
	return latest;
}
