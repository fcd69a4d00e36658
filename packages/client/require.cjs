// What `require` finds on a Node.js that cannot load ES modules with it.

throw new Error(
	"@latchkey/client is an ES module: use import, or require it on Node.js 20.19, 22.12, or later",
);
