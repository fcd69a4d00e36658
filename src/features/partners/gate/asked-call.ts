// The request about which a proxy or a middleware asks the gate.

import type { ShownCaller } from "../../../domain/gate-decision.ts";
import type { SignedMessage } from "../external/signed-steps.ts";

export interface AskedCall
	extends Pick<SignedMessage, "method" | "target" | "scheme" | "ip" | "headerValues"> {
	readonly requestId: string;
	/**
	 * Lower-case hex SHA-256 of the body, computed by a middleware. A proxy has not seen the body, so this is undefined and
	 * the caller declares the digest.
	 */
	readonly computedBodySha256: string | undefined;
	readonly isProxied: boolean;
	/** A header from which frameworks read another method or path; undefined without one. */
	readonly override: string | undefined;
	/** Undefined without a cookie of this name, or with several. */
	cookie(name: string): string | undefined;
}

/** What is known about a request before the decision, for the refusal, the log, and the metrics. */
export interface CallProgress {
	rule: number | null;
	/** As in `Latchkey-Caller`; undefined before a caller was recognized. */
	caller: string | undefined;
	/** Of a recognized person, if a program acts for them. */
	chain?: ShownCaller["chain"] | undefined;
	/** Of a recognized person, in a support session. */
	supporter?: ShownCaller["supporter"] | undefined;
	/** Set when a test client signed the request. */
	testClientId: string | undefined;
}
