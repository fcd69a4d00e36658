// `/installation`: the checks of `latchkey doctor`, for platform admins.

import type { Administrator } from "../../../domain/caller.ts";
import { CHECK_STATUSES, CHECKS, type CheckCode } from "../../../domain/installation-check.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { choice, custom, list, mapOf, object, plain } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";

const installationSchema = object(
	{
		version: plain("The running version."),
		checks: list(
			object(
				{
					name: plain("The subject of the check, one or two words."),
					status: choice(CHECK_STATUSES, {
						description:
							"`warn`: the service works, but needs attention. `fail`: the service cannot work in this state.",
					}),
					code: custom<CheckCode>(
						{ type: "string", enum: Object.keys(CHECKS) },
						{ description: "Stable; `<subject>.<result>`.", examples: ["schema.older"] },
					),
					params: mapOf(custom<string | number>({ type: ["string", "number"] }), {
						description: "The values in `name` and `detail`.",
						examples: [{ version: 6, supported: 7 }],
					}),
					detail: plain("English text; may change. The result and, unless `status` is `ok`, what to do."),
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
				"The checks of `latchkey doctor` on the node that responds: settings, disk, data directory, database, certificate, ports, Redis, and mail. Takes a second; a result is reused for ten seconds. The integrity of an embedded database is checked in the background, at most once a minute: the last check of the list contains the time of its result. Changes nothing.",
			response: data(200, installationSchema, "The checks, in the order of a start."),
			handle: async () => ({ version, checks: [...(await inspect())] }),
		}),
	};
}
