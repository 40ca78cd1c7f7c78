/** Why a connection closed. The numbers are the network's own. */
export const CLOSED = {
  /** Not a code of the network: it could not be reached, or did not answer a login. */
  unreachable: 0,
  normally: 1000,
  loggedOut: 401,
  /** Banned for a while; the login stays valid. */
  bannedForNow: 402,
  banned: 403,
  /** The network no longer accepts this build of the client; the login stays valid. */
  outdated: 405,
  codesRanOut: 408,
  /** The network rejects the client's description of itself; the login stays valid. */
  badAgent: 409,
  dropped: 428,
  replaced: 440,
  failed: 500,
  /** Not a code of the network: the device's proxy is unreachable or refuses the connection. */
  proxy: 502,
  unavailable: 503,
  restart: 515,
  /** Not a code of the network: the device's stored credentials cannot be read. */
  unreadable: 423,
} as const;
