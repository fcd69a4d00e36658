// The state that registration steps pass on.

/** The credentials for the sign-in that follows. */
export interface Registered {
	readonly username: string;
	readonly password: string;
}

/** A code was sent to `email`; another can be requested after `resendAfterSeconds`. */
export interface SentCode {
	readonly email: string;
	readonly resendAfterSeconds: number;
}
