// The slots for mail deliveries: a few for quick ones, and extra room for slow ones.

export interface Slots {
	/** Slots that new deliveries may take now. */
	readonly free: number;
	readonly taken: number;
	/** Takes a slot. Call the returned function once, when the delivery has ended. */
	take(): () => void;
}

export interface SlotsOptions {
	/** Concurrent deliveries while each is quick. */
	readonly quick: number;
	/** Concurrent deliveries in total. */
	readonly all: number;
	/** After this, a delivery counts as slow and no longer occupies a quick slot. */
	readonly slowAfterMs: number;
	/** Called when a slow delivery frees a quick slot. */
	readonly onFreed: () => void;
}

/** A recipient whose server hangs delays the following mails by `slowAfterMs` instead of the whole timeout. */
export function createSlots(options: SlotsOptions): Slots {
	let quick = 0;
	let slow = 0;
	return {
		get free() {
			return Math.max(0, Math.min(options.quick - quick, options.all - quick - slow));
		},
		get taken() {
			return quick + slow;
		},
		take() {
			let isSlow = false;
			quick += 1;
			const timer = setTimeout(() => {
				isSlow = true;
				quick -= 1;
				slow += 1;
				options.onFreed();
			}, options.slowAfterMs);
			return () => {
				clearTimeout(timer);
				if (isSlow) slow -= 1;
				else quick -= 1;
			};
		},
	};
}
