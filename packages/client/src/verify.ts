// `@latchkey/client/verify`: verifies access tokens for an API.

export { permits } from "./permits.ts";
export { requireToken, type TokenGateOptions } from "./require-token.ts";
export {
	type AccessToken,
	createVerifier,
	type Proof,
	permissionsOf,
	TokenError,
	type VerifierOptions,
} from "./verify-token.ts";
