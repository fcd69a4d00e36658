// The code that takes a sign-in from this service to the host of an application. Nothing is stored before it is used.

import type { CodeBox } from "../../../crypto/code-box.ts";
import { isNumber, isText, objectOf, parseJson } from "../../../kernel/shape.ts";

export interface GateCode {
	readonly id: string;
	/** The session at this service. */
	readonly sessionId: string;
	/** The digest of a secret in a cookie of the browser that began. */
	readonly challenge: string;
	/** The absolute URL where the browser continues. */
	readonly page: string;
	readonly issuedAtSeconds: number;
}

const isGateCode = objectOf<GateCode>({
	id: isText,
	sessionId: isText,
	challenge: isText,
	page: isText,
	issuedAtSeconds: isNumber,
});
const CODE_MAX = 8_192;

export function sealCode(codes: CodeBox, applicationId: string, origin: string, code: GateCode): string {
	return codes.seal(JSON.stringify(code), contextOf(applicationId, origin));
}

/** Undefined for a text that this service did not seal for this application and origin. */
export function openCode(
	codes: CodeBox,
	applicationId: string,
	origin: string,
	text: string,
): GateCode | undefined {
	if (text.length > CODE_MAX) return undefined;
	const plain = codes.open(text, contextOf(applicationId, origin));
	return plain === undefined ? undefined : parseJson(isGateCode, plain);
}

function contextOf(applicationId: string, origin: string): string {
	return `gate_code:${applicationId}:${origin}`;
}
