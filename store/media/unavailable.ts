/** The place where files lie cannot serve now: see `isUnavailable` (store/engines/unavailable.ts). */
export class MediaUnavailable extends Error {
  override readonly name = 'MediaUnavailable';
}
