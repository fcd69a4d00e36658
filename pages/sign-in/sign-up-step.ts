// What the steps of a registration hand on.

/** What signs in afterwards. */
export interface Registered {
	readonly username: string;
	readonly password: string;
}

/** A code is on its way to `email`; another may be asked for after `resendAfterSeconds`. */
export interface SentCode {
	readonly email: string;
	readonly resendAfterSeconds: number;
}
