/** The network beside the node, with the phones on it. */
export interface NetworkBeside {
  /** Settings that lead the node to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the node links the platform's phone itself. */
  readonly linksSender: boolean;
  /** A phone scans what a computer shows. */
  scan(phone: string, qr: string): Promise<unknown>;
  /** What a phone shows, as far as it is text. */
  texts(phone: string): readonly string[];
  close(): unknown;
}
