export interface NetworkBeside {
  readonly env: Readonly<Record<string, string>>;
  readonly linksSender: boolean;
  scan(phone: string, qr: string): Promise<unknown>;
  texts(phone: string): readonly string[];
  close(): unknown;
}
