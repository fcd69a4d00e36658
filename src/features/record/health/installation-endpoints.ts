// `/installation`: the checks of `latchkey doctor`, for platform admins.

import type { Administrator } from "../../../domain/caller.ts";
import { CHECK_STATUSES } from "../../../domain/health-check.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { choice, list, object, plain } from "../../../http/schema.ts";
import type { Platform } from "../../platform.ts";

const installationSchema = object(
	{
		version: plain({ description: "The running version." }),
		checks: list(
			object(
				{
					name: plain({ description: "The subject of the check." }),
					status: choice(CHECK_STATUSES, {
						description: "`warn`: works, but needs attention; `fail`: the service cannot work like this.",
					}),
					detail: plain({ description: "The result and, unless it is `ok`, what to do." }),
				},
				{ title: "InstallationCheck" },
			),
		),
	},
	{ title: "Installation" },
);

export function installationEndpoints({ inspect, version }: Pick<Platform, "inspect" | "version">) {
	return {
		get: endpoint<Administrator>()({
			name: "getInstallation",
			summary: "Check the installation",
			description:
				"The checks of `latchkey doctor` on the node that responds: settings, disk, data folder, database, certificate, ports, Redis and mail. Takes seconds; a result is reused for ten seconds. Changes nothing.",
			response: data(200, installationSchema, "The checks, in the order of a start."),
			handle: async () => ({ version, checks: [...(await inspect())] }),
		}),
	};
}
