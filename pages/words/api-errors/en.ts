// Refusals in the language of the reader: in English the API's own texts.

export default {
	/** By code; undefined: the API's own text is shown. */
	textOf: (_code: string): string | undefined => undefined,
	/** What the API says about a field. */
	fieldTextOf: (message: string): string => message,
};
