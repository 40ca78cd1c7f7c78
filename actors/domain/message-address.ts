export interface MessageAddress {
  readonly chat: string;
  readonly from: string;
  /** The hidden address from which the message came; null if it came from the number. */
  readonly lid: string | null;
}
