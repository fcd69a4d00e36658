// Error messages: in English, the API's own.

import type { ErrorDetail } from "../../api/error.ts";

export default {
	/** By code; undefined: the API's own text is shown. */
	textOf: (_code: string): string | undefined => undefined,
	/** What is wrong with a field. */
	fieldTextOf: ({ message }: ErrorDetail): string => message,
};
