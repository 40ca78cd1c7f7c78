/** Why a connection closed. The numbers are the network's own. */
export const CLOSED = {
  /** Not the network's: it could not be reached, or did not answer a login. */
  unreachable: 0,
  normally: 1000,
  loggedOut: 401,
  /** For a while: the login is as good as before. */
  bannedForNow: 402,
  banned: 403,
  /** The network no longer takes this build of the client: the login is as good as before. */
  outdated: 405,
  codesRanOut: 408,
  /** The network does not take what the client says of itself: the login is as good as before. */
  badAgent: 409,
  dropped: 428,
  replaced: 440,
  failed: 500,
  /** Not the network's: the device's proxy is not there, or does not let it through. */
  proxy: 502,
  unavailable: 503,
  restart: 515,
  /** Not the network's: what this device logs in with is there and cannot be read. */
  unreadable: 423,
} as const;
