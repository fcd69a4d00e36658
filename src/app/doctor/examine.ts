// The doctor: looks at everything an installation needs, in the order a start does, and changes nothing.

import type { Config } from "../../config/config.ts";
import type { Clock } from "../../kernel/clock.ts";
import { examineCertificate } from "./certificate.ts";
import { examineDataFolder } from "./data-folder.ts";
import { examineDatabase } from "./database.ts";
import type { Finding } from "./finding.ts";
import { examineMachine } from "./machine.ts";
import { examineMail } from "./mail.ts";
import { examinePorts } from "./ports.ts";
import { examineRedis } from "./redis.ts";

/** Findings as they are made; the last ones may take seconds (a large database, a mail server that does not answer). */
export async function* examine(config: Config, clock: Clock): AsyncGenerator<Finding> {
	yield* examineMachine(config);
	yield* await examineDataFolder(config);
	yield* await examineDatabase(config, clock());
	yield* await examineCertificate(config, clock());
	yield* await examinePorts(config);
	yield* await examineRedis(config);
	yield* await examineMail(config);
}
