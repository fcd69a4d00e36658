// What the doctor reads about the certificate from an ACME server.

export interface AcmeState {
	readonly valid_to: number | null;
	readonly last_error: string | null;
}

export const ACME_STATE = "SELECT valid_to, last_error FROM acme_certificates WHERE domain = $1";
