// The proxies with a configuration in deploy/gate.

export const PROXIES = ["nginx", "Caddy", "HAProxy", "Traefik", "Envoy", "Kong"] as const;
export type GateProxy = (typeof PROXIES)[number];

/** Their configuration is not tested with the proxy itself. */
export const UNTESTED: readonly GateProxy[] = ["Traefik", "Envoy", "Kong"];
