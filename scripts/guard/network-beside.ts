export interface NetworkBeside {
  readonly env: Readonly<Record<string, string>>;
  /** Whether the node links the platform's sender phone itself. */
  readonly linksSender: boolean;
  scan(phone: string, qr: string): Promise<unknown>;
  texts(phone: string): readonly string[];
  close(): unknown;
}
