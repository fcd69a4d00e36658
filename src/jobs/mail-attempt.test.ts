import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutAddress } from "./mail-attempt.ts";

test("the error of a mail is logged without the address that the server quotes", () => {
	const error = "550 5.1.1 <Ada.O'Neil+x@Example.org>: no such user ada.o'neil+x@example.org here";
	assert.equal(withoutAddress(error, "ada.o'neil+x@example.org"), "550 5.1.1 <***>: no such user *** here");
	assert.equal(withoutAddress("451 try again later", "ada@example.org"), "451 try again later");
	assert.equal(withoutAddress("550 <adaXexample.org>", "ada.example.org"), "550 <adaXexample.org>");
});
