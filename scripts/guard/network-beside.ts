/** The network that the node under test uses, with its phones. */
export interface NetworkBeside {
  /** Environment variables that connect the node to this network. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the node links the platform's sender phone itself. */
  readonly linksSender: boolean;
  /** Scans the QR code of a computer with a phone. */
  scan(phone: string, qr: string): Promise<unknown>;
  /** The texts that a phone shows. */
  texts(phone: string): readonly string[];
  close(): unknown;
}
