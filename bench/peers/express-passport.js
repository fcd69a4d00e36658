// Express with Passport and in-memory sessions: the user of the session.

import { once } from "node:events";
import express from "express";
import session from "express-session";
import passport from "passport";
import { Strategy } from "passport-local";

const PEOPLE = new Map([["1", { id: "1", username: "ada", email: "ada@people.example", roles: ["admin"] }]]);

passport.use(new Strategy((username, _password, done) => done(null, username === "ada" && PEOPLE.get("1"))));
passport.serializeUser(({ id }, done) => done(null, id));
passport.deserializeUser((id, done) => done(null, PEOPLE.get(id)));
const app = express();
app.use(session({ secret: "a secret of the bench", resave: false, saveUninitialized: false }));
app.use(passport.session());
app.post("/login", express.json(), passport.authenticate("local"), (_request, response) => response.end());
app.get("/me", (request, response) => {
	if (!request.isAuthenticated()) return response.status(401).json({ error: "sign in first" });
	response.json({ data: request.user });
});
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");

const { port } = server.address();
const signedIn = await fetch(`http://127.0.0.1:${port}/login`, {
	method: "POST",
	headers: { "content-type": "application/json" },
	body: JSON.stringify({ username: "ada", password: "unused" }),
});
const [cookie] = signedIn.headers.getSetCookie()[0].split(";", 1);
process.send({ port, path: "/me", headers: { Cookie: cookie } });
process.on("disconnect", () => process.exit(0));
