// What works and what is wrong in an installation, for its operator.

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
