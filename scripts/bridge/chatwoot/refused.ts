/** The bridge cannot start or continue. The message says why, and what to do. */
export class BridgeRefused extends Error {
  override readonly name = 'BridgeRefused';
}

/** A job that must be repeated, but not before a given time. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}
