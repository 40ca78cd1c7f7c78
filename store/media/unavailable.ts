/** The file storage is unavailable: see `isUnavailable` (store/engines/unavailable.ts). */
export class MediaUnavailable extends Error {
  override readonly name = 'MediaUnavailable';
}
