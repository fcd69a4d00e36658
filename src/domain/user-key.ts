// The key of a user, which seals what the audit trail says about the user and is deleted with the user.

/** Encrypts with the key of one user. Equal texts are equal when sealed, so that the database can compare them. */
export interface UserCipher {
	seal(text: string): string;
	/** Undefined for text that this key did not seal. */
	open(sealed: string): string | undefined;
}

export interface UserCiphers {
	/** A new random key, to be stored sealed. */
	newKey(): string;
	of(key: string): UserCipher;
}

/** The context in which the key of a user is sealed with the master key. */
export function userKeyContext(userId: string): string {
	return `user_key:${userId}`;
}
