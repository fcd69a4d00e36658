// Words of a field for a new password, in English.

export default {
	rules:
		"8 characters to 72 bytes; a few words in a row are easy to remember. Not a common password, nor your name or address.",
};
