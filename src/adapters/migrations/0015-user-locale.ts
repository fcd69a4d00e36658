// The language of mails to a user.

/** Of users of before nothing is known: their mails stay in the language of the request. */
export const userLocale = `
ALTER TABLE users ADD COLUMN locale TEXT;
`;
