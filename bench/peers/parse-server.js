// Parse Server on Express with PostgreSQL: the user of a session. Its CPU time excludes the database.

import { once } from "node:events";
import express from "express";
import { ParseServer } from "parse-server";

const parse = new ParseServer({
	databaseURI: process.env.PEER_DATABASE_URL,
	appId: "bench",
	masterKey: "a key of the bench",
	serverURL: "http://127.0.0.1/parse",
	logLevel: "error",
	logsFolder: null,
	allowClientClassCreation: true,
});
await parse.start();
const app = express();
app.use("/parse", parse.app);
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");

const { port } = server.address();
const signedUp = await fetch(`http://127.0.0.1:${port}/parse/users`, {
	method: "POST",
	headers: { "X-Parse-Application-Id": "bench", "content-type": "application/json" },
	body: JSON.stringify({ username: "ada", password: "a fine password", email: "ada@people.example" }),
});
const { sessionToken } = await signedUp.json();
process.send({
	port,
	path: "/parse/users/me",
	headers: { "X-Parse-Application-Id": "bench", "X-Parse-Session-Token": sessionToken },
});
process.on("disconnect", () => process.exit(0));
