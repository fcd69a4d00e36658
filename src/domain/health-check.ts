// Health checks of the dependencies of the service.

export interface HealthCheck {
	readonly name: string;
	/** The service cannot work without it and returns 503; otherwise it is only reported, as `degraded`. */
	readonly required: boolean;
	/** Called for each request. Rejects when the dependency is unavailable. */
	check(): Promise<void>;
	/** What an operator must know about the failure. Every caller sees it: no host names, no secrets. */
	detail?(): string | undefined;
}
