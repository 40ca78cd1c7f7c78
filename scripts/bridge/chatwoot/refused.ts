/** The bridge cannot start or go on: the message says why, and what to do. */
export class BridgeRefused extends Error {
  override readonly name = 'BridgeRefused';
}

/** Work that must be repeated at a given time and not before. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  /** Epoch ms. */
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}
