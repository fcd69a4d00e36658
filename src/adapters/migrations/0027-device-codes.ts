// When the device that holds a device code last asked whether its person has answered (RFC 8628, section 3.5).

export const deviceCodes = `
ALTER TABLE oauth_records ADD COLUMN polled_at BIGINT;
`;
