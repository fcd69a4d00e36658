// The words inside components. The start of a document sets where they come from.

/** Every text that a component shows by itself. `pages/words/ui/` holds them for each language. */
export interface UiWords {
	readonly close: string;
	readonly cancel: string;
	readonly dismiss: string;
	readonly optional: string;
	readonly working: string;
	readonly loading: string;
	readonly showPassword: string;
	readonly hidePassword: string;
	readonly clear: string;
	readonly copy: string;
	readonly copied: string;
	readonly copyFailed: string;
	readonly save: string;
	readonly tryAgain: string;
	/** Of a call that got no answer. */
	readonly unreachable: string;
	/** Over the English text of the API, where another one is shown. */
	readonly apiText: string;
	readonly errorTitle: string;
	readonly skipToContent: string;
	readonly navigation: string;
	readonly openNavigation: string;
	readonly tenant: string;
	readonly breadcrumb: string;
	readonly language: string;
	readonly actions: string;
	readonly moreActions: string;
	readonly resetFilters: string;
	readonly pages: string;
	readonly previousPage: string;
	readonly nextPage: string;
	readonly showAsTable: string;
	readonly opensInNewTab: string;
	readonly notifications: string;
	readonly counter: (used: number, limit: number) => string;
	readonly overLimit: (excess: number) => string;
	readonly tryAgainIn: (seconds: number) => string;
	readonly range: (first: number, last: number, total: number) => string;
	readonly pageOf: (page: number, pages: number) => string;
	readonly actionsOf: (name: string) => string;
	readonly typeToConfirm: (text: string) => string;
}

let read: (() => UiWords) | undefined;

/** `source` returns the words of the current language; a signal in it draws the components again. */
export function setUiWords(source: () => UiWords): void {
	read = source;
}

/** @throws Error before `setUiWords`. */
export function uiWords(): UiWords {
	if (read === undefined) throw new Error("setUiWords must be called before the first render");
	return read();
}
