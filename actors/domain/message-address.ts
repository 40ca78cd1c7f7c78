/** Where and from whom something came, by the addresses that people go by here. */
export interface MessageAddress {
  readonly chat: string;
  readonly from: string;
  /** The hidden address that it came from; null: it came from the number. */
  readonly lid: string | null;
}
