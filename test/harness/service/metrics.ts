// Reads the metrics of a service under test as Prometheus does.

import { once } from "node:events";
import http from "node:http";
import { text } from "node:stream/consumers";
import type { TestService } from "./service.ts";

/** The value of each series, by its name and labels as written. */
export async function metricsOf({ metricsPort }: TestService): Promise<ReadonlyMap<string, number>> {
	const request = http.get({
		host: "127.0.0.1",
		port: metricsPort as number,
		path: "/metrics",
		agent: false,
	});
	const [response] = (await once(request, "response")) as [http.IncomingMessage];
	const lines = (await text(response)).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
	return new Map(
		lines.map((line) => {
			const end = line.lastIndexOf(" ");
			return [line.slice(0, end), Number(line.slice(end + 1))];
		}),
	);
}
