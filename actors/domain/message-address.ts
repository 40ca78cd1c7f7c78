export interface MessageAddress {
  readonly chat: string;
  readonly from: string;
  /** The hidden address that it came from; null when it came from the number. */
  readonly lid: string | null;
}
