// nginx and HAProxy accept their configurations.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { makeCertificate, putCertificate } from "../harness/certificates/certificate.ts";
import { freePorts } from "../harness/processes/program.ts";
import { findProgram } from "../harness/processes/server-process.ts";
import { HAPROXY_SKIPPED, haproxyConfig } from "../harness/proxies/haproxy.ts";
import { NGINX_SKIPPED, nginxConfig } from "../harness/proxies/nginx.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

const run = promisify(execFile);
const backends = [{ port: 8081 }, { port: 8082 }];

describe("the configuration", () => {
	test("is valid for nginx, without warnings", { skip: NGINX_SKIPPED }, async () => {
		using folder = temporaryFolder();
		const [httpPort = 0, httpsPort = 0] = await freePorts(2);
		const files = putCertificate(folder.path, await makeCertificate("nginx"));
		const file = join(folder.path, "nginx.conf");
		const config = nginxConfig({ folder: folder.path, httpPort, httpsPort, files, backends, ipv6: false });
		writeFileSync(file, config);
		const { stderr } = await run(findProgram("nginx") as string, ["-t", "-e", "stderr", "-c", file]);
		assert.doesNotMatch(stderr, /\[(warn|error|emerg)\]/);
	});

	test("is valid for HAProxy, without warnings", { skip: HAPROXY_SKIPPED }, async () => {
		using folder = temporaryFolder();
		const [httpPort = 0, httpsPort = 0] = await freePorts(2);
		const { cert, key } = await makeCertificate("haproxy");
		const pem = join(folder.path, "both.pem");
		writeFileSync(pem, `${cert.trim()}\n${key}`);
		const file = join(folder.path, "haproxy.cfg");
		writeFileSync(file, haproxyConfig({ httpPort, httpsPort, pem, backends, ipv6: false }));
		const { stdout, stderr } = await run(findProgram("haproxy") as string, ["-c", "-f", file]);
		assert.doesNotMatch(stdout + stderr, /WARNING|ALERT/);
	});
});
