// The life of a signing key.

export const signingKeys = "";
