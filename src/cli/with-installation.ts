// Opens the configured installation for one command, beside a running service or without one.

import { type Installation, openBesideService } from "../app/open-installation.ts";
import type { Clock } from "../kernel/clock.ts";
import { systemClock } from "../kernel/clock.ts";
import { loadNamedConfig } from "./named-config.ts";

/** Closes the installation when `work` ends. @throws StartError as `openBesideService`, and what `work` throws. */
export async function withInstallation(
	work: (installation: Installation & { readonly clock: Clock }) => Promise<void>,
): Promise<void> {
	const installation = await openBesideService(loadNamedConfig(process.env), { clock: systemClock });
	try {
		await work({ ...installation, clock: systemClock });
	} finally {
		await installation.close();
	}
}
