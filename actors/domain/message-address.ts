export interface MessageAddress {
  readonly chat: string;
  readonly from: string;
  /** The hidden address that the message came from; null if it came from the number. */
  readonly lid: string | null;
}
