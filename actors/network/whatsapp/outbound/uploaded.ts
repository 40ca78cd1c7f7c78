export interface Uploaded {
  readonly url: string;
  readonly directPath: string;
  readonly mediaKey: Uint8Array;
  readonly fileSha256: Uint8Array;
  readonly fileEncSha256: Uint8Array;
  readonly fileLength: number;
}
