export class BridgeRefused extends Error {
  override readonly name = 'BridgeRefused';
}

export class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}
