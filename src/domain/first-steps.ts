// What an administrator does first with a new tenant, as far as its rows show it.

export interface StoredSteps {
	/** Whether the tenant has at least two users. */
	readonly hasColleague: boolean;
	readonly hasApplication: boolean;
	/** Whether a request was approved or rejected. */
	readonly hasDecided: boolean;
}

export interface FirstStepStore {
	/** Reads a few rows, however many there are. */
	find(tenantId: string): Promise<StoredSteps>;
}
