// The oldest browsers that the pages support, and what they lack.

/** For esbuild. Older ones lack popovers, `AbortSignal.any`, or `light-dark()`. */
export const BROWSERS = ["chrome125", "edge125", "firefox128", "safari17.5"];

/**
 * Globals that at least one of these browsers lacks. esbuild lowers syntax and adds no API, so a test opens every document
 * without them.
 */
export const NEWER_APIS = [
	// Chrome 126, Safari 18.
	"URL.parse",
	// Chrome 129, Safari 18.4.
	"PublicKeyCredential.parseCreationOptionsFromJSON",
	"PublicKeyCredential.parseRequestOptionsFromJSON",
	"PublicKeyCredential.prototype.toJSON",
	"PublicKeyCredential.getClientCapabilities",
	"PublicKeyCredential.signalUnknownCredential",
	// Firefox 131, Safari 18.4.
	"Iterator",
	...[
		"map",
		"filter",
		"take",
		"drop",
		"flatMap",
		"reduce",
		"toArray",
		"forEach",
		"some",
		"every",
		"find",
	].map((name) => `Iterator.prototype.${name}`),
	// Chrome 128.
	"Promise.try",
	// Chrome 136, Firefox 134, Safari 18.2.
	"RegExp.escape",
	"Math.f16round",
	"Float16Array",
	// Chrome 140.
	"Uint8Array.fromBase64",
	"Uint8Array.fromHex",
	"Uint8Array.prototype.toBase64",
	"Uint8Array.prototype.toHex",
	"Uint8Array.prototype.setFromBase64",
	"Error.isError",
	"Math.sumPrecise",
	"Map.prototype.getOrInsert",
	// Chrome 129, Firefox 136.
	"Intl.DurationFormat",
	// Not in Firefox 128 or Safari 17.5.
	"scheduler",
	"requestIdleCallback",
	"cookieStore",
	"trustedTypes",
	"URLPattern",
	"Document.prototype.startViewTransition",
	"Document.prototype.caretPositionFromPoint",
	"Document.prototype.hasStorageAccess",
	"Element.prototype.setHTML",
	"Element.prototype.setHTMLUnsafe",
	"Element.prototype.moveBefore",
	"Element.prototype.scrollIntoViewIfNeeded",
	"HTMLDialogElement.prototype.requestClose",
	"HTMLDialogElement.prototype.closedBy",
	"HTMLButtonElement.prototype.command",
	"HTMLInputElement.prototype.switch",
	"Notification.prototype.actions",
];
