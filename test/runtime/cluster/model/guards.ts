/** What keeps the promises; the model can take each away to see whether it notices. */
export interface Guards {
  /** The lease is asked before each effect on the outside world. */
  readonly checksLease: boolean;
  /** Writes of an owner filter on its epoch. */
  readonly fencesWrites: boolean;
  /** The epoch lives in the store, not in Redis. */
  readonly storesEpoch: boolean;
  /** A message is sent again under its first network id. */
  readonly keepsNetId: boolean;
  /** Whoever was replaced (440) first asks whether it still owns the device, and waits. */
  readonly yieldsWhenReplaced: boolean;
  /** The socket is closed before the lease is released. */
  readonly closesFirst: boolean;
  /** A renewal without an answer proves nothing. */
  readonly doubtsSilence: boolean;
  /** What an earlier start of a node took is not its own. */
  readonly leavesFormer: boolean;
}

export const ALL_GUARDS: Guards = {
  checksLease: true,
  fencesWrites: true,
  storesEpoch: true,
  keepsNetId: true,
  yieldsWhenReplaced: true,
  closesFirst: true,
  doubtsSilence: true,
  leavesFormer: true,
};
