/** Why a connection closed. The numbers are the network's own. */
export const CLOSED = {
  /** Our own code: the network could not be reached, or did not respond to a login. */
  unreachable: 0,
  normally: 1000,
  loggedOut: 401,
  /** Temporarily banned; the login stays valid. */
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
  /** Our own code: the device's proxy is unreachable or refuses the connection. */
  proxy: 502,
  unavailable: 503,
  restart: 515,
  /** Our own code: the device's stored credentials cannot be read. */
  unreadable: 423,
} as const;
