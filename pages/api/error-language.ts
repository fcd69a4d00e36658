// A refusal in the language of the reader. The API speaks English; its own text stays with the error.

import { language } from "../words/language.ts";
import { findWords, loadWords } from "../words/words.ts";
import { ApiError } from "./error.ts";

/** The session sees to them: nobody reads their texts. */
const TOKEN_CODE = /^(?:refresh_)?token\./;

/** The words are loaded with the first error. Where they cannot be, the API's own text is shown. */
export async function inReadersLanguage(error: ApiError): Promise<ApiError> {
	if (language.value === "en" || TOKEN_CODE.test(error.code)) return error;
	await loadWords(["api-errors"]).catch(reportError);
	const words = findWords("api-errors");
	if (words === undefined) return error;
	const details = error.details.map(({ field, message }) => ({ field, message: words.fieldTextOf(message) }));
	const text = words.textOf(error.code);
	return new ApiError(error.status, error.code, text ?? error.message, {
		...error,
		details,
		apiText: text === undefined ? undefined : error.message,
	});
}
