// The mail server of a run: accepts every mail and stores none. Replies to `{ until: n }` after n mails.

import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

let taken = 0;
let until = Number.POSITIVE_INFINITY;

const server = new SMTPServer({
	logger: false,
	authOptional: true,
	hideSTARTTLS: true,
	onData(stream, _session, done) {
		stream.resume().on("end", () => {
			done();
			taken += 1;
			report();
		});
	},
});
server.listen(0, "127.0.0.1");
process.on("message", (message: { readonly until?: number }) => {
	if (message.until === undefined) {
		process.send?.({ port: (server.server.address() as AddressInfo).port });
		return;
	}
	until = message.until;
	report();
});
process.on("disconnect", () => process.exit(0));

function report(): void {
	if (taken < until) return;
	until = Number.POSITIVE_INFINITY;
	process.send?.({ taken });
}
