// better-auth on node:http with a SQLite database: the session of a registered user.

import { once } from "node:events";
import http from "node:http";
import { DatabaseSync } from "node:sqlite";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { toNodeHandler } from "better-auth/node";

const database = new DatabaseSync("better-auth.db");
database.exec("PRAGMA journal_mode = WAL");
const options = {
	baseURL: "http://127.0.0.1",
	secret: "a secret of at least thirty-two characters",
	database,
	emailAndPassword: { enabled: true },
	rateLimit: { enabled: false },
	telemetry: { enabled: false },
};
const { runMigrations } = await getMigrations(options);
await runMigrations();
const auth = betterAuth(options);
const server = http.createServer(toNodeHandler(auth));
await once(server.listen(0, "127.0.0.1"), "listening");

const body = { name: "Ada", email: "ada@people.example", password: "a fine password" };
const signedUp = await auth.api.signUpEmail({ body, asResponse: true });
const cookie = signedUp.headers
	.getSetCookie()
	.map((line) => line.split(";", 1)[0])
	.join("; ");
process.send({ port: server.address().port, path: "/api/auth/get-session", headers: { Cookie: cookie } });
process.on("disconnect", () => process.exit(0));
