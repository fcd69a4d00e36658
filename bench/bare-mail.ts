// The baseline for delivered mails: nodemailer alone, with as many connections as the service.

import { createTransport } from "nodemailer";

export interface MailTask {
	readonly url: string;
	readonly count: number;
}

export interface MailResult {
	readonly seconds: number;
	readonly processorSeconds: number;
}

/** The maximum of the service. */
const CONNECTIONS = 16;
const SENTENCE =
	"Your request was received and waits for a review by an administrator of this installation. ";
const MAIL = {
	from: { name: "Latchkey", address: "auth@company.example" },
	subject: "We received your access request",
	text: SENTENCE.repeat(8),
	html: `<p>${SENTENCE.repeat(30)}</p>`,
};

process.on("message", (task: MailTask) => {
	run(task).then(
		(result) => process.send?.(result),
		(error: Error) => process.send?.({ error: error.message }),
	);
});
process.on("disconnect", () => process.exit(0));

async function run({ url, count }: MailTask): Promise<MailResult> {
	const mailer = createTransport({ url, pool: true, maxConnections: CONNECTIONS });
	const usage = process.cpuUsage();
	const startedAt = performance.now();
	let next = 0;
	const sendRest = async (): Promise<void> => {
		while (next++ < count)
			await mailer.sendMail({ ...MAIL, to: { name: "", address: `applicant-${next}@partner.example` } });
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, sendRest));
	const { user, system } = process.cpuUsage(usage);
	const seconds = (performance.now() - startedAt) / 1_000;
	mailer.close();
	return { seconds, processorSeconds: (user + system) / 1e6 };
}
