// Health checks of the service's dependencies, and an operator's checks of the whole installation.

export interface HealthCheck {
	readonly name: string;
	/** The service cannot work without it and returns 503; otherwise it is only reported, as `degraded`. */
	readonly required: boolean;
	/** Called for each request. Rejects when the dependency is unavailable. */
	check(): Promise<void>;
}

export const CHECK_STATUSES = ["ok", "warn", "fail"] as const;

export interface InstallationCheck {
	/** The subject, one or two words. */
	readonly name: string;
	/** `warn`: works, but needs attention. `fail`: the service cannot run. */
	readonly status: (typeof CHECK_STATUSES)[number];
	/** One line: the result and, unless it is `ok`, what to do. */
	readonly detail: string;
}

/** Checks the installation that this process serves; takes seconds. Changes nothing. */
export type InspectInstallation = () => Promise<readonly InstallationCheck[]>;
