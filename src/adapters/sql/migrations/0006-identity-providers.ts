// Identity providers, sign-ins under way with them, tickets.

export const identityProviders = "";
