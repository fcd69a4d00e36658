// Which checks of the installation make a task of the overview.

import type { Schemas } from "../../api/routes.ts";

/** Without those about the installation itself: a service that was started otherwise than by its settings responds, too. */
export function countFailed(checks: Readonly<Schemas["Installation"]["checks"]>): number {
	return checks.filter(({ status, code }) => status === "fail" && !code.startsWith("installation.")).length;
}
