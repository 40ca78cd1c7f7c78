/** Close codes of the network and of the gateway. A login remains valid after 402, 405 and 409. */
export const CLOSED = {
  /** Set by the gateway: the network was unreachable, or did not respond to a login. */
  unreachable: 0,
  normally: 1000,
  loggedOut: 401,
  bannedForNow: 402,
  banned: 403,
  outdated: 405,
  codesRanOut: 408,
  /** The network does not accept how the client describes itself. */
  badAgent: 409,
  dropped: 428,
  replaced: 440,
  failed: 500,
  /** Set by the gateway: the device's proxy is unreachable or refuses the connection. */
  proxy: 502,
  unavailable: 503,
  restart: 515,
  /** Set by the gateway: the device's stored credentials cannot be read. */
  unreadable: 423,
} as const;
