// Health: whether what the service needs is there.

/** One thing the service works with. `check` resolves while it is there and rejects when it is away; it is asked at each call. */
export interface HealthCheck {
	readonly name: string;
	/** When this is away the service cannot do its job (503); otherwise it is only reported, as `degraded`. */
	readonly required: boolean;
	check(): Promise<void>;
}
